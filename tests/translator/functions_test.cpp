// SPDX-License-Identifier: MIT
#include "parsing.h"

namespace ptxshim::ptx {
namespace {

using testing::HasSubstr;

std::string module_error(const std::string& text) { return error_of(kHead + text); }

TEST(Functions, kernel_parameters_and_directives) {
  const Parsed parsed(kHead + ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[24])\n"
                              ".maxntid 128, 2\n.minnctapersm 2\n.maxnreg 32\n.pragma \"x\";\n{ ret; }");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  const Function& k = parsed.function();
  EXPECT_TRUE(k.is_entry);
  EXPECT_TRUE(k.has_body);
  ASSERT_EQ(k.parameters.size(), 2u);
  const Symbol& p = parsed.symbol("p");
  EXPECT_TRUE(p.is_pointer);
  EXPECT_EQ(p.pointer_space, StateSpace::Global);
  EXPECT_EQ(p.pointer_alignment, 16u);
  EXPECT_EQ(parsed.symbol("s").size, 24u);
  EXPECT_EQ(parsed.symbol("s").alignment, 8u);
  EXPECT_THAT(k.max_threads, testing::ElementsAre(128, 2, 1));
  EXPECT_THAT(Parsed(kHead + ".entry k() .reqntid 64 { ret; }").function().required_threads, testing::ElementsAre(64, 1, 1));
  EXPECT_EQ(k.min_blocks, 2u);
  EXPECT_EQ(k.max_registers, 32u);
  EXPECT_EQ(k.pragmas.size(), 1u);
}

TEST(Functions, returns_register_parameters_and_noreturn) {
  const Parsed parsed(kHead + ".func (.reg .b32 r) f(.reg .b32 a, .param .b64 b) { add.u32 r, a, 1; ret; }\n.extern .func g() .noreturn;");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  const Function& f = parsed.function(0);
  ASSERT_EQ(f.returns.size(), 1u);
  EXPECT_EQ(parsed.symbol("r").parameter_register, 0u);
  EXPECT_EQ(parsed.symbol("a").parameter_register, 1u);
  EXPECT_EQ(f.registers.size(), 2u);
  EXPECT_TRUE(parsed.function(1).noreturn);
  EXPECT_FALSE(parsed.function(1).has_body);
}

TEST(Functions, a_prototype_and_its_body_are_one_function) {
  const Parsed parsed(kHead + ".visible .func (.param .b32 r) f(.param .b32 a);\n.visible .func (.param .b32 r) f(.param .b32 x) { ret; }");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  ASSERT_EQ(parsed.module().functions.size(), 1u);
  EXPECT_TRUE(parsed.function().has_body);
  EXPECT_EQ(parsed.symbol("f").linkage, Linkage::Visible);
  EXPECT_EQ(parsed.module().name_of(parsed.function().parameters[0]), "x");
}

// Each is refused by ptxas 13.0.
TEST(Functions, what_does_not_go_together) {
  EXPECT_THAT(module_error(".entry k() .maxntid 5 .reqntid 5 { ret; }"), HasSubstr(".maxntid and .reqntid exclude each other"));
  EXPECT_THAT(module_error(".entry k() .maxnreg 0 { ret; }"), HasSubstr("a positive number"));
  EXPECT_THAT(module_error(".entry k() .maxclusterrank 8 { ret; }"), HasSubstr(".maxclusterrank needs target sm_90"));
  EXPECT_THAT(module_error(".func f() .maxntid 5 { ret; }"), HasSubstr("'.maxntid' belongs to kernels"));
  EXPECT_THAT(module_error(".func f() .abi_preserve 8 { ret; }"), HasSubstr(".abi_preserve needs PTX version 9.0"));
  EXPECT_THAT(module_error(".entry k() .noreturn { ret; }"), HasSubstr("belongs to functions"));
  EXPECT_THAT(module_error(".func (.param .b32 r) f() .noreturn { exit; }"), HasSubstr("return values"));
  EXPECT_THAT(module_error(".func (.param .b32 r, .param .b32 s) f() { ret; }"), HasSubstr("must be registers"));
  EXPECT_THAT(module_error(".func f(.param .b32 _) { ret; }"), HasSubstr("'_' is no name"));
  EXPECT_THAT(module_error(".func f(.param .v2 .f32 a) { ret; }"), HasSubstr("neither vectors"));
  EXPECT_THAT(module_error(".func f(.param .u64 .ptr p) { ret; }"), HasSubstr(".ptr belongs to the parameters of kernels"));
  EXPECT_THAT(module_error(".entry k(.param .ptr .u64 p) { ret; }"), HasSubstr(".ptr stands behind the type"));
  EXPECT_THAT(module_error(".extern .func f() { ret; }"), HasSubstr("a body for the extern function 'f'"));
  EXPECT_THAT(module_error(".extern .func f(); .visible .func f() { ret; }"), HasSubstr("another linkage"));
  EXPECT_THAT(module_error(".func f() { ret; } .func f();"), HasSubstr("behind its body"));
  EXPECT_THAT(module_error(".func f(.param .b32 a); .func f(.param .u32 a) { ret; }"), HasSubstr("other parameters"));
  EXPECT_THAT(module_error(".common .func f() { ret; }"), HasSubstr(".common is for .global variables"));
}

TEST(Functions, aliases) {
  const Parsed parsed(kHead + ".func f() { ret; }\n.func g();\n.alias g, f;\n");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.symbol("g").kind, SymbolKind::Alias);
  EXPECT_EQ(parsed.module().name_of(parsed.symbol("g").aliasee), "f");
  EXPECT_THAT(module_error(".func f() { ret; }\n.alias g, f;\n"), HasSubstr("not declared as a function"));
  EXPECT_THAT(module_error(".func f(.param .b32 a) { ret; }\n.func g();\n.alias g, f;\n"), HasSubstr("differ in parameters"));
  EXPECT_THAT(module_error(".func f() { ret; }\n.func g() { ret; }\n.alias g, f;\n"), HasSubstr("body of its own"));
}

TEST(Functions, what_is_refused) {
  EXPECT_THAT(module_error(".func f() { ret; } .func f() { ret; }"), HasSubstr("two bodies"));
  EXPECT_THAT(module_error(".func f(.param .b32 a); .func f() { ret; }"), HasSubstr("other parameters"));
  EXPECT_THAT(module_error(".global .u32 f; .func f() { ret; }"), HasSubstr("declared twice"));
  EXPECT_THAT(module_error(".entry k(.reg .b32 a) { ret; }"), HasSubstr("must be .param"));
  EXPECT_THAT(module_error(".entry k(.param .b8 a[]) { ret; }"), HasSubstr("no size"));
  EXPECT_THAT(module_error(".entry k(.param .b8 a[40000]) { ret; }"), HasSubstr("32764"));
  EXPECT_THAT(module_error(".entry (.param .b32 r) k() { ret; }"), HasSubstr("returns nothing"));
  EXPECT_THAT(module_error(".entry k(.param .b32 a, .param .b32 a) { ret; }"), HasSubstr("declared twice"));
  EXPECT_THAT(module_error(".entry k() .frob { ret; }"), HasSubstr("unknown directive '.frob'"));
  EXPECT_THAT(module_error(".entry k() .maxntid 0 { ret; }"), HasSubstr("size of zero"));
  EXPECT_THAT(module_error(".entry k() { ret; "), HasSubstr("never closed"));
  EXPECT_THAT(module_error(".entry k() ret;"), HasSubstr("'{' or ';' expected"));
}

TEST(Scopes, registers_of_a_range_are_made_when_used) {
  const Parsed parsed(kernel(".reg .b32 %x<1000000000>;\nmov.u32 %x999999999, 1;\nmov.u32 %x5, %x999999999;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.operand(0, 0).index, parsed.operand(1, 1).index);
  const RegisterInfo& info = parsed.function().registers[parsed.operand(0, 0).index];
  EXPECT_EQ(info.number, 999999999u);
  EXPECT_EQ(parsed.module().name(info.name), "%x");
}

TEST(Scopes, names_are_found_inside_out) {
  const Parsed parsed(kernel("mov.u32 %r1, 1;\n{ .reg .b32 %r<4>; mov.u32 %r1, 2; { mov.u32 %r1, 3; } }\nmov.u32 %r1, 4;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.operand(0, 0).index, parsed.operand(3, 0).index);
  EXPECT_EQ(parsed.operand(1, 0).index, parsed.operand(2, 0).index);
  EXPECT_NE(parsed.operand(0, 0).index, parsed.operand(1, 0).index);
}

TEST(Scopes, a_plain_name_hides_the_one_of_a_range) {
  const Parsed parsed(kernel("mov.u32 %r1, 1;\n{ .reg .b32 %r1; mov.u32 %r1, 2; mov.u32 %r2, 3; }"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_NE(parsed.operand(0, 0).index, parsed.operand(1, 0).index);
}

TEST(Scopes, prefixes_may_end_in_digits) {
  const Parsed parsed(kernel(".reg .b32 %x1<20>;\nmov.u32 %x119, 5;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.function().registers[parsed.operand(0, 0).index].number, 19u);
}

TEST(Scopes, a_range_ends_at_its_count) {
  EXPECT_THAT(error_of(kernel("mov.u32 %r9, 1;")), HasSubstr("'%r9' is not declared: %r<9> declares %r0 to %r8"));
  EXPECT_THAT(error_of(kernel("mov.u32 %r01, 1;")), HasSubstr("'%r01' is not declared"));
}

TEST(Scopes, what_is_declared_in_a_block_ends_with_it) {
  EXPECT_THAT(error_of(kernel("{ .reg .b32 x; }\nmov.u32 x, 1;")), HasSubstr("'x' is not declared"));
  EXPECT_THAT(error_of(kernel(".reg .b32 x; .reg .b64 x;")), HasSubstr("declared twice"));
}

TEST(Scopes, sixty_four_levels) {
  std::string body;
  for (int i = 0; i < 64; ++i) body += "{ .reg .b32 x; mov.u32 x, " + std::to_string(i) + ";\n";
  EXPECT_TRUE(Parsed(kernel(body + std::string(64, '}'))).ok());
  EXPECT_THAT(error_of(kernel(std::string(100000, '{'))), HasSubstr("too deeply"));
  EXPECT_THAT(error_of(kernel("mov.b64 %d1, " + std::string(100000, '{') + "%r1")), HasSubstr("too deeply"));
  EXPECT_THAT(error_of(kernel("mov.b32 %r1, " + std::string(100000, '(') + "1")), HasSubstr("too deeply"));
  EXPECT_THAT(error_of(kernel("ld.global.u32 %r1, [%d1, " + std::string(100000, '[') + "1")), HasSubstr("'["));
}

TEST(Labels, forward_backward_and_hidden) {
  const Parsed parsed(kernel("a: bra b;\nb: bra a;\n{ bra a; a: bra a; }\n"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  const std::vector<NameId>& labels = parsed.function().labels;
  ASSERT_EQ(labels.size(), 3u); // a, b, the inner a
  EXPECT_EQ(parsed.operand(0, 0).index, 1u);
  EXPECT_EQ(parsed.operand(1, 0).index, 0u);
  EXPECT_EQ(parsed.operand(2, 0).index, 2u); // forward, yet the inner one
  EXPECT_EQ(parsed.operand(3, 0).index, 2u);
}

TEST(Labels, of_another_block_are_out_of_sight) {
  EXPECT_THAT(error_of(kernel("bra x;\n{ x: mov.u32 %r1, 1; }")), HasSubstr("'x' is neither a label"));
  EXPECT_THAT(error_of(kernel("bra nowhere;")), HasSubstr("'nowhere'"));
  EXPECT_THAT(error_of(kernel("x: ret; x: ret;")), HasSubstr("declared twice"));
}

TEST(Labels, alone_in_braces_and_several_in_a_row) {
  EXPECT_TRUE(Parsed(kernel("{x:}\na: b: mov.u32 %r1, 1;\nbra b;")).ok());
}

TEST(Tables, branch_targets) {
  const Parsed parsed(kernel("t: .branchtargets a, b, a;\nbrx.idx %r1, t;\na: mov.u32 %r1, 1;\nb: mov.u32 %r1, 2;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  ASSERT_EQ(parsed.function().tables.size(), 1u);
  EXPECT_THAT(parsed.function().tables[0].entries, testing::ElementsAre(0, 1, 0));
  EXPECT_EQ(parsed.operand(0, 1).kind, OperandKind::Prototype);
  EXPECT_THAT(error_of(kernel("t: .branchtargets nowhere;\nbrx.idx %r1, t;")), HasSubstr("'nowhere'"));
}

TEST(Calls, direct) {
  const std::string callee = ".func (.param .b32 r) f(.param .b32 a) { ret; }\n";
  const auto body = [&](const std::string& call) { return kHead + callee + ".entry k() { .reg .b32 %r<4>; .reg .b64 %d<4>; .param .b32 x; .param .b64 y; " + call + " ret; }"; };
  EXPECT_TRUE(Parsed(body("call (x), f, (x);")).ok()) << error_of(body("call (x), f, (x);"));
  EXPECT_TRUE(Parsed(body("call.uni (%r1), f, (5);")).ok());
  EXPECT_TRUE(Parsed(body("call (_), f, (%r1);")).ok());
  EXPECT_THAT(error_of(body("call f;")), HasSubstr("results: 1 expected, 0 given"));
  EXPECT_THAT(error_of(body("call (x), f, (x, x);")), HasSubstr("arguments: 1 expected, 2 given"));
  EXPECT_THAT(error_of(body("call (x), f, (y);")), HasSubstr("has 8 bytes, the callee's has 4"));
  EXPECT_THAT(error_of(body("call (x), f, (%d1);")), HasSubstr("register %d1 has 8 bytes"));
  EXPECT_THAT(error_of(body("call (x), g, (x);")), HasSubstr("'g' is neither"));
  EXPECT_THAT(error_of(body("call k;")), HasSubstr("kernel cannot be called"));
}

TEST(Calls, through_a_register) {
  const std::string prototype = "pr: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;\n";
  EXPECT_TRUE(Parsed(kernel(prototype + "call (%r1), %d1, (%d2), pr;")).ok());
  EXPECT_TRUE(Parsed(kernel("call (%r1), %d1, (%d2), pr;\n" + prototype)).ok()); // declared below
  EXPECT_THAT(error_of(kernel(prototype + "call (%r1), %d1, (%r2), pr;")), HasSubstr("has 4 bytes"));
  for (const char* what : {"0x7fffffff", "1"})
    EXPECT_THAT(error_of(kernel(prototype + "call (%r1), " + what + ", (%d2), pr;")), HasSubstr("a function or a register"));
  const Parsed targets(kHead + ".func f(.param .b32 a);\n.entry k() { .reg .b64 %d<2>; t: .calltargets f; call %d1, (7), t; ret; }");
  EXPECT_TRUE(targets.ok()) << targets.message();
}

TEST(Calls, an_open_array_takes_any_argument) {
  const Parsed parsed(kHead + ".func v(.param .b32 n, .param .align 8 .b8 rest[]);\n.entry k() { .param .b32 n; .param .align 8 .b8 r[40]; call v, (n, r); ret; }");
  EXPECT_TRUE(parsed.ok()) << parsed.message();
}

TEST(Locals, variables_of_a_function_belong_to_it) {
  const Parsed parsed(kernel(".local .align 8 .b8 depot[32]; .shared .u32 s[4]; .param .b32 a; .global .u32 g = 3;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.function().locals.size(), 4u);
  EXPECT_EQ(parsed.symbol("depot").function, 0u);
  EXPECT_TRUE(parsed.module().variables.empty());
}

TEST(Loc, positions_with_inlining) {
  const Parsed parsed(kernel(".loc 1 5 7\nmov.u32 %r1, 1;\n.loc 1 6 0, function_name $L__info_string0+3, inlined_at 1 9 2\nmov.u32 %r1, 2;"));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  const Instruction& loc = parsed.function().body[0];
  EXPECT_EQ(loc.op, Op::kLoc);
  EXPECT_EQ(loc.operand_count, 3);
  EXPECT_EQ(parsed.module().operands_of(loc)[1].value, 5);
  const std::span<const Operand> inlined = parsed.module().operands_of(parsed.function().body[2]);
  ASSERT_EQ(inlined.size(), 7u);
  EXPECT_EQ(parsed.module().name(inlined[3].index), "$L__info_string0");
  EXPECT_EQ(inlined[3].value, 3);
  EXPECT_EQ(inlined[5].value, 9);
}

// As ptxas has it: both or none, in this order.
TEST(Loc, inlining_needs_name_and_place) {
  for (const char* wrong : {".loc 1 2 3, function_name s", ".loc 1 2 3, inlined_at 1 2 3", ".loc 1 2 3 function_name s, inlined_at 1 2 3",
                            ".loc 1 2 3, function_name s inlined_at 1 2 3", ".loc 1 2 3, inlined_at 1 2 3, function_name s"})
    EXPECT_FALSE(Parsed(kernel(std::string(wrong) + "\nmov.u32 %r1, 1;")).ok()) << wrong;
}

TEST(Loc, names_stand_in_the_string_section) {
  const Parsed parsed(kHead + ".entry k() { ret; }\n.section .debug_str { a: .b8 95, 102, 0\nb: .b16 0x4142 }");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.module().debug_strings, std::string("_f\0BA", 5));
  ASSERT_EQ(parsed.module().debug_labels.size(), 3u); // the section's name is the first
  EXPECT_EQ(parsed.module().debug_labels[2].offset, 3u);
}

} // namespace
} // namespace ptxshim::ptx
