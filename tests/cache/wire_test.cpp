// SPDX-License-Identifier: MIT
// The wire form: what is written comes back; whatever else is read is an error and nothing worse.
#include "wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace ptxshim {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

KernelInfo sample_kernel() {
  KernelInfo kernel;
  kernel.name = "add";
  kernel.error = "in.ptx:3:1: no such instruction";
  kernel.error_code = CUDA_ERROR_INVALID_PTX;
  kernel.parameters = {{0, 8, 8}, {8, 4, 4}, {16, 64, 16}};
  kernel.parameter_bytes = 80;
  kernel.static_shared_bytes = 1;
  kernel.dynamic_shared_alignment = 2;
  kernel.private_bytes = 3;
  kernel.vgprs = 4;
  kernel.sgprs = 5;
  kernel.vgpr_spills = 6;
  kernel.sgpr_spills = 7;
  kernel.wave_size = 64;
  kernel.max_threads = 256;
  kernel.required_threads[0] = 8;
  kernel.required_threads[1] = 9;
  kernel.required_threads[2] = 10;
  kernel.constant_bytes = 11;
  kernel.uses_dynamic_stack = true;
  kernel.ptx_version = 83;
  kernel.sm_version = 90;
  return kernel;
}

CodeObject sample_code_object() {
  CodeObject code;
  code.target = "gfx1030";
  code.elf = bytes_of(std::string_view("\x7f"
                                       "ELF\0\1\2",
                                       7));
  code.kernels = {sample_kernel(), KernelInfo{}};
  code.variables = {{"table", 1ull << 40, 16, VariableSpace::Const}, {"m", 4, 4, VariableSpace::Managed}};
  code.info_log = "info";
  code.translation_ns = 0x0123456789abcdef;
  return code;
}

TranslateRequest sample_request() {
  TranslateRequest request;
  request.modules = {".version 8.0", std::string("a\0b", 3)};
  request.target = "gfx1100";
  request.code_object_version = 4;
  request.optimisation = 2;
  request.debug_info = true;
  request.max_registers = 32;
  request.wave_size = 64;
  request.kernels = {"x", ""};
  request.name = "file.ptx";
  request.names = {"a.cu", "", "c.cu"};
  return request;
}

// Little-endian layout, spelt out for the smallest message: magic, version, then an Error behind the flag 0.
TEST(Wire, ReplyLayoutIsTheDocumentedOne) {
  const auto bytes = encode_reply(Error{CUDA_ERROR_INVALID_PTX, "ab"});
  EXPECT_EQ(bytes, bytes_of(std::string_view("PXRP\3\0\0\0\0\xda\0\0\0\2\0\0\0\0\0\0\0ab", 23)));
}

TEST(Wire, RequestComesBackWhole) {
  const TranslateRequest in = sample_request();
  auto out = decode_translate_request(encode(in));
  ASSERT_TRUE(out.ok()) << out.error().message;
  EXPECT_EQ(out->modules, in.modules);
  EXPECT_EQ(out->target, "gfx1100");
  EXPECT_EQ(out->code_object_version, 4u);
  EXPECT_EQ(out->optimisation, 2u);
  EXPECT_TRUE(out->debug_info);
  EXPECT_EQ(out->max_registers, 32u);
  EXPECT_EQ(out->names, in.names);
  EXPECT_EQ(out->wave_size, 64u);
  EXPECT_EQ(out->kernels, in.kernels);
  EXPECT_EQ(out->name, "file.ptx");
}

TEST(Wire, CodeObjectComesBackWhole) {
  const CodeObject in = sample_code_object();
  auto out = decode_code_object(encode(in));
  ASSERT_TRUE(out.ok()) << out.error().message;
  EXPECT_EQ(out->target, in.target);
  EXPECT_EQ(out->elf, in.elf);
  ASSERT_EQ(out->kernels.size(), 2u);
  const KernelInfo& kernel = out->kernels[0];
  EXPECT_EQ(kernel.name, "add");
  EXPECT_EQ(kernel.error_code, CUDA_ERROR_INVALID_PTX);
  ASSERT_EQ(kernel.parameters.size(), 3u);
  EXPECT_EQ(kernel.parameters[2].size, 64u);
  EXPECT_EQ(kernel.required_threads[1], 9u);
  EXPECT_TRUE(kernel.uses_dynamic_stack);
  EXPECT_EQ(kernel.sm_version, 90u);
  ASSERT_EQ(out->variables.size(), 2u);
  EXPECT_EQ(out->variables[0].size, 1ull << 40);
  EXPECT_EQ(out->variables[0].space, VariableSpace::Const);
  EXPECT_EQ(out->translation_ns, 0x0123456789abcdefu);
  EXPECT_EQ(encode(*out), encode(in)); // and so for every member that is not named above
}

TEST(Wire, RepliesCarryEither) {
  auto good = decode_reply(encode_reply(sample_code_object()));
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->target, "gfx1030");
  auto bad = decode_reply(encode_reply(Error{CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "version 99.0"}));
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(bad.error().message, "version 99.0");
}

TEST(Wire, EveryTruncationIsAnError) {
  const auto code = encode(sample_code_object());
  for (size_t size = 0; size < code.size(); ++size)
    EXPECT_FALSE(decode_code_object(std::span(code).first(size)).ok()) << size;
  const auto request = encode(sample_request());
  for (size_t size = 0; size < request.size(); ++size)
    EXPECT_FALSE(decode_translate_request(std::span(request).first(size)).ok()) << size;
  const auto reply = encode_reply(sample_code_object());
  for (size_t size = 0; size < reply.size(); ++size) {
    auto out = decode_reply(std::span(reply).first(size));
    ASSERT_FALSE(out.ok()) << size;
    EXPECT_THAT(out.error().message, testing::HasSubstr("reply"));
  }
}

TEST(Wire, TrailingBytesAreAnError) {
  auto bytes = encode(sample_request());
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(decode_translate_request(bytes).ok());
}

TEST(Wire, KindsAreNotMixedUp) {
  EXPECT_FALSE(decode_code_object(encode(sample_request())).ok());
  EXPECT_FALSE(decode_translate_request(encode(sample_code_object())).ok());
  EXPECT_FALSE(decode_reply(encode(sample_code_object())).ok());
}

TEST(Wire, AnErrorOfSuccessIsRefused) {
  EXPECT_EQ(decode_reply(encode_reply(Error{CUDA_SUCCESS, "?"})).error().code, CUDA_ERROR_INVALID_IMAGE);
}

TEST(Wire, HugeLengthsCostNothing) {
  auto bytes = encode(sample_request()); // after the head: the count of modules, then the first one's length
  for (size_t at : {8u, 16u})
    for (size_t i = 0; i < 8; ++i) {
      auto hostile = bytes;
      for (size_t j = 0; j <= i; ++j)
        hostile[at + j] = std::byte{0xff};
      EXPECT_FALSE(decode_translate_request(hostile).ok());
    }
}

// Whatever is accepted must be a message that writes back as the very bytes that were read.
TEST(Wire, RandomDamageIsRefusedOrHarmless) {
  std::mt19937 random(1);
  const auto code = encode(sample_code_object());
  const auto request = encode(sample_request());
  size_t refused = 0;
  for (int round = 0; round < 20000; ++round) {
    auto a = code;
    auto b = request;
    for (int i = 0, changes = 1 + round % 4; i < changes; ++i) {
      a[random() % a.size()] = static_cast<std::byte>(random());
      b[random() % b.size()] = static_cast<std::byte>(random());
    }
    if (auto out = decode_code_object(a); out.ok())
      EXPECT_EQ(encode(*out), a);
    else
      ++refused;
    if (auto out = decode_translate_request(b); out.ok())
      EXPECT_EQ(encode(*out), b);
    else
      ++refused;
    (void)decode_reply(a);
  }
  EXPECT_GT(refused, 1000u);
}

TEST(BuildId, NamesLlvmAndIsStable) {
  EXPECT_THAT(translator_build_id(), testing::MatchesRegex("[0-9a-f]+-llvm[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_STREQ(translator_build_id(), translator_build_id());
}

} // namespace
} // namespace ptxshim
