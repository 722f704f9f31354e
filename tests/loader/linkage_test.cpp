// SPDX-License-Identifier: MIT
#include "linkage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxshim::loader {
namespace {

std::string described(std::string_view text) {
  std::string result;
  for (const ModuleSymbol& symbol : module_symbols(text)) {
    static constexpr const char* kLinkages[] = {"local", "extern", "visible", "weak"};
    result += std::string(kLinkages[static_cast<size_t>(symbol.linkage)]) +
              (symbol.function ? " func " : " ") + symbol.name + "; ";
  }
  return result;
}

TEST(Linkage, FunctionsKernelsVariables) {
  EXPECT_EQ(
      described(
          ".version 8.0\n.target sm_80\n.address_size 64\n"
          ".extern .func  (.param .b32 func_retval0) _Z6helperi\n(\n.param .b32 _Z6helperi_param_0\n)\n;\n"
          ".visible .global .align 4 .u32 counter;\n"
          ".const .align 4 .b8 table[8] = {1, 2, 3};\n"
          ".visible .entry _Z1kPi(\n.param .u64 p\n)\n.maxntid 256, 1, 1\n{\n.reg .b32 %r<3>;\nret;\n}\n"
          ".weak .func g()\n{\n{ .local .b8 x; }\nret;\n}\n"
          ".func f;\n"),
      "extern func _Z6helperi; visible counter; local table; visible _Z1kPi; weak func g; local func f; ");
}

TEST(Linkage, CommentsAndStringsHideNothing) {
  EXPECT_EQ(described("/* .visible .func a(); */ // .visible .func b();\n"
                      ".file 1 \"x;{.cu\"\n.visible .func c() { // }\n/* } */ ret; }\n.visible .func d();"),
            "visible func c; visible func d; ");
}

TEST(Linkage, BrokenTextsEnd) {
  for (const char* text : {"", "{", "{{{", "}", "/*", "//", "\"", ".func", ".func (", ".func (((", "{ \"",
                           "{ /", "{ /*", ".visible .func f", ";;;;", ".func )))) f;", "{/}", "{ // }"})
    (void)module_symbols(text);
  EXPECT_EQ(described(".func ) f() ;"), "local func f; ");
}

TEST(Linkage, OnlyAnUnusedDeviceRuntimeIsDropped) {
  const auto module = [](const char* text) {
    PtxImage image;
    image.text = text;
    return image;
  };
  const char* const kRuntime =
      ".visible .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 a) { ret; }";
  std::vector<PtxImage> alone{module(kRuntime)};
  drop_unused_device_runtime(alone);
  EXPECT_EQ(alone.size(), 1u); // asked for by itself
  std::vector<PtxImage> unused{module(kRuntime), module(".visible .entry k() { ret; }")};
  drop_unused_device_runtime(unused);
  ASSERT_EQ(unused.size(), 1u);
  EXPECT_THAT(unused[0].text, testing::HasSubstr("entry k"));
  std::vector<PtxImage> used{module(".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 a);"),
                             module(kRuntime)};
  drop_unused_device_runtime(used);
  EXPECT_EQ(used.size(), 2u);
  std::vector<PtxImage> library{module(".visible .func helper() { ret; }"),
                                module(".visible .entry k() { ret; }")};
  drop_unused_device_runtime(library);
  EXPECT_EQ(library.size(), 2u);
}

} // namespace
} // namespace ptxshim::loader
