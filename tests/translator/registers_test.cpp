// SPDX-License-Identifier: MIT
// What limits a kernel's registers: .maxnreg, .minnctapersm, CU_JIT_MAX_REGISTERS.
#include "lowering.h"

namespace {

using namespace lowering;

// A kernel with 100 values at once, which the directives are for.
std::string crowded(const std::string& directives) {
  std::string body = ".reg .b32 %v<100>;\n";
  const auto each = [&](int n, const char* before, const char* after) {
    body += before + std::to_string(n) + after;
  };
  for (int n = 0; n < 100; ++n) {
    each(n, "ld.volatile.global.u32 %v", ", ");
    each(4 * n, "[%rd0+", "];\n");
  }
  for (int n = 99; n >= 0; --n) {
    each(4 * n, "st.volatile.global.u32 [%rd1+", "], ");
    each(n, "%v", ";\n");
  }
  std::string text = kernel(body);
  return module_of(text.insert(text.find('{'), directives + "\n"));
}

KernelInfo built(const std::string& directives, uint32_t max_registers = 0, const std::string& target = "gfx1030") {
  TranslateRequest r = request(crowded(directives), target);
  r.max_registers = max_registers;
  const CodeObject made = translated(r);
  return made.kernels.empty() ? KernelInfo{} : made.kernels[0];
}

TEST(Registers, without_a_limit_everything_is_kept) {
  const KernelInfo k = built("");
  EXPECT_GE(k.vgprs, 100u);
  EXPECT_EQ(k.vgpr_spills, 0u);
}

TEST(Registers, maxnreg) {
  for (const char* target : {"gfx1030", "gfx1100", "gfx900"}) {
    const KernelInfo k = built(".maxnreg 40", 0, target);
    EXPECT_LE(k.vgprs, 40u) << target;
    EXPECT_GT(k.vgpr_spills, 0u) << target;
  }
}

TEST(Registers, the_option_limits_kernels_without_the_directive) {
  EXPECT_LE(built("", 32).vgprs, 32u);
  EXPECT_GE(built(".maxnreg 80", 32).vgprs, 60u);
  EXPECT_LE(built(".maxnreg 80", 32).vgprs, 80u);
}

// ptxas 13.0: "adjusting per thread register count of 8 to lower bound of 24"; "Too many maxnreg specified …, will be ignored".
TEST(Registers, limits_that_cannot_be) {
  EXPECT_GT(built(".maxnreg 8").vgprs, 8u);
  EXPECT_LE(built(".maxnreg 8").vgprs, 24u);
  EXPECT_GE(built(".maxnreg 256").vgprs, 100u);
}

// RDNA 2 instruction set architecture: 1024 registers a lane of a SIMD. Two blocks of 512 threads are 16 waves on each of two SIMDs.
TEST(Registers, minnctapersm) {
  EXPECT_LE(built(".maxntid 512 .minnctapersm 2").vgprs, 64u);
  EXPECT_GE(built(".maxntid 128 .minnctapersm 2").vgprs, 100u); // four waves a SIMD may have 256 each
  EXPECT_GE(built(".maxntid 64 .minnctapersm 4294967295").vgprs, 1u);
}

TEST(Registers, block_sizes_whose_product_is_too_large_to_count) {
  const CodeObject made = translated(request(module_of(".visible .entry k() .maxntid 4294967295, 4294967295, 4294967295 { ret; }")));
  EXPECT_EQ(made.kernels.at(0).max_threads, 1024u);
}

} // namespace
