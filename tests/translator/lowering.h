// SPDX-License-Identifier: MIT
// Helpers for tests of the lowering: kernels around a body, translated to LLVM IR, assembly or a code object.
#pragma once

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lower/translator.h"

namespace lowering {

using ptxshim::CodeObject;
using ptxshim::KernelInfo;
using ptxshim::Result;
using ptxshim::TranslateRequest;
using ptxshim::ptx::Emit;

inline std::string module_of(const std::string& text) { return ".version 8.0\n.target sm_80\n.address_size 64\n" + text; }

// A kernel with registers of every kind and two pointer parameters.
inline std::string kernel(const std::string& body, const std::string& name = "k") {
  return ".visible .entry " + name +
         "(.param .u64 in, .param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n"
         ".reg .f32 %f<8>;\n.reg .f64 %d<4>;\nld.param.u64 %rd0, [in];\nld.param.u64 %rd1, [out];\n" +
         body + "\nret;\n}\n";
}

inline TranslateRequest request(const std::string& module, const std::string& target = "gfx1030") {
  TranslateRequest made;
  made.modules = {module};
  made.target = target;
  made.name = "test.ptx";
  return made;
}

inline std::string emitted(const TranslateRequest& r, Emit emit) {
  std::string text;
  const Result<CodeObject> result = ptxshim::ptx::translate_to(r, emit, text);
  EXPECT_TRUE(result.ok()) << (result ? "" : result.error().message);
  if (!result) return text;
  for (const KernelInfo& each : result->kernels) {
    EXPECT_EQ(each.error, "");
  }
  return text;
}

inline std::string ir(const std::string& module, const std::string& target = "gfx1030") {
  return emitted(request(module, target), Emit::Ir);
}
inline std::string assembly(const std::string& module, const std::string& target = "gfx1030") {
  return emitted(request(module, target), Emit::Assembly);
}

inline CodeObject translated(const TranslateRequest& r) {
  Result<CodeObject> result = ptxshim::translate(r);
  EXPECT_TRUE(result.ok()) << (result ? "" : result.error().message);
  return result ? std::move(result).value() : CodeObject{};
}

inline const KernelInfo& info(const CodeObject& object, const std::string& name) {
  static const KernelInfo kNone;
  for (const KernelInfo& each : object.kernels)
    if (each.name == name) return each;
  ADD_FAILURE() << "no kernel " << name;
  return kNone;
}

} // namespace lowering
