// SPDX-License-Identifier: MIT
// Kernel arguments on a command line: TYPE:VALUE, buf:TYPE:V1,V2,... (a buffer with these elements) and out:TYPE:COUNT (a
// zeroed buffer). Types are u8 i8 u16 i16 u32 i32 u64 i64 f32 f64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loader.h"
#include "ptxshim/result.h"

namespace ptxshim::vgpu {

struct CommandArgument {
  std::string type;             // of the value or the elements
  bool buffer = false;
  std::vector<std::byte> bytes; // the value, or the buffer's content
  uint64_t address = 0;         // buffers, once placed
};

Result<CommandArgument> parse_argument(const std::string& text);
// Places the buffers and lays the arguments out: at the metadata's offsets, or else at their natural alignment.
Result<std::vector<std::byte>> place_arguments(std::vector<CommandArgument>& arguments, const LoadedKernel& kernel,
                                               DirectMemory& memory);
std::string print_elements(const std::string& type, const std::byte* bytes, size_t size);

} // namespace ptxshim::vgpu
