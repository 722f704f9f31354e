// SPDX-License-Identifier: MIT
#include "parsing.h"
#include "syntax/keywords.h"

namespace ptxshim::ptx {
namespace {

using testing::HasSubstr;

std::string body_error(const std::string& body) { return error_of(kernel(body)); }

TEST(Operands, literals) {
  const Parsed parsed(kernel("mov.u32 %r1, -5;\nmov.f32 %f1, 0f3F800000;\nmov.f64 %fd1, 1.5;\nadd.u32 %r1, %r1, WARP_SZ;\nadd.u32 %r1, %r1, WARP_SZ*2;\nmov.u32 %r1, (1+2)*3;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.operand(0, 1).value, -5);
  EXPECT_EQ(parsed.operand(1, 1).kind, OperandKind::Float32);
  EXPECT_EQ(parsed.operand(1, 1).value, 0x3f800000);
  EXPECT_EQ(parsed.operand(2, 1).kind, OperandKind::Float64);
  EXPECT_EQ(parsed.operand(2, 1).value, 0x3ff8000000000000);
  EXPECT_EQ(parsed.operand(3, 2).kind, OperandKind::WarpSize);
  EXPECT_EQ(parsed.operand(4, 2).value, 64);
  EXPECT_EQ(parsed.operand(5, 1).value, 9);
}

TEST(Operands, addresses) {
  const Parsed parsed(kHead + ".global .u32 g[2][4];\n.entry k() { .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
                              "ld.global.u32 %r1, [%d1];\nld.global.u32 %r1, [%d1+8];\nld.global.u32 %r1, [%d1+-8];\nld.global.u32 %r1, [%d1+-8+4];\n"
                              "ld.global.u32 %r1, [g+4];\nld.global.u32 %r1, g[6];\nld.local.u32 %r1, [64];\nmov.u64 %d1, g+4;\n"
                              "ld.global.u32 %r1, [%d1].unified;\nret; }");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.operand(0, 1).kind, OperandKind::AddressRegister);
  EXPECT_EQ(parsed.operand(1, 1).value, 8);
  EXPECT_EQ(parsed.operand(2, 1).value, -8);
  EXPECT_EQ(parsed.operand(3, 1).value, -4);
  EXPECT_EQ(parsed.operand(4, 1).kind, OperandKind::AddressSymbol);
  EXPECT_EQ(parsed.operand(4, 1).value, 4);
  EXPECT_EQ(parsed.operand(5, 1).kind, OperandKind::AddressSymbol);
  EXPECT_EQ(parsed.operand(5, 1).value, 24); // element 6 of 4 bytes
  EXPECT_EQ(parsed.operand(6, 1).kind, OperandKind::AddressAbsolute);
  EXPECT_EQ(parsed.operand(7, 1).kind, OperandKind::Symbol);
  EXPECT_EQ(parsed.operand(7, 1).value, 4);
}

TEST(Operands, vectors_components_pairs_and_sinks) {
  const Parsed parsed(kernel("ld.global.v4.f32 {%f1, _, %f2, %f3}, [%d1];\nmov.f32 %v.y, %v.a;\nsetp.eq.u32 %p1|%p2, %r1, 0;\nsetp.eq.u32 _|%p2, %r1, 0;\n"
                             "mov.b64 {%r1, %r2}, %d1;\nld.global.v4.f32 %v, [%d1];\nselp.u32 %r1, 1, 0, !%p1;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  const Operand& vector = parsed.operand(0, 0);
  ASSERT_EQ(vector.kind, OperandKind::Vector);
  ASSERT_EQ(parsed.module().elements_of(vector).size(), 4u);
  EXPECT_EQ(parsed.module().elements_of(vector)[1].kind, OperandKind::Sink);
  EXPECT_EQ(parsed.operand(1, 0).component, 1);
  EXPECT_EQ(parsed.operand(1, 1).component, 3);
  EXPECT_TRUE(parsed.operand(2, 0).paired);
  EXPECT_FALSE(parsed.operand(2, 1).paired);
  EXPECT_EQ(parsed.operand(3, 0).kind, OperandKind::Sink);
  EXPECT_EQ(parsed.operand(5, 0).component, kNoComponent);
  EXPECT_TRUE(parsed.operand(6, 3).negated);
}

TEST(Operands, guards) {
  const Parsed parsed(kernel("@%p1 mov.u32 %r1, 1;\n@!%p2 mov.u32 %r1, 1;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_NE(parsed.instruction(0).guard, kNone);
  EXPECT_FALSE(parsed.instruction(0).guard_negated);
  EXPECT_TRUE(parsed.instruction(1).guard_negated);
  EXPECT_THAT(body_error("@%r1 mov.u32 %r1, 1;"), HasSubstr("no predicate register"));
  EXPECT_THAT(body_error("@1 mov.u32 %r1, 1;"), HasSubstr("a predicate register expected"));
}

TEST(Operands, special_registers) {
  const Parsed parsed(kernel("mov.u32 %r1, %tid.x;\nmov.u64 %ud1, %clock64;\nmov.u16 %h1, %ntid.z;\nmov.u32 %r1, %gridid;\ncvt.u64.u32 %ud1, %laneid;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.operand(0, 1).kind, OperandKind::SpecialRegister);
  EXPECT_EQ(special_register(parsed.operand(0, 1).index).spelling, "%tid");
  EXPECT_EQ(parsed.operand(0, 1).component, 0);
  EXPECT_THAT(body_error("mov.u64 %ud1, %tid.x;"), HasSubstr("%tid is .u32"));
  EXPECT_THAT(body_error("mov.u32 %r1, %tid;"), HasSubstr("name one"));
  EXPECT_THAT(body_error("mov.u32 %r1, %laneid.x;"), HasSubstr("no component '.x'"));
  EXPECT_THAT(body_error("mov.f32 %f1, %tid.x;"), HasSubstr("not .f32"));
  EXPECT_THAT(body_error("add.u32 %r1, %tid.x, 1;"), HasSubstr("mov and cvt only"));
  EXPECT_THAT(body_error("mov.u32 %r1, %tidx;"), HasSubstr("'%tidx' is not declared"));
}

TEST(Operands, special_registers_that_come_later_fail_their_function) {
  const Parsed parsed(kernel("mov.u32 %r1, %pm0;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_THAT(parsed.function().error, HasSubstr("special register %pm0"));
}

TEST(Operands, instructions_that_come_later_fail_their_function_only) {
  const Parsed parsed(kernel("tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1, %r2}];") + ".entry other() { ret; }");
  ASSERT_FALSE(parsed.ok()); // t is not declared
  const Parsed declared(kHead + ".global .texref t;\n.entry bad() { .reg .b32 %r<4>; .reg .f32 %f<5>;\n"
                                "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1, %r2}];\nvadd.u32.s32.u32.sat %r1, %r2.b0, -%r3.h1, %r1;\nret; }\n"
                                ".entry good() { ret; }");
  ASSERT_TRUE(declared.ok()) << declared.message();
  EXPECT_THAT(declared.function(0).error, HasSubstr("test.ptx:6:1: error: instruction 'tex.2d.v4.f32.s32' is not supported yet"));
  EXPECT_EQ(declared.function(1).error, "");
}

TEST(Forms, modifiers_are_free_in_order_types_are_not) {
  EXPECT_TRUE(Parsed(kernel("add.f32.sat.rn.ftz %f1, %f1, %f2;\nadd.ftz .rn\n.f32 %f1, %f1, %f2;\natom.add.relaxed.global.u32 %r1, [%d1], 1;")).ok());
  EXPECT_EQ(body_error("min.NaN.ftz.f32 %f1, %f1, %f2;"), "");
  EXPECT_THAT(body_error("min.xorsign.abs.f32 %f1, %f1, %f2;"), HasSubstr("needs target sm_86, the module's is sm_80"));
  EXPECT_EQ(body_error("cvt.u64.u32 %d1, %r1;"), "");
  EXPECT_THAT(body_error("mul.u32.lo %r1, %r1, %r1;"), HasSubstr("do not fit together: a form is 'mul<m><t>'")); // .lo belongs to the opcode
  EXPECT_THAT(body_error("cvt.u32.u64 %d1, %r1;"), HasSubstr("operand 2: register %r1 is .b32 where .u64 is expected"));
}

TEST(Forms, every_instruction_names_its_form) {
  const Parsed parsed(kernel("add.u32 %r1, %r1, 1;\nadd.f32 %f1, %f1, 1.0;\nmul.wide.u32 %d1, %r1, 2;\nmul.lo.u32 %r1, %r1, 2;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.instruction(0).form, 0);
  EXPECT_EQ(parsed.instruction(1).form, 1);
  EXPECT_EQ(parsed.instruction(2).form, 0);
  EXPECT_EQ(parsed.instruction(3).form, 1);
}

TEST(Forms, modifiers_that_do_not_fit) {
  EXPECT_THAT(body_error("add.u33 %r1, %r1, 1;"), HasSubstr("unknown modifier '.u33' of add (did you mean '.u32'?)"));
  EXPECT_THAT(body_error("add.wide.u32 %r1, %r1, 1;"), HasSubstr("add has no modifier '.wide'"));
  EXPECT_THAT(body_error("add %r1, %r1, 1;"), HasSubstr("one of .u16, .u32, .u64,"));
  EXPECT_THAT(body_error("mul.u32 %r1, %r1, 1;"), HasSubstr("one of .hi, .lo and .wide is missing"));
}

TEST(Forms, right_ptx_without_a_form_of_ours_fails_its_function) {
  const Parsed parsed(kernel("add.rn.f64 %fd1, %fd1, %fd2;")); // the test's forms have no add.f64
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_THAT(parsed.function().error, HasSubstr("'add.rn.f64' is not supported yet"));
}

TEST(Forms, versions_and_targets) {
  EXPECT_THAT(body_error("add.u16x2 %r1, %r1, %r2;"), HasSubstr("needs target sm_90, the module's is sm_80"));
  EXPECT_THAT(error_of(".version 7.8\n.target sm_90\n.address_size 64\n.entry k() { .reg .b32 a; add.u16x2 a, a, a; }"),
              HasSubstr("needs PTX version 8.0"));
}

TEST(Types, registers_of_other_types) {
  EXPECT_EQ(body_error("add.u32 %r1, %s1, %u1;"), "");
  EXPECT_EQ(body_error("add.f32 %r1, %r1, %f1;"), "");
  EXPECT_EQ(body_error("mov.b32 %f1, %u1;"), "");
  EXPECT_THAT(body_error("add.u32 %r1, %f1, 1;"), HasSubstr("operand 2: register %f1 is .f32 where .u32 is expected"));
  EXPECT_THAT(body_error("add.f32 %f1, %u1, %f1;"), HasSubstr("register %u1 is .u32 where .f32"));
  EXPECT_THAT(body_error("add.u32 %r1, %d1, 1;"), HasSubstr("register %d1 is .b64"));
  EXPECT_THAT(body_error("add.u32 %p1, %r1, 1;"), HasSubstr("operand 1"));
}

TEST(Types, wider_registers_of_ld_st_and_cvt) {
  EXPECT_EQ(body_error("ld.global.u8 %r1, [%d1];\nld.global.f32 %d2, [%d1];\nst.global.u8 [%d1], %d2;\ncvt.u8.u32 %r1, %d1;"), "");
  EXPECT_THAT(body_error("ld.global.u64 %r1, [%d1];"), HasSubstr("where .u64 is expected"));
  EXPECT_THAT(body_error("ld.global.f32 %fd1, [%d1];"), HasSubstr("register %fd1 is .f64"));
  EXPECT_THAT(body_error("ld.global.u8 %f1, [%d1];"), HasSubstr("register %f1 is .f32"));
  EXPECT_THAT(body_error("mov.u32 %d1, 1;"), HasSubstr("register %d1 is .b64"));
}

TEST(Types, literals_of_the_wrong_kind) {
  EXPECT_THAT(body_error("add.f32 %f1, %f1, 1;"), HasSubstr("an integer where .f32 is expected"));
  EXPECT_THAT(body_error("add.u32 %r1, %r1, 1.0;"), HasSubstr("a floating-point number where .u32 is expected"));
  EXPECT_EQ(body_error("mov.b32 %r1, 0f3F800000;\nmov.b64 %d1, 0d3FF0000000000000;"), "");
  EXPECT_THAT(body_error("mov.b32 %r1, 1.0;"), HasSubstr("floating-point"));
}

TEST(Types, destinations) {
  EXPECT_THAT(body_error("add.u32 5, %r1, %r1;"), HasSubstr("a destination must be a register, not an integer"));
  EXPECT_THAT(body_error("add.u32 _, %r1, %r1;"), HasSubstr("cannot be dropped"));
  EXPECT_THAT(body_error("add.u32 %r1, %r1;"), HasSubstr("3 operands are expected, 2 are given"));
  EXPECT_THAT(body_error("add.u32 %r1|%r2, %r1, 1;"), HasSubstr("'|' has no place"));
  EXPECT_THAT(body_error("setp.eq.u32 %r1, %r1, 1;"), HasSubstr("where .pred is expected"));
}

TEST(Types, vectors) {
  EXPECT_THAT(body_error("ld.global.v2.u32 {%r1}, [%d1];"), HasSubstr("a vector of 2 elements"));
  EXPECT_THAT(body_error("ld.global.v2.u32 %r1, [%d1];"), HasSubstr("a vector {…} is expected"));
  EXPECT_THAT(body_error("ld.global.u32 {%r1, %r2}, [%d1];"), HasSubstr("vector"));
  EXPECT_THAT(body_error("mov.b64 %d1, {%r1, %h1};"), HasSubstr("register %h1 is .b16"));
  EXPECT_EQ(body_error("mov.b64 %d1, {%h1, %h2, %h3, %h1};\nst.global.v2.u32 [%d1], {%r1, 5};"), "");
}

TEST(Types, addresses) {
  EXPECT_THAT(body_error("ld.global.u32 %r1, [%f1];"), HasSubstr("an address is an integer"));
  EXPECT_THAT(body_error("ld.global.u32 %r1, [%r2];"), HasSubstr("has 32 bits"));
  EXPECT_EQ(body_error("ld.shared.u32 %r1, [%r2];"), "");
  EXPECT_THAT(body_error("ld.shared.u32 %r1, [p];"), HasSubstr("'p' is in the .param space, not in .shared"));
  EXPECT_THAT(body_error("ld.global.u32 %r1, %d1;"), HasSubstr("an address […] is expected"));
  EXPECT_THAT(error_of(kHead + ".global .u32 g;\n.entry k() { .reg .b32 r; mov.u32 r, g; }"), HasSubstr("has 64 bits"));
  EXPECT_THAT(error_of(kHead + ".global .u32 g;\n.entry k() { .reg .b32 r; add.u32 r, g, 1; }"), HasSubstr("take its address with mov"));
}

} // namespace
} // namespace ptxshim::ptx
