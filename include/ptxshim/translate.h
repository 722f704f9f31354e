// SPDX-License-Identifier: MIT
// The one entrance to the translator, and the form in which a request travels to a worker process (bin/ptxshimc --worker).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptxshim/code_object.h"
#include "ptxshim/result.h"

namespace ptxshim {

// Everything that can change the bytes of the result; the cache key covers each field (see cache.h).
struct TranslateRequest {
  std::vector<std::string> modules; // PTX texts; several are linked into one (extern and visible symbols resolved)
  std::string target;               // "gfx1030"
  uint32_t code_object_version = 5; // 4 for HIP 5.x, 5 for newer
  uint32_t optimisation = 3;        // CU_JIT_OPTIMIZATION_LEVEL; 0 still runs the pipeline (see design.md)
  bool debug_info = false;          // CU_JIT_GENERATE_DEBUG_INFO: line tables of the PTX text where it has no .loc
  uint32_t max_registers = 0;       // CU_JIT_MAX_REGISTERS, 0: no limit
  uint32_t wave_size = 0;           // lanes a wave, 32 or 64; 0: the target's own (target.h)
  std::vector<std::string> kernels; // empty: all
  std::string name;                 // for messages ("file.ptx" or the module's name); part of the key with debug_info alone, which names it
  std::vector<std::string> names;   // of each of the modules, likewise; empty where `name` is all there is
};

// Runs in the calling process; only bin/ptxshimc and the translator's tests link it.
// Errors that make the whole module unusable (syntax: CUDA_ERROR_INVALID_PTX, a version that is not known:
// CUDA_ERROR_UNSUPPORTED_PTX_VERSION) are the Result's; what concerns one kernel stands in its KernelInfo.
Result<CodeObject> translate(const TranslateRequest& request);

// Identifies the translator by content: a hash over its sources, its support library and the LLVM version.
const char* translator_build_id();

// Wire form of requests and replies, used by the runtime (client) and ptxshimc (server). A reply is either an Error or a CodeObject.
std::vector<std::byte> encode(const TranslateRequest& request);
Result<TranslateRequest> decode_translate_request(std::span<const std::byte> bytes);
std::vector<std::byte> encode_reply(const Result<CodeObject>& reply);
Result<CodeObject> decode_reply(std::span<const std::byte> bytes);

} // namespace ptxshim
