// SPDX-License-Identifier: MIT
#include "parsing.h"

namespace ptxshim::ptx {
namespace {

using testing::HasSubstr;

std::string module_error(const std::string& text) { return error_of(kHead + text); }

TEST(Header, version_target_and_address_size) {
  const Parsed parsed(".version 8.0\n.target sm_90a, debug\n.address_size 64\n");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.module().version, 80u);
  EXPECT_EQ(parsed.module().sm, 90u);
  EXPECT_EQ(parsed.module().sm_suffix, 'a');
  EXPECT_TRUE(parsed.module().debug);
  EXPECT_EQ(parsed.module().address_size, 64u);
}

TEST(Header, the_address_size_is_32_when_not_stated) {
  EXPECT_EQ(Parsed(".version 1.4\n.target sm_13\n").module().address_size, 32u);
}

TEST(Header, options) {
  const Parsed parsed(".version 1.4\n.target sm_12, texmode_independent, map_f64_to_f32\n");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_TRUE(parsed.module().texmode_independent);
  EXPECT_TRUE(parsed.module().map_f64_to_f32);
}

TEST(Header, what_is_missing_or_wrong) {
  EXPECT_THAT(error_of(""), HasSubstr("opens with .version"));
  EXPECT_THAT(error_of(".target sm_80"), HasSubstr("opens with .version"));
  EXPECT_THAT(error_of(".version 8\n.target sm_80"), HasSubstr("version number"));
  EXPECT_THAT(error_of(".version 8.0\n.address_size 64"), HasSubstr(".target is expected"));
  EXPECT_THAT(error_of(".version 8.0\n.target sm_81"), HasSubstr("unknown target 'sm_81'"));
  EXPECT_THAT(error_of(".version 8.0\n.target debug, sm_80"), HasSubstr("unknown target 'debug'"));
  EXPECT_THAT(error_of(".version 8.0\n.target sm_80\n.address_size 16"), HasSubstr("32 or 64"));
  EXPECT_THAT(error_of(".version 8.0\n.version 8.0"), HasSubstr(".target is expected"));
}

TEST(Header, a_newer_version_is_fine_while_all_is_known) {
  EXPECT_TRUE(Parsed(".version 9.9\n.target sm_80\n.address_size 64\n.global .u32 x;").ok());
  const Parsed unknown(".version 10.1\n.target sm_80\n.address_size 64\n.func f() { frobnicate.u32; }");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.result.error().code, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_THAT(unknown.message(), HasSubstr("unknown instruction 'frobnicate'. Unsupported .version 10.1; current version is '9.4'"));
  EXPECT_EQ(Parsed(kHead + ".func f() { frobnicate.u32; }").result.error().code, CUDA_ERROR_INVALID_PTX);
}

TEST(Variables, types_sizes_and_alignment) {
  const Parsed parsed(kHead + ".visible .global .align 16 .b8 a[3][5];\n.const .f64 c;\n.global .v4 .f32 v;\n.shared .u16 s, t[7];\n"
                              ".weak .global .b128 w;");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  const Symbol& a = parsed.symbol("a");
  EXPECT_EQ(a.size, 15u);
  EXPECT_EQ(a.alignment, 16u);
  EXPECT_EQ(a.linkage, Linkage::Visible);
  EXPECT_THAT(a.dimensions, testing::ElementsAre(3, 5));
  EXPECT_EQ(parsed.symbol("c").alignment, 8u);
  EXPECT_EQ(parsed.symbol("c").space, StateSpace::Const);
  EXPECT_EQ(parsed.symbol("v").size, 16u);
  EXPECT_EQ(parsed.symbol("v").alignment, 16u);
  EXPECT_EQ(parsed.symbol("s").size, 2u);
  EXPECT_EQ(parsed.symbol("t").size, 14u);
  EXPECT_EQ(parsed.symbol("w").size, 16u);
  EXPECT_EQ(parsed.module().variables.size(), 6u);
}

TEST(Variables, extern_shared_arrays_have_no_size) {
  const Parsed parsed(kHead + ".extern .shared .align 16 .b8 dynamic[];");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_TRUE(parsed.symbol("dynamic").unsized);
  EXPECT_EQ(parsed.symbol("dynamic").size, 0u);
}

TEST(Variables, parameterised_names) {
  const Parsed parsed(kHead + ".global .u32 x<3>;");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.symbol("x2").size, 4u);
  EXPECT_EQ(parsed.module().variables.size(), 3u);
}

TEST(Variables, attributes) {
  const Parsed parsed(".version 8.0\n.target sm_90\n.address_size 64\n.global .attribute(.managed, .unified(1, 2)) .u32 x;");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_TRUE(parsed.symbol("x").managed);
  EXPECT_THAT(module_error(".global .attribute(.unified(1, 2)) .u32 x;"), HasSubstr(".unified needs target sm_90, the module's is sm_80"));
  const Parsed before(kHead + ".attribute(.managed) .visible .global .u32 x;\n.global .u32 y;");
  ASSERT_TRUE(before.ok()) << before.message();
  EXPECT_TRUE(before.symbol("x").managed);
  EXPECT_FALSE(before.symbol("y").managed);
}

TEST(Variables, an_extern_declaration_and_its_definition_are_one) {
  const Parsed parsed(kHead + ".extern .global .u32 x[];\n.visible .global .u32 x[4];");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.symbol("x").size, 16u);
  EXPECT_EQ(parsed.module().variables.size(), 1u);
}

TEST(Variables, old_constant_banks_and_textures) {
  const Parsed parsed(".version 1.4\n.target sm_13\n.const[3] .b32 c;\n.tex .u32 t;");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.symbol("c").const_bank, 3);
  EXPECT_EQ(parsed.symbol("t").type, ScalarType::TexRef);
  EXPECT_THAT(module_error(".const[3] .b32 c;"), HasSubstr("banks ended"));
  EXPECT_THAT(module_error(".tex .u32 t;"), HasSubstr("ended with PTX version"));
}

TEST(Variables, opaque_types) {
  EXPECT_TRUE(Parsed(".version 8.0\n.target sm_80, texmode_independent\n.address_size 64\n.global .texref t; .global .surfref s;\n"
                     ".global .samplerref m = {addr_mode_0 = wrap, filter_mode = linear, force_unnormalized_coords = 1};")
                  .ok());
  EXPECT_THAT(module_error(".global .samplerref s;"), HasSubstr("needs .target texmode_independent"));
  EXPECT_THAT(module_error(".shared .texref t;"), HasSubstr("must be .global"));
  EXPECT_THAT(module_error(".global .samplerref m = {addr_mod_0 = wrap};"), HasSubstr("did you mean 'addr_mode_0'"));
}

TEST(Variables, what_is_refused) {
  EXPECT_THAT(module_error(".global .u32 x; .global .u32 x;"), HasSubstr("declared twice"));
  EXPECT_THAT(module_error(".extern .global .u32 x; .visible .global .u64 x;"), HasSubstr("another type"));
  EXPECT_THAT(module_error(".extern .global .u32 x; .global .u32 x;"), HasSubstr("'x' is extern: its definition must be .visible"));
  EXPECT_THAT(module_error(".common .global .u32 x; .common .global .u32 x;"), HasSubstr("declared twice"));
  EXPECT_THAT(module_error(".global .u32 x<4>[2];"), HasSubstr("one by one"));
  EXPECT_THAT(module_error(".target sm_80"), HasSubstr("a second .target"));
  EXPECT_THAT(module_error(".file 1 \"a\"\n.file 1 \"b\""), HasSubstr("a second file of number 1"));
  EXPECT_THAT(module_error(".global .u32 x[];"), HasSubstr("no size"));
  EXPECT_THAT(module_error(".global .u32 x[0];"), HasSubstr("no elements"));
  EXPECT_THAT(module_error(".global .u32 x[2][];"), HasSubstr("only the first dimension"));
  EXPECT_THAT(module_error(".global .u32 x[2+1];"), HasSubstr("']' expected"));
  EXPECT_THAT(module_error(".global .align 3 .u32 x;"), HasSubstr("power of two"));
  EXPECT_THAT(module_error(".global .pred x;"), HasSubstr("predicate lives in a register"));
  EXPECT_THAT(module_error(".global .u32 _;"), HasSubstr("'_' cannot be declared"));
  EXPECT_THAT(module_error(".global .u32 WARP_SZ;"), HasSubstr("cannot be declared"));
  EXPECT_THAT(module_error(".global .bf16 x;"), HasSubstr("nothing can be declared"));
  EXPECT_THAT(module_error(".global .v4 .f64 x;"), HasSubstr("128 bits"));
  EXPECT_THAT(module_error(".global .u33 x;"), HasSubstr("a type is expected"));
  EXPECT_THAT(module_error(".shared .u32 x = 1;"), HasSubstr("only .global and .const"));
  EXPECT_THAT(module_error(".local .u32 x;"), HasSubstr("module scope"));
  EXPECT_THAT(module_error(".reg .u32 x;"), HasSubstr("live in functions"));
  EXPECT_THAT(module_error(".visible .extern .global .u32 x;"), HasSubstr("second linkage"));
  EXPECT_THAT(module_error(".global .u32 x[1000000000000][1000000000000];"), HasSubstr("too large"));
  EXPECT_THAT(module_error(".global .u32 x<4000000000>;"), HasSubstr("too many"));
}

TEST(Initializers, scalars) {
  const Parsed parsed(kHead + ".global .b8 a = 300;\n.global .s32 b = -1;\n.global .f32 f = 1.5;\n.global .f32 g = 0f40000000;\n"
                              ".global .f64 h = 0d4000000000000000;\n.global .b16 z = 0;");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed.symbol("a").initializers.at(0).value, 44u);
  EXPECT_EQ(parsed.symbol("b").initializers.at(0).value, 0xffffffffu);
  EXPECT_EQ(parsed.symbol("f").initializers.at(0).value, 0x3fc00000u);
  EXPECT_EQ(parsed.symbol("g").initializers.at(0).value, 0x40000000u);
  EXPECT_EQ(parsed.symbol("h").initializers.at(0).value, 0x4000000000000000u);
  EXPECT_TRUE(parsed.symbol("z").has_initializer);
  EXPECT_TRUE(parsed.symbol("z").initializers.empty()); // zero takes no place
}

TEST(Initializers, arrays_and_vectors) {
  const Parsed parsed(kHead + ".global .u32 a[2][3] = {{1, 2, 3}, {4}};\n.global .v2 .u16 v[2] = {{1, 2}, {3, 4}};\n"
                              ".global .u32 b[] = {7, 8, 9};\n.global .u32 c[][2] = {{1, 2}, {3, 4}, {5, 6}};\n.global .u32 e[4] = {};");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  const std::vector<Initializer>& a = parsed.symbol("a").initializers;
  ASSERT_EQ(a.size(), 4u);
  EXPECT_EQ(a[3].offset, 12u);
  EXPECT_EQ(a[3].value, 4u);
  const std::vector<Initializer>& v = parsed.symbol("v").initializers;
  ASSERT_EQ(v.size(), 4u);
  EXPECT_EQ(v[3].offset, 6u);
  EXPECT_EQ(v[3].size, 2u);
  EXPECT_EQ(parsed.symbol("b").size, 12u);
  EXPECT_EQ(parsed.symbol("c").size, 24u);
  EXPECT_EQ(parsed.symbol("c").dimensions[0], 3u);
  EXPECT_EQ(parsed.symbol("c").initializers.at(5).offset, 20u);
  EXPECT_EQ(parsed.symbol("e").size, 16u);
}

TEST(Initializers, addresses) {
  const Parsed parsed(kHead + ".global .u32 a[4];\n.func f();\n.global .u64 p[5] = {a, a+8, generic(a), generic(a)+-4, f};\n"
                              ".global .u8 m[2] = {0xFF(a), 0xFF00(a+4)};");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  const std::vector<Initializer>& p = parsed.symbol("p").initializers;
  ASSERT_EQ(p.size(), 5u);
  EXPECT_EQ(parsed.module().name_of(p[0].symbol), "a");
  EXPECT_EQ(p[1].value, 8u);
  EXPECT_FALSE(p[1].generic);
  EXPECT_TRUE(p[2].generic);
  EXPECT_EQ(static_cast<int64_t>(p[3].value), -4);
  EXPECT_EQ(parsed.module().name_of(p[4].symbol), "f");
  const std::vector<Initializer>& m = parsed.symbol("m").initializers;
  EXPECT_EQ(m[1].mask, 0xff00u);
  EXPECT_EQ(m[1].mask_shift, 8);
  EXPECT_EQ(m[1].value, 4u);
}

TEST(Initializers, what_is_refused) {
  EXPECT_THAT(module_error(".global .u32 x = 1.5;"), HasSubstr("floating-point number cannot"));
  EXPECT_THAT(module_error(".global .f32 x = 1;"), HasSubstr("integer cannot"));
  EXPECT_THAT(module_error(".global .u32 g; .global .b8 x[] = {0xFF(g)};"), HasSubstr("a masked address initialises .u8"));
  EXPECT_THAT(module_error(".global .u32 g; .global .u8 x[] = {0xFFFF(g)};"), HasSubstr("exactly one byte"));
  EXPECT_THAT(module_error(".shared .u32 g; .global .u64 x = generic(g);"), HasSubstr("only .global and .const variables and functions"));
  EXPECT_THAT(error_of(".version 7.0\n.target sm_80\n.address_size 64\n.global .u32 g; .global .u8 x[] = {0xFF(g)};"),
              HasSubstr("needs PTX version 7.1"));
  EXPECT_THAT(module_error(".global .u32 x[2] = {1, 2, 3};"), HasSubstr("more values"));
  EXPECT_THAT(module_error(".global .u32 x[2][2] = {1, 2, 3};"), HasSubstr("'{' expected"));
  EXPECT_THAT(module_error(".global .u32 x[2] = 1;"), HasSubstr("'{' expected"));
  EXPECT_THAT(module_error(".global .u32 x = {1};"), HasSubstr("a constant expected"));
  EXPECT_THAT(module_error(".global .u32 x[3] = {1, 2,};"), HasSubstr("expected"));
  EXPECT_THAT(module_error(".global .b8 x[] = \"text\";"), HasSubstr("'{' expected"));
  EXPECT_THAT(module_error(".global .u64 x = later; .global .u32 later;"), HasSubstr("'later' is not declared"));
  EXPECT_THAT(module_error(".global .u32 a; .global .u8 x = a;"), HasSubstr("at least 32 bits"));
  EXPECT_THAT(module_error(".global .u32 a; .global .u8 x = 0xF0F(a);"), HasSubstr("exactly one byte"));
  EXPECT_THAT(module_error(".shared .u32 a; .global .u64 x = generic(a);"), HasSubstr("only .global and .const"));
  EXPECT_THAT(module_error(".extern .global .u32 x = 1;"), HasSubstr("extern variable"));
}

TEST(Debug, files_sections_and_dwarf_lines) {
  const Parsed parsed(kHead + ".file 1 \"a.cu\"\n.file 2 \"b.h\", 1234, 567\n.section .debug_str\n{\n$L__info_string0:\n.b8 95,90,0\n}\n"
                              ".section .debug_info {\n.b32 $L__info_string0+4\n.b64 end-begin\n.b32 .debug_str\n}\n@@DWARF .byte 1\n"
                              ".global .u32 x;");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  ASSERT_EQ(parsed.module().files.size(), 2u);
  EXPECT_EQ(parsed.module().files[1].path, "b.h");
  EXPECT_EQ(parsed.symbol("x").size, 4u);
  EXPECT_THAT(module_error(".section .debug_str { .b8 1"), HasSubstr("never closed"));
  EXPECT_THAT(module_error(".section .debug_str { .u8 1 }"), HasSubstr("debug data"));
}

TEST(Module, pragmas_and_line_directives) {
  EXPECT_TRUE(Parsed(kHead + ".pragma \"nounroll\";\n#line 5 \"a\"\n").ok());
}

} // namespace
} // namespace ptxshim::ptx
