// SPDX-License-Identifier: MIT
// What the tests of the parser share.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syntax/parse.h"

namespace ptxshim::ptx {

inline const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

// A kernel with registers of every type around some statements. The body begins in line 7.
inline std::string kernel(const std::string& body) {
  return kHead + ".visible .entry k(.param .u64 p, .param .u32 q) {\n"
                 ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %fd<4>;\n"
                 ".reg .v4 .f32 %v; .reg .u32 %u<4>; .reg .s32 %s<4>; .reg .u64 %ud<4>; .reg .f16 %fh<4>; .reg .f16x2 %hh<4>;\n" +
         body + "\nret;\n}\n";
}

// Keeps the text alive beside the module that points into it.
struct Parsed {
  std::string text;
  Result<Module> result;

  explicit Parsed(std::string source) : text(std::move(source)), result(parse_module(text, "test.ptx")) {}
  bool ok() const { return result.ok(); }
  std::string message() const { return result.ok() ? std::string() : result.error().message; }
  const Module& module() const { return result.value(); }
  const Function& function(size_t index = 0) const { return module().functions.at(index); }
  const Symbol& symbol(std::string_view name) const {
    for (const Symbol& each : module().symbols)
      if (module().name(each.name) == name) return each;
    ADD_FAILURE() << "no symbol " << name;
    static const Symbol kMissing;
    return kMissing;
  }
  // The n-th instruction that is neither a label nor a .loc.
  const Instruction& instruction(size_t n = 0) const {
    for (const Instruction& each : function(module().functions.size() - 1).body)
      if (each.op != Op::kLabel && each.op != Op::kLoc && n-- == 0) return each;
    ADD_FAILURE() << "no such instruction";
    static const Instruction kMissing;
    return kMissing;
  }
  const Operand& operand(size_t instruction_index, size_t index) const {
    return module().operands_of(instruction(instruction_index))[index];
  }
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string error_of(const std::string& text) { return Parsed(text).message(); }

} // namespace ptxshim::ptx
