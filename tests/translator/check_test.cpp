// SPDX-License-Identifier: MIT
// The checker with the forms of all instructions. Whether a line is right was asked of NVIDIA's ptxas 13.0 for each of them.
#include "parsing.h"

namespace ptxshim::ptx {
namespace {

std::string module_with(const std::string& body) {
  return ".version 8.7\n.target sm_90\n.address_size 64\n"
         ".global .u32 g[10]; .const .u32 cc[4]; .shared .u32 sh[4];\n"
         ".func (.param .b32 r0) ff(.param .b32 p0) { .reg .b32 %z; ld.param.b32 %z, [p0]; st.param.b32 [r0], %z; ret; }\n"
         ".visible .entry k(.param .u64 p, .param .u32 q) {\n"
         ".reg .u32 %u<5>; .reg .u64 %d<4>; .reg .s32 %s<4>; .reg .b32 %b<4>; .reg .b64 %bd<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>;\n"
         ".reg .pred %p<4>; .reg .u16 %h<4>; .reg .b16 %bh<4>; .reg .f16 %fh<4>; .reg .f16x2 %hh<3>; .reg .u8 %uo<3>; .local .u32 lo[4];\n" +
         body + "\nret;\n}\n";
}

// clang-format off
constexpr const char* kRight[] = {
    "mov.u32 %u1, sh;",
    "mov.u32 %u1, cc;",
    "mov.b32 %f1, %tid.x;",
    "mov.f32 %b1, %f1;",
    "mov.b64 %bd1, 1.0;",
    "add.f32 %f1, %f2, 0d3ff0000000000000;",
    "add.f64 %fd1, %fd2, 0f3f800000;",
    "add.f32 %b1, %b2, %f1;",
    "and.b32 %f1, %f2, %u1;",
    "add.u32 %b1, %s1, %u1;",
    "add.u32 %u1, %u2, %hh1;",
    "add.f16 %bh1, %fh1, %fh1;",
    "add.f16x2 %hh1, %b1, %b2;",
    "selp.b32 %u1, %u2, %u3, 1;",
    "vote.sync.all.pred %p1, 1, 0xffffffff;",
    "and.pred %p1, %p2, 1;",
    "setp.eq.u32 _|%p1, %u1, %u2;",
    "setp.eq.u32 _, %u1, %u2;",
    "ld.u32 %u1, [g];",
    "ld.shared.u32 %u1, [%u1];",
    "ld.shared.u32 %u1, [%d1];",
    "ld.const.u32 %u1, [%u1];",
    "ld.local.u32 %u1, [%u1];",
    "ld.param.u32 %u1, [%u1];",
    "ld.global.f32 %b1, [%d1];",
    "ld.global.f32 %bd1, [%d1];",
    "ld.global.b32 %f1, [%d1];",
    "ld.global.b32 %fd1, [%d1];",
    "ld.global.b16 %f1, [%d1];",
    "ld.global.u8 %uo1, [%d1];",
    "ld.global.b16 %fh1, [%d1];",
    "ld.global.b32 %hh1, [%d1];",
    "st.global.u8 [%d1], 300;",
    "st.global.u32 [%d1], 0x1ffffffff;",
    "st.global.f32 [%d1], 1.0;",
    "st.global.u32 [%d1], %d1;",
    "st.global.v2.u32 [%d1], {%u1, 5};",
    "ld.global.v2.u32 {%u1, _}, [%d1];",
    "cvt.u8.u32 %u1, %u2;",
    "cvt.u32.u64 %u1, 5;",
    "cvt.u32.u32 %u1, %tid.x;",
    "cvt.u64.u32 %d1, %clock64;",
    "cvt.rn.f32.s32 %f1, %d1;",
    "cvt.rn.f16.f32 %b1, %f1;",
    "mov.b64 {%u1, _}, %d1;",
    "mov.b64 %d1, {%u1, 5};",
    "mov.b32 {%h1,%h2}, 7;",
    "mul.wide.u16 %b1, %h1, %h2;",
    "mul.wide.u32 %d1, %u1, 5;",
    "shl.b32 %u1, %u2, %s1;",
    "shl.b32 %u1, %u2, %b1;",
    "atom.global.add.u32 _, [%d1], 1;",
    "setp.eq.b32 %p1, %f1, %f2;",
    "setp.eq.s32 %p1, %u1, %b1;",
    "call (%u1), ff, (%u2);",
    "call (%u1), ff, (5);",
    "call (_), ff, (5);",
    "mov.pred %p1, 1;",
    "mov.pred %p1, %p2;",
    "selp.f32 %f1, %f2, 1.0, %p1;",
    "selp.b32 %f1, %f2, 0f3f800000, %p1;",
    "slct.u32.f32 %u1, %u2, %u3, %b1;",
    "cvta.to.global.u64 %d1, %d2;",
    "cvta.global.u64 %d1, g;",
    "cvta.to.global.u64 %bd1, %bd2;",
    "prmt.b32 %u1, %u2, %f1, 0x10;",
    "bar.sync %u1;",
    "lop3.b32 %u1, %u2, %u3, %u4, 256;",
    "abs.s32 %u1, %b2;",
    "fma.rn.f32 %f1, %f1, %f2, 2.0;",
    "mov.b16 %h1, 0x3C00;",
    "mov.b16 %fh1, %h1;",
    "mov.b32 %hh1, %u1;",
    "add.u32 %u1, %u2, -1;",
    "add.u32 %u1, %u2, 0x100000000;",
    "add.u32 %u1, %u2, WARP_SZ;",
    "mov.u64 %d1, k;",
    "mov.u64 %d1, ff;",
    "mov.u32 %u1, ff;",
    "mov.u64 %d1, p;",
    "mov.u32 %u1, lo;",
    "red.global.add.f32 [%d1], 1.0;",
    "atom.global.cas.b32 %u1, [%d1], %u1, %u2;",
    "atom.global.exch.b32 %f1, [%d1], %f2;",
    "popc.b64 %u1, %fd1;",
    "mov.v4.u32 {%u1, %u2, %u3, %u4}, %tid;",
    "mov.v2.f32 {%f1, %f2}, {%f2, %f1};",
    "mov.v2.u64 {%d1, _}, {%d2, 7};",
    "ld.global.u32 %u1, g[4];",
    "ld.global.u32 %u1, g[%u2];",
    "ld.global.u32 %u1, g[%d2+1];",
    "ld.shared.u32 %u1, sh[%h1];",
    "mov.u64 %d1, g[1];",
    "ld.global.v2.b32 {%f2, %b1}, [%d1];",
    "st.global.v2.u32 [%d1], {7, %b1};",
    "ld.u32 %u1, [lo];",
    "bar.sync 15, 64;",
    "pmevent 15;",
    "ld.global.u32 %u1, [%d1+-4];",
    "{ .reg .v4 .u32 %v; mov.v4.u32 %v, %tid; }",
    "ld.global.v2.u32 {%f1, %b1}, [%d1];",
    "ld.global.v2.f32 {%u1, %s1}, [%d1];",
    "st.global.v2.s32 [%d1], {%b1, %f1};",
};
constexpr const char* kWrong[] = {
    "add.u32 _, %u1, %u2;",
    "ld.global.u32 _, [g];",
    "add.u32 %u1, g, 4;",
    "add.u64 %d1, g, 4;",
    "st.global.u64 [%d1], g;",
    "mov.u32 %u1, g;",
    "mov.u64 %d1, %tid.x;",
    "mov.u32 %u1, %clock64;",
    "mov.f32 %f1, %tid.x;",
    "mov.u32 %f1, %u1;",
    "mov.f32 %u1, %f1;",
    "mov.u32 %u1, %f1;",
    "mov.u32 %d1, %u1;",
    "mov.f32 %f1, 1;",
    "mov.u32 %u1, 1.0;",
    "mov.b32 %u1, 1.0;",
    "mov.b64 %bd1, 0f3f800000;",
    "mov.u64 %d1, 0f3f800000;",
    "add.f32 %f1, %f2, 1;",
    "add.f32 %b1, %u2, %f1;",
    "add.f16 %h1, %fh1, %fh1;",
    "add.f16 %fh1, %fh1, 1.0;",
    "add.f16x2 %u1, %b1, %b2;",
    "add.u16x2 %u1, %b1, %s2;",
    "ld.shared.u32 %u1, [g];",
    "ld.global.u32 %u1, [%u1];",
    "ld.u32 %u1, [%u1];",
    "ld.global.u32 %u1, [%f1];",
    "ld.global.u32 %u1, [%fd1];",
    "ld.global.u32 %u1, [%s1];",
    "ld.global.u8 %f1, [%d1];",
    "ld.global.f32 %u1, [%d1];",
    "ld.global.f32 %fd1, [%d1];",
    "ld.global.f32 %d1, [%d1];",
    "ld.global.u32 %f1, [%d1];",
    "ld.global.u64 %u1, [%d1];",
    "ld.global.u16 %fh1, [%d1];",
    "st.global.f32 [%d1], 1;",
    "st.global.b32 [%d1], 1.0;",
    "st.global.u32 [g], g;",
    "ld.global.v2.u32 {%u1}, [%d1];",
    "ld.global.v2.u32 %d1, [%d1];",
    "cvt.u32.f32 %u1, %f1;",
    "cvt.f32.u32 %b1, %u2;",
    "cvt.f32.u32 %d1, %u2;",
    "cvt.f32.u32 %bd1, %u2;",
    "mov.b64 {%u1, %h1}, %d1;",
    "shl.b32 %u1, %u2, %d1;",
    "shl.b32 %u1, %u2, %f1;",
    "shl.b64 %d1, %d2, %h1;",
    "atom.global.add.u32 %u1, [%d1], %f1;",
    "@%u1 bra L; L:",
    "@!1 bra L; L:",
    "bra L;",
    "call ff;",
    "mov.u32 %p1, %p2;",
    "selp.u32 %u1, %u2, %f3, %p1;",
    "cvta.global.u64 %d1, sh;",
    "cvta.global.u32 %u1, %u2;",
    "add.s32 5, %u1, %u2;",
    "add.s32 %u1, %u2;",
    "mov.u16 %fh1, %h1;",
    "mov.f16 %fh1, %fh2;",
    "mov.b16 %bh1, 1.0;",
    "add.u32 %u1, %u2, sh;",
    "mov.b32 %f1, g;",
    "clz.b32 %f1, %u1;",
    "ex2.approx.f32 %f1, %u1;",
    ";",
    "mov.f64 %fd1, 1e400;",
    "cvt.rn.bf16x2.f32 %f1, %f2, %f3;",
    "cvt.rna.tf32.f32 %f1, %f2;",
    "add.bf16x2 %hh1, %hh2, %hh0;",
    "ld.global.v2.u16 {%h1, %u1}, [%d1];",
    "ld.global.v2.b32 {%f2, %u1}, [%d1];",
    "ld.global.v2.u32 {%f1, %f2}, [%d1];",
    "st.global.v2.f32 [%d1], {%u1, 0f00000000};",
    "ld.global.L2::cache_hint.u32 %u1, [%d1], -2.5;",
    "redux.sync.add.u32 %u1, %u2, %f1;",
    "testp.finite.f64 _, %fd1;",
    "cvt.rna.tf32.f32 %d1, %f1;",
    "cvt.rn.satfinite.e4m3x2.f32 %b1, %f1, %f2;",
    "cvt.rn.f16x2.e4m3x2 %b1, 5;",
    "st.global.v2.b32 [%d1], {%f2, 5};",
    "ld.global.v2.u32 {_, _}, [%d1];",
    "mov.b64 %d1, {%u1, %f1};",
    "mov.v2.u32 {%u1, %u2}, %tid;",
    "bar.sync 16;",
    "bar.sync 0, 33;",
    "bar.sync WARP_SZ;",
    "discard.L2 [%d1], 64;",
    "pmevent 16;",
    "add.u16x2 %b1, %b2, 0;",
    "vadd2.u32.u32.u32 %u1, %u2, %u3, 5;",
    "lop3.b32 %u1, %u1, %u2, %u3, %u4;",
    "ld.global.u32 %u1, [g-4];",
    "ld.global.u32 %u1, [%d1-4];",
    "setp.eq.u32 _|_, %u1, %u2;",
    "add.s32 %s1, -%s2, %s1;",
    "ld.param.u32 %u1, q[0];",
    "ld.u32 %u1, [q];",
    "ld.u32 %u1, [cc];",
    "st.param.u32 [q], 1;",
    ".reg .u32 %u1;",
    "mul.u32.lo %u1, %u1, %u1;",
    "cvta.global.to.u64 %d1, %d1;",
    "bar.sync.warp 1;",
};
// clang-format on

TEST(Check, what_ptxas_takes) {
  for (const char* line : kRight) {
    const Parsed parsed(module_with(line));
    EXPECT_TRUE(parsed.ok()) << parsed.message();
    if (!parsed.ok()) continue;
    EXPECT_EQ(parsed.function(1).error, "") << line;
  }
}

TEST(Check, comparisons_without_meaning_are_named) {
  EXPECT_THAT(error_of(module_with("setp.lt.b32 %p1, %u1, %u2;")), testing::HasSubstr("setp.lt.b32: .lt and .b32 exclude each other"));
  EXPECT_THAT(error_of(module_with("setp.lo.s32 %p1, %u1, %u2;")), testing::HasSubstr(".lo and .s32"));
  EXPECT_THAT(error_of(module_with("setp.eq.ftz.f64 %p1, %fd1, %fd2;")), testing::HasSubstr(".ftz and .f64"));
}

TEST(Check, forms_that_ended_with_an_old_version) {
  EXPECT_THAT(error_of(module_with("div.f32 %f1, %f1, %f2;")), testing::HasSubstr("ended with PTX version 1.4"));
  const Parsed old(".version 1.3\n.target sm_13\n.entry k() { .reg .f32 f; div.f32 f, f, f; sin.f32 f, f; exit; }");
  EXPECT_TRUE(old.ok()) << old.message();
}

// ptxas scales the index by the scalar's size, adds the constant to the index first, and takes it as unsigned.
TEST(Check, an_array_indexed_by_a_register_becomes_its_address) {
  const Parsed parsed(kHead + ".global .v2 .f32 g[4];\n.entry k() { .reg .b32 %r<2>; .reg .f32 %f<2>; ld.global.f32 %f1, g[%r1+3]; ret; }");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_THAT(print(parsed.module()), testing::HasSubstr("cvt.u64.u32 %element, %r1;\n  mov.u64 %element_1_, g;\n"
                                                "  mad.lo.u64 %element_1_, %element, 4, %element_1_;\n  ld.global.f32 %f1, [%element_1_+12];"));
}

TEST(Check, what_ptxas_refuses) {
  for (const char* line : kWrong) EXPECT_FALSE(Parsed(module_with(line)).ok()) << line;
}

} // namespace
} // namespace ptxshim::ptx
