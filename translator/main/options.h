// SPDX-License-Identifier: MIT
// The command line of ptxshimc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptxshim/result.h"

namespace ptxshim::compiler {

enum class Stage : uint8_t { Ast, Ir, Assembly, CodeObject };
enum class Action : uint8_t { Translate, ListKernels, Help, Version, Worker };

struct Options {
  Action action = Action::Translate;
  Stage stage = Stage::CodeObject;
  std::vector<std::string> inputs;
  std::string output; // empty: from the input's name; "-": standard output
  std::vector<std::string> targets;
  std::vector<std::string> kernels;
  uint32_t code_object_version = 5;
  uint32_t optimisation = 3;
  uint32_t wave_size = 0;
  uint32_t max_registers = 0;
  bool debug_info = false;
  bool verbose = false;
  bool unoptimised_ir = false; // --emit=ir -O0: as the lowering made it
};

// An Error's message is what follows "ptxshimc: error: ".
Result<Options> parse_command_line(int count, char** arguments);
const char* help_text();

// The file that the result for one of the targets goes to: see --help.
std::string output_name(const Options& options, const std::string& target);

} // namespace ptxshim::compiler
