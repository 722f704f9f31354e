// SPDX-License-Identifier: MIT
// Messages: where, what, the line and a caret, up to 20 of them.
#include "parsing.h"

namespace ptxshim::ptx {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Errors, file_line_column_text_and_caret) {
  const Parsed parsed(kernel("mov.u32 %r1, 1;\n  add.u32 %r1, missing, 1;"));
  EXPECT_EQ(parsed.message(), "test.ptx:8:16: error: 'missing' is not declared\n  add.u32 %r1, missing, 1;\n               ^");
}

TEST(Errors, a_nameless_module) {
  const Result<Module> result = parse_module("nonsense", "");
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, StartsWith("PTX:1:1: error: "));
  EXPECT_EQ(result.error().code, CUDA_ERROR_INVALID_PTX);
}

TEST(Errors, suggestions) {
  EXPECT_THAT(error_of(kernel("ad.u32 %r1, %r1, 1;")), HasSubstr("unknown instruction 'ad' (did you mean 'add'?)"));
  EXPECT_THAT(error_of(kernel("add.u23 %r1, %r1, 1;")), HasSubstr("did you mean '.u32'?"));
  EXPECT_THAT(error_of(kernel(".reg .b32 count; mov.u32 cuont, 1;")), HasSubstr("did you mean 'count'?"));
  EXPECT_THAT(error_of(kHead + ".gloabl .u32 x;"), HasSubstr("unknown directive '.gloabl' (did you mean '.global'?)"));
  EXPECT_THAT(error_of(kernel("loop: bra lop;")), HasSubstr("'lop' is neither a label of this function nor declared"));
}

TEST(Errors, all_of_a_module_are_listed) {
  const Parsed parsed(kernel("add.u32 %r1, a, 1;\nmov.u32 %r2, 1;\nfrob;\nld.global.u32 {%r1, %r2, [%d1];\nmov.u32 %r1 1;") + ".global .u33 x;\n");
  const std::string message = parsed.message();
  EXPECT_THAT(message, HasSubstr("test.ptx:7:14: error: 'a' is not declared"));
  EXPECT_THAT(message, HasSubstr("test.ptx:9:1: error: unknown instruction 'frob'"));
  EXPECT_THAT(message, HasSubstr("test.ptx:10:"));
  EXPECT_THAT(message, HasSubstr("test.ptx:11:13: error: "));
  EXPECT_THAT(message, HasSubstr("test.ptx:14:9: error: a type is expected, found '.u33'"));
}

TEST(Errors, one_mistake_gives_one_message) {
  for (const char* body : {"add.u32 %r1, {%r1, %r2}, 1;\nmov.u32 %r1, 1;", "frob {%r1, %r2}, [%d1];", "mov.u32 %r1 {%r1, 5};", "@%p9 mov.u32 %r1, 1;"}) {
    const std::string message = error_of(kernel(body));
    EXPECT_EQ(message.find("error:"), message.rfind("error:")) << message;
    EXPECT_NE(message, "") << body;
  }
}

TEST(Errors, no_more_than_twenty) {
  std::string body;
  for (int i = 0; i < 100; ++i) body += "frob;\n";
  const std::string message = error_of(kernel(body));
  size_t count = 0;
  for (size_t at = message.find("error:"); at != std::string::npos; at = message.find("error:", at + 1)) ++count;
  EXPECT_EQ(count, 20u);
  EXPECT_THAT(message, HasSubstr("no more errors are listed"));
}

TEST(Errors, long_lines_are_cut_around_the_place) {
  const std::string message = error_of(kernel(std::string(1000, ' ') + "frob;" + std::string(1000, ' ')));
  EXPECT_LT(message.size(), 600u);
  EXPECT_THAT(message, HasSubstr("frob;"));
}

TEST(Errors, names_of_any_length_do_not_flood_the_message) {
  EXPECT_LT(error_of(kernel("mov.u32 " + std::string(1000000, 'x') + ", 1;")).size(), 1000u);
}

TEST(Errors, control_characters_do_not_reach_the_terminal) {
  const std::string message = error_of(kernel("frob \x1b[31m;"));
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

TEST(Locations, of_offsets) {
  Module module;
  module.text = "ab\ncd\n\nef";
  EXPECT_EQ(module.location(0).line, 1u);
  EXPECT_EQ(module.location(0).column, 1u);
  EXPECT_EQ(module.location(4).line, 2u);
  EXPECT_EQ(module.location(4).column, 2u);
  EXPECT_EQ(module.location(7).line, 4u);
  EXPECT_EQ(module.line_text(4), "cd");
  EXPECT_EQ(module.line_text(6), "");
  EXPECT_EQ(module.line_text(9), "ef");
}

} // namespace
} // namespace ptxshim::ptx
