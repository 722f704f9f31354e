// SPDX-License-Identifier: MIT
// Two modules become one. What is accepted and refused is what nvlink 13.0 accepts and refuses of the same pairs, compiled by
// ptxas -c; the few differences say so.
#include "lowering.h"

namespace {

using namespace lowering;
using testing::HasSubstr;

// Functions f, and a kernel that calls one of them; variables g and s, and kernels that read them.
const std::string kCall = "\n.visible .entry ka() { .param .b32 p; .param .b32 q; .reg .b32 %r; mov.u32 %r, 1; st.param.b32 [p], %r; call (q), f, (p); ret; }\n";
const std::string kDeclared = ".extern .func (.param .b32 r) f(.param .b32 a);";
const std::string kBody = " { .reg .b32 %r; mov.u32 %r, 7; st.param.b32 [r], %r; ret; }\n";
const std::string kDefined = ".visible .func (.param .b32 r) f(.param .b32 a)" + kBody;
const std::string kWeak = ".weak .func (.param .b32 r) f(.param .b32 a)" + kBody;
const std::string kStatic = ".func (.param .b32 r) f(.param .b32 a)" + kBody;

std::string reads(const std::string& variable, const std::string& kernel, const std::string& space = "global", const std::string& name = "g") {
  return variable + "\n.visible .entry " + kernel + "(.param .u64 out) { .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [out]; ld." + space + ".u32 %r, [" + name +
         "]; st.global.u32 [%d], %r; ret; }\n";
}

struct Pair {
  const char* name;
  std::string a, b;
  const char* message; // a part of it; null: accepted
};

const Pair kPairs[] = {
    {"a function of the other module", kDeclared + kCall, kDefined, nullptr},
    {"two strong functions", kDefined, kDefined, "b.ptx:4:32: error: 'f' is defined twice, first at a.ptx:4:32"},
    {"weak, then strong", kWeak, kDefined, nullptr},
    {"strong, then weak", kDefined, kWeak, nullptr},
    {"two weak functions", kWeak, kWeak, nullptr},
    {"a weak function for a declaration", kDeclared + kCall, kWeak, nullptr},
    {"static functions of one name", kStatic + kCall, kStatic, nullptr},
    {"a static function for a declaration", kDeclared + kCall, kStatic, "a.ptx:5:"},
    {"nothing for a declaration", kDeclared + kCall, "", "undefined function 'f', used in 'ka'"},
    {"nothing for a declaration that is not used", kDeclared, "", nullptr},
    {"a larger parameter", kDeclared + kCall, ".visible .func (.param .b32 r) f(.param .b64 a)" + kBody, "(.b32) (.b32) here and (.b32) (.b64) at b.ptx:4:32"},
    {"a float for bits of its size", kDeclared + kCall, ".visible .func (.param .b32 r) f(.param .f32 a)" + kBody, "(.b32) (.b32) here and (.b32) (.f32)"},
    {"integers of other signs", kDeclared + kCall, ".visible .func (.param .b32 r) f(.param .s32 a)" + kBody, nullptr},
    {"one parameter more", kDeclared + kCall, ".visible .func (.param .b32 r) f(.param .b32 a, .param .b32 b)" + kBody, "(.b32) (.b32, .b32)"},
    {"no result", kDeclared + kCall, ".visible .func f(.param .b32 a) { ret; }", "(.b32) (.b32) here and () (.b32)"},
    {"a larger result", kDeclared + kCall, ".visible .func (.param .b64 r) f(.param .b32 a) { ret; }", "(.b32) (.b32) here and (.b64) (.b32)"},
    {"another alignment of a parameter", kDeclared + kCall, ".visible .func (.param .b32 r) f(.param .align 8 .b32 a)" + kBody, nullptr},
    {"an array for a scalar", kDeclared + kCall, ".visible .func (.param .b32 r) f(.param .align 4 .b8 a[4])" + kBody, "(.b32) (.b8[4])"},
    {"another prototype that nobody uses", ".extern .func f(.param .b64 a);", kDefined, nullptr},
    {"weak functions with other parameters", kWeak, ".weak .func (.param .b32 r) f(.param .b64 a)" + kBody, "function 'f' has results and parameters"},
    {"two kernels", ".visible .entry k() { ret; }", ".visible .entry k() { ret; }", "'k' is defined twice"},
    {"two weak kernels", ".weak .entry k() { ret; }", ".weak .entry k() { ret; }", nullptr},
    {"a weak and a strong kernel", ".weak .entry k() { ret; }", ".visible .entry k() { ret; }", nullptr},
    {"two kernels that are not visible (nvlink: accepted)", ".entry k() { ret; }", ".entry k() { ret; }", "'k' is defined twice"},
    {"a kernel of a function's name", ".visible .entry f() { ret; }", kDefined, "'f' is a function here and a kernel at a.ptx:4:17"},
    {"a variable of a function's name", ".visible .global .u32 f;", kDefined, "'f' is a function here and a .global variable at a.ptx:4:23"},
    {"a variable for a function", kDeclared + kCall, ".visible .global .u32 f;", "'f' is a function here and a .global variable"},
    {"a function for a variable", reads(".extern .global .u32 f;", "ka", "global", "f"), kDefined, "'f' is a .global variable here and a function"},
    {"a variable of the other module", reads(".extern .global .u32 g;", "ka"), ".visible .global .u32 g = 5;", nullptr},
    {"nothing for a variable", reads(".extern .global .u32 g;", "ka"), "", "undefined variable 'g', used in 'ka'"},
    {"nothing for a variable that is not used (nvlink: refused)", ".extern .global .u32 g;", "", nullptr},
    {"two strong variables", ".visible .global .u32 g = 5;", ".visible .global .u32 g = 5;", "'g' is defined twice, first at a.ptx:4:23"},
    {"two strong variables without values", ".visible .global .u32 g;", ".visible .global .u32 g;", "'g' is defined twice"},
    {"a weak and a strong variable", ".weak .global .u32 g = 1;", ".visible .global .u32 g = 5;", nullptr},
    {"weak variables of other sizes", ".weak .global .u32 g = 1;", ".weak .global .u64 g = 5;", "'g' has 8 bytes here and 4 at a.ptx:4:20"},
    {"weak and strong of other sizes", ".weak .global .u32 g = 1;", ".visible .global .u64 g = 5;", "'g' has 4 bytes here and 8 at b.ptx:4:23"},
    {"weak variables of other types", ".weak .global .u32 g = 1;", ".weak .global .f32 g = 1.0;", nullptr},
    {"a larger definition", reads(".extern .global .u32 g;", "ka"), ".visible .global .u64 g = 5;", "'g' has 4 bytes here and 8"},
    {"a smaller definition", reads(".extern .global .u64 g;", "ka"), ".visible .global .u32 g = 5;", "'g' has 8 bytes here and 4"},
    {"a definition of another type", reads(".extern .global .f32 g;", "ka"), ".visible .global .u32 g = 5;", nullptr},
    {"a definition of another alignment", reads(".extern .global .align 16 .u32 g;", "ka"), ".visible .global .align 4 .u32 g = 5;", nullptr},
    {"an array of unknown length", reads(".extern .global .u32 g[];", "ka"), ".visible .global .u32 g[8];", nullptr},
    {"a constant for a variable", reads(".extern .global .u32 g;", "ka"), ".visible .const .u32 g = 5;", "'g' is a .global variable here and a .const variable"},
    {"a variable for a constant", reads(".extern .const .u32 g;", "ka", "const"), ".visible .global .u32 g = 5;", "'g' is a .const variable here and a .global variable"},
    {"a managed variable for another", reads(".extern .global .u32 g;", "ka"), ".visible .global .attribute(.managed) .u32 g = 5;", "and a managed .global variable"},
    {"two strong constants", ".visible .const .u32 g = 5;", ".visible .const .u32 g = 5;", "'g' is defined twice"},
    {"common variables", reads(".common .global .u32 g;", "ka"), reads(".common .global .u32 g;", "kb"), nullptr},
    {"common variables of other sizes", reads(".common .global .u32 g;", "ka"), reads(".common .global .u64 g;", "kb"), nullptr},
    {"a common and a strong variable", reads(".common .global .u32 g;", "ka"), ".visible .global .u32 g = 5;", nullptr},
    {"a common variable larger than the strong one", reads(".common .global .u64 g;", "ka"), ".visible .global .u32 g = 5;", "'g' has 8 bytes here and 4"},
    {"a common and a weak variable (nvlink: crashes)", reads(".common .global .u32 g;", "ka"), ".weak .global .u32 g = 5;", nullptr},
    {"a declaration of a common variable", reads(".common .global .u32 g;", "ka"), reads(".extern .global .u32 g;", "kb"), nullptr},
    {"static variables of one name", reads(".global .u32 g;", "ka"), reads(".global .u32 g;", "kb"), nullptr},
    {"a static variable for a declaration", reads(".extern .global .u32 g;", "ka"), ".global .u32 g = 5;", "undefined variable 'g'"},
    {"dynamic shared memory in both", reads(".extern .shared .align 4 .b8 s[];", "ka", "shared", "s"), reads(".extern .shared .align 16 .b8 s[];", "kb", "shared", "s"), nullptr},
    {"two strong shared variables", reads(".visible .shared .u32 s;", "ka", "shared", "s"), reads(".visible .shared .u32 s;", "kb", "shared", "s"), "'s' is defined twice"},
    {"weak shared variables", reads(".weak .shared .u32 s;", "ka", "shared", "s"), reads(".weak .shared .u32 s;", "kb", "shared", "s"), nullptr},
    {"weak shared variables of other sizes", reads(".weak .shared .u32 s;", "ka", "shared", "s"), reads(".weak .shared .u64 s;", "kb", "shared", "s"), "'s' has 8 bytes here and 4"},
    {"a shared variable of the other module", reads(".extern .shared .u32 s;", "ka", "shared", "s"), reads(".visible .shared .u32 s;", "kb", "shared", "s"), nullptr},
    {"an alias for a declaration", kDeclared + kCall,
     ".visible .func (.param .b32 r) f0(.param .b32 a)" + kBody + ".visible .func (.param .b32 r) f(.param .b32 a);\n.alias f, f0;", nullptr},
    {"the address of a variable of the other module", ".extern .global .u32 g;\n.visible .global .u64 p = g;\n.visible .entry ka() { ret; }", ".visible .global .u32 g;", nullptr},
    {"a kernel's declaration", ".extern .entry kb();\n.visible .entry ka() { ret; }", ".visible .entry kb() { ret; }", nullptr},
    {"a texture reference of the other module", ".extern .global .texref t;\n.visible .entry ka() { ret; }", ".visible .global .texref t;", nullptr},
};

TranslateRequest pair(const std::string& a, const std::string& b) {
  TranslateRequest r = request(module_of(a));
  r.modules.push_back(module_of(b));
  r.names = {"a.ptx", "b.ptx"};
  return r;
}

// What is refused for the whole, or for one of its kernels.
std::string refusal(const TranslateRequest& r) {
  const Result<CodeObject> result = ptxshim::translate(r);
  if (!result) return result.error().message;
  std::string all;
  for (const KernelInfo& kernel : result->kernels)
    all += kernel.error;
  return all;
}

TEST(Link, agrees_with_nvlink) {
  for (const Pair& each : kPairs) {
    SCOPED_TRACE(each.name);
    const std::string message = refusal(pair(each.a, each.b));
    if (each.message)
      EXPECT_THAT(message, HasSubstr(each.message));
    else
      EXPECT_EQ(message, "");
  }
}

const ptxshim::VariableInfo* variable(const CodeObject& made, const std::string& name) {
  for (const ptxshim::VariableInfo& each : made.variables)
    if (each.name == name) return &each;
  return nullptr;
}

TEST(Link, common_variables_get_the_largest_size_and_the_strictest_alignment) {
  for (const bool larger_first : {false, true}) {
    std::string a = reads(".common .global .align 16 .b8 g[16];", "ka"), b = reads(".common .global .align 4 .b8 g[64];", "kb");
    if (larger_first) std::swap(a, b);
    const CodeObject made = translated(pair(a, b));
    const ptxshim::VariableInfo* const g = variable(made, "g");
    ASSERT_NE(g, nullptr);
    EXPECT_EQ(g->size, 64u);
    EXPECT_EQ(g->alignment, 16u);
  }
}

// nvlink prefers a strong definition wherever it stands, and the first of weak ones.
TEST(Link, which_definition_counts) {
  const auto chosen = [](const std::string& a, const std::string& b) {
    const std::string text = emitted(pair(a, b), Emit::Ir);
    const size_t at = text.find("@g = ");
    return at == std::string::npos ? std::string() : text.substr(at, text.find('\n', at) - at);
  };
  const std::string weak = ".weak .global .u8 g = 65;", other = ".weak .global .u8 g = 66;", strong = ".visible .global .u8 g = 67;",
                    common = ".common .global .u8 g;";
  EXPECT_THAT(chosen(reads(weak, "ka"), reads(strong, "kb")), HasSubstr("c\"C\""));
  EXPECT_THAT(chosen(reads(strong, "ka"), reads(weak, "kb")), HasSubstr("c\"C\""));
  EXPECT_THAT(chosen(reads(weak, "ka"), reads(other, "kb")), HasSubstr("c\"A\""));
  EXPECT_THAT(chosen(reads(common, "ka"), reads(other, "kb")), HasSubstr("c\"B\""));
}

TEST(Link, weak_kernels_are_one_kernel) {
  const CodeObject made = translated(pair(".weak .entry k() { ret; }", ".weak .entry k() { ret; }"));
  EXPECT_EQ(made.kernels.size(), 1u);
}

TEST(Link, every_clash_is_reported) {
  const std::string message = refusal(pair(kDefined + ".visible .global .u32 g;", kDefined + ".visible .global .u32 g;"));
  EXPECT_THAT(message, HasSubstr("'f' is defined twice"));
  EXPECT_THAT(message, HasSubstr("'g' is defined twice"));
}

TEST(Link, errors_of_all_modules_are_reported) {
  const std::string message = refusal(pair(".entry k() { bad1; }", ".entry k() { bad2; }"));
  EXPECT_THAT(message, HasSubstr("a.ptx:4:"));
  EXPECT_THAT(message, HasSubstr("b.ptx:4:"));
}

} // namespace
