// SPDX-License-Identifier: MIT
// Kernel arguments on a command line:
//
//   [NAME=]TYPE:V1,V2,...       a value, or an array or structure of these values
//   [NAME=]hex:0A1B...          a structure, byte by byte
//   [NAME=]buf:TYPE:V1,V2,...   a buffer with these elements
//   [NAME=]out:TYPE:COUNT       a buffer of zeros
//   [NAME=]rand:TYPE:COUNT[:SEED]  a buffer of random bits (integers), or of values in [0, 1) (floats)
//   [NAME=]file:TYPE:PATH       a buffer with the bytes of a file
//   NAME                        the buffer of an earlier argument, also of an earlier kernel
//
// A value may be repeated: 1.5*100. Types are u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loader.h"
#include "ptxshim/result.h"

namespace ptxshim::vgpu {

struct ElementType;

struct CommandArgument {
  std::string text;                  // as it was given
  std::string name;                  // of a buffer; empty: it has none
  const ElementType* type = nullptr; // of the values or elements; null: bytes
  bool buffer = false;
  bool reference = false;       // of the buffer `name`
  std::vector<std::byte> bytes; // the values, or the buffer's content
};

Result<CommandArgument> parse_argument(const std::string& text);

// A buffer in device memory.
struct Buffer {
  std::string name;
  const ElementType* type;
  uint64_t address, bytes;
};

// Makes the buffers that the arguments ask for, behind those that there are, and lays the arguments out: at the metadata's
// offsets, or else at their natural alignment.
Result<std::vector<std::byte>> place_arguments(const std::vector<CommandArgument>& arguments, const LoadedKernel& kernel,
                                               DirectMemory& memory, std::vector<Buffer>& buffers);
// At most this many elements.
std::string print_elements(const ElementType& type, const std::byte* bytes, uint64_t size, uint64_t most);

} // namespace ptxshim::vgpu
