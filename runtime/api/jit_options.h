// SPDX-License-Identifier: MIT
// CUjit_option arrays: what they ask of a translation, and where its results are to be written.
#pragma once

#include "harness.h"

namespace ptxshim::api {

struct Jit {
  TranslateRequest request; // the options that reach code; modules, target and name are filled in later
  char* info_log = nullptr;
  size_t info_bytes = 0;
  void** info_filled = nullptr; // where the length goes
  char* error_log = nullptr;
  size_t error_bytes = 0;
  void** error_filled = nullptr;
  void** wall_time = nullptr; // a float, in the bytes of the option's value
  bool verbose = false;
};

// CUDA_ERROR_INVALID_VALUE for options that do not exist or hold impossible values.
CUresult read_jit_options(Jit& jit, unsigned count, const CUjit_option* options, void** values);
void write_info(const Jit& jit, const CodeObject& code, uint64_t elapsed_ns);
void write_error(const Jit& jit, const std::string& message);

} // namespace ptxshim::api
