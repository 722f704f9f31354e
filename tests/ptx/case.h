// SPDX-License-Identifier: MIT
// A test case is a .ptx file that opens with what it must give:
//
//   // RUN-IN:   u32 1, 40          elements of the input buffer, appended line by line, each at its natural alignment
//   // RUN-OUT:  u32 0              what the output buffer must hold, bit for bit
//   // RUN-OUT~: f32 1.0 rel 2e-7   the same within a relative (rel) or absolute (abs) distance
//   // RUN-GRID: 2   RUN-BLOCK: 32,2   RUN-SHARED: 1024      default one thread
//   // RUN-ERROR: 218 text          instead of running: the module is refused with this CUresult and a log that holds the text
//
// Types are PTX's (u8 … u64, s8 … s64, b8 … b64, f32, f64, f16 and bf16 as bits). Integers are decimal or 0x…; floats decimal, inf,
// -inf, nan, or PTX's 0f… and 0d… forms. `7*32` stands for 7 thirty-two times, `0..31` for a sequence.
// The kernel is `.visible .entry test(.param .u64 in, .param .u64 out)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ptxcase {

struct Expected {
  size_t offset = 0;
  std::string type;
  uint64_t bits = 0;
  bool approximate = false, relative = false;
  double value = 0, distance = 0;
};

struct Case {
  std::string path, text;
  std::vector<std::byte> input;
  std::vector<Expected> expected;
  size_t output_bytes = 0;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, shared = 0;
  int error = 0; // 0: the module loads
  std::string error_text;
};

// The case, or in `problem` what is wrong with the file.
Case read_case(const std::string& path, std::string& problem);
// All .ptx files under the given files and folders, sorted.
std::vector<std::string> find_cases(const std::vector<std::string>& paths);
// The pattern that an output buffer starts with: a kernel that writes nothing fails.
std::vector<std::byte> blank_output(const Case& c);
// Empty when the output is as expected, else a description of the first differences.
std::string compare(const Case& c, const std::vector<std::byte>& output);

} // namespace ptxcase
