// SPDX-License-Identifier: MIT
// Printing: what is printed parses, and prints the same again.
#include "parsing.h"

namespace ptxshim::ptx {
namespace {

std::string printed(const Parsed& parsed) {
  EXPECT_TRUE(parsed.ok()) << parsed.message();
  return parsed.ok() ? print(parsed.module()) : std::string();
}

void expect_round_trip(const std::string& text) {
  const Parsed first(text);
  const std::string once = printed(first);
  const Parsed second(once);
  EXPECT_EQ(printed(second), once);
}

TEST(Print, a_small_module) {
  const Parsed parsed(kHead + ".global .u32 g[2] = {1, 2};\n.visible .entry k(.param .u32 n)\n{ .reg .b32 %r<3>; .reg .pred p; "
                              "ld.param.u32 %r1, [n]; setp.eq.u32 p, %r1, 0; @!p bra L; add.u32 %r2, %r1, -1; L: ret; }");
  EXPECT_EQ(printed(parsed), ".version 8.0\n.target sm_80\n.address_size 64\n\n"
                             ".global .align 4 .u32 g[2] = {1, 2};\n\n"
                             ".visible .entry k(.param .align 4 .u32 n)\n{\n"
                             "  .reg .pred p;\n  .reg .b32 %r<3>;\n"
                             "  ld.param.u32 %r1, [n];\n  setp.eq.u32 p, %r1, 0;\n  @!p bra L;\n  add.u32 %r2, %r1, -1;\nL:\n  ret;\n}\n");
}

TEST(Print, operands_of_every_kind) {
  expect_round_trip(kernel("mov.u32 %r1, %tid.x;\nmov.f32 %f1, 0fBF800000;\nmov.f64 %fd1, 1.5;\nld.global.v4.f32 {%f1, _, %f2, %f3}, [%d1+-8];\n"
                           "mov.f32 %v.y, %v.x;\nsetp.eq.u32 _|%p2, %r1, WARP_SZ;\nselp.u32 %r1, 1, 0, !%p1;\nmov.b64 {%r1, _}, %d1;\n"
                           "vadd.u32.s32.u32.sat %r1, %r2.b0, -%r3.h1, %r1;\nld.local.u32 %r1, [64];\nmov.u64 %d1, -9223372036854775808;"));
  expect_round_trip(kHead + ".global .texref t;\n.entry k() { .reg .b32 %r<4>; .reg .f32 %f<5>; tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1, %r2}]; }");
}

TEST(Print, names_that_hid_one_another_get_apart) {
  expect_round_trip(kernel("mov.u32 %r1, 1;\n{ .reg .b32 %r<4>; .reg .b32 x; mov.u32 %r1, 2; { .reg .b64 x; .reg .b64 %r<3>; mov.u64 %r1, 3; mov.u64 x, 4; } mov.u32 x, 5; }\n"
                           "mov.u32 %r1, 6;\nL: { L: bra L; } bra L;\n{ .shared .u32 s; } { .shared .u64 s; }"));
  expect_round_trip(kHead + ".global .u32 g;\n.entry k() { .reg .b64 %d<2>; mov.u64 %d1, g; { .reg .b64 g; mov.u64 g, 1; } }");
}

TEST(Print, declarations) {
  expect_round_trip(kHead + ".extern .func (.param .b32 r) e(.param .b64 a, .param .b8 v[]);\n.func f() .noreturn;\n"
                            ".visible .global .attribute(.managed) .u32 m = 5;\n.extern .shared .align 16 .b8 dynamic[];\n.common .global .u32 c;\n"
                            ".global .u64 p[3] = {generic(m)+4, f, m};\n.global .u8 b[2] = {0xFF(m), 0xFF00(m)};\n.global .f32 x[2][2] = {{1.0, 2.0}, {0.0, 3.0}};\n"
                            ".global .v2 .f64 w = {1.0, -2.0};\n.const .f32 z[4] = {0.0};\n.global .b64 n = -1;\n"
                            ".func g();\n.func f() .noreturn { call g; ret; }\n.func g() { call f; ret; }\n.func h();\n.alias h, g;\n"
                            ".entry k(.param .u64 .ptr .global .align 8 a) .maxntid 1, 2, 3 .minnctapersm 4 .maxnreg 5 .pragma \"q\"; { ret; }");
}

TEST(Print, tables_and_calls) {
  expect_round_trip(kHead + ".func (.param .b32 r) f(.param .b32 a) { ret; }\n.entry k() { .reg .b32 %r<3>; .reg .b64 %d<3>;\n"
                            "t: .branchtargets A, B; u: .calltargets f; q: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16]) .noreturn;\n"
                            "brx.idx %r1, t; A: call (%r1), f, (5); B: call.uni (_), %d1, (%r1), u;\n.param .align 8 .b8 x[16]; call (%r1), %d1, (x), q; ret; }");
}

TEST(Print, debug_positions) {
  expect_round_trip(kHead + ".file 1 \"a.cu\"\n.entry k() {\n.loc 1 2 3\nret; }");
  expect_round_trip(kHead + ".file 1 \"a.cu\"\n.entry k() {\n.loc 1 2 3\n.loc 1 5 6, function_name $s+1, inlined_at 1 2 3\nret; }\n"
                            ".section .debug_str\n{\n$s:\n.b8 95,102,0\n$t:\n.b16 0x4142\n}");
}

TEST(Print, every_module_of_the_data_folder) {
  size_t count = 0;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(PTXSHIM_TEST_DATA)) {
    if (entry.path().extension() != ".ptx") continue;
    SCOPED_TRACE(entry.path().filename().string());
    expect_round_trip(read_file(entry.path()));
    ++count;
  }
  EXPECT_GT(count, 0u);
}

} // namespace
} // namespace ptxshim::ptx
