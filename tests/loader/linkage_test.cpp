// SPDX-License-Identifier: MIT
#include "linkage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fatbin_builder.h"

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

// An object file, or a library of several: the fat binaries lie somewhere in it.
TEST(Linkage, ObjectsAndLibrariesGiveTheirPtx) {
  using testing_support::Bytes;
  const auto fatbin = [](const std::string& text, const std::string& identifier) {
    testing_support::EntrySpec entry;
    entry.text = text;
    entry.header_size = 128;
    entry.identifier = identifier;
    entry.packing = testing_support::Packing::Zstd;
    return testing_support::make_fatbin({entry});
  };
  const Bytes first = fatbin(".version 8.0 // one", "one.cu"), second = fatbin(".version 8.0 // two", "two.cu");
  const std::string archive = "!<arch>\nmember          ";
  Bytes library(archive.size());
  std::memcpy(library.data(), archive.data(), archive.size());
  testing_support::put<uint32_t>(library, library.size() + 2, 0xba55ed50); // the magic number alone
  library.resize(library.size() + 40);
  library.insert(library.end(), first.begin(), first.end());
  library.resize(library.size() + 6);
  library.insert(library.end(), second.begin(), second.end());
  const auto modules = read_objects(library, 80);
  ASSERT_TRUE(modules.ok()) << modules.error().message;
  ASSERT_EQ(modules->size(), 2u);
  EXPECT_EQ((*modules)[0].text, ".version 8.0 // one");
  EXPECT_EQ((*modules)[1].identifier, "two.cu");

  Bytes object(64);
  testing_support::put<uint32_t>(object, 0, 0x464c457f);
  testing_support::put<uint16_t>(object, 18, 62);
  EXPECT_EQ(read_objects(object, 80).error().code, CUDA_ERROR_INVALID_IMAGE);
  object.insert(object.end(), first.begin(), first.end());
  ASSERT_TRUE(read_objects(object, 80).ok());
  for (size_t size = 0; size < library.size(); ++size) // every cut ends somehow
    (void)read_objects(std::span<const std::byte>(library).first(size), 80);
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
