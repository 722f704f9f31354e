// SPDX-License-Identifier: MIT
// The shape of the code: what tests that run it cannot see, such as address spaces, modes, fences and what must have disappeared.
#include "lowering.h"

namespace {

using namespace lowering;
using testing::HasSubstr;
using testing::Not;

TEST(lowering, RegistersBecomeSsa) {
  const std::string text = ir(module_of(kernel("ld.global.u32 %r0, [%rd0];\nadd.u32 %r1, %r0, 1;\nst.global.u32 [%rd1], %r1;")));
  EXPECT_THAT(text, Not(HasSubstr("alloca")));
  EXPECT_THAT(text, HasSubstr("load i32, ptr addrspace(1)"));
}

TEST(lowering, LoopsBecomePhis) {
  const std::string text = ir(module_of(kernel("ld.global.u32 %r0, [%rd0];\nmov.u32 %r1, 0;\nloop:\nadd.u32 %r1, %r1, %r0;\nxor.b32 %r1, %r1, 5;\n"
                                               "sub.u32 %r0, %r0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra loop;\nst.global.u32 [%rd1], %r1;")));
  EXPECT_THAT(text, HasSubstr("phi i32"));
  EXPECT_THAT(text, Not(HasSubstr("alloca")));
}

TEST(lowering, SharedAddressesAre32Bits) {
  const std::string text = ir(module_of(".shared .align 4 .b8 s[64];\n" +
                                        kernel("mov.u32 %r0, s;\nmov.u32 %r1, %tid.x;\nadd.u32 %r0, %r0, %r1;\nst.shared.u32 [%r0+8], %r1;\nbar.sync 0;\n"
                                               "mov.u64 %rd2, s;\nld.shared.u32 %r2, [%rd2];\nst.global.u32 [%rd1], %r2;")));
  EXPECT_THAT(text, HasSubstr("addrspace(3)"));
  EXPECT_THAT(text, Not(HasSubstr("inttoptr i64 %rd2")));
  EXPECT_THAT(text, HasSubstr("fence syncscope(\"workgroup\") release"));
  EXPECT_THAT(text, HasSubstr("fence syncscope(\"workgroup\") acquire"));
}

TEST(lowering, ReadOnlyLoadsAreInvariant) {
  const std::string text = ir(module_of(kernel("ld.global.nc.u32 %r0, [%rd0];\nst.global.u32 [%rd1], %r0;")));
  EXPECT_THAT(text, HasSubstr("!invariant.load"));
}

TEST(lowering, VectorAccessesStayWhole) {
  const std::string text = assembly(module_of(kernel("ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd0];\nst.global.v4.f32 [%rd1], {%f3, %f2, %f1, %f0};\n"
                                                     "ld.volatile.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd0];\nst.global.v2.u32 [%rd1+16], {%r1, %r3};")));
  EXPECT_THAT(text, HasSubstr("dwordx4"));
  EXPECT_THAT(text, HasSubstr("global_store_dwordx4"));
  EXPECT_THAT(text, HasSubstr("global_store_dwordx2"));
}

TEST(lowering, ScopesAndOrders) {
  const std::string text = ir(module_of(kernel(
      "ld.acquire.gpu.global.u32 %r0, [%rd0];\nst.release.cta.global.u32 [%rd1], %r0;\nst.relaxed.sys.global.u32 [%rd1], %r0;\n"
      "atom.global.add.u32 %r1, [%rd1], 1;\natom.acq_rel.sys.global.cas.b32 %r2, [%rd1], 1, 2;\nfence.sc.sys;\nmembar.gl;\nst.global.u32 [%rd1], %r2;")));
  EXPECT_THAT(text, HasSubstr("load atomic i32, ptr addrspace(1)"));
  EXPECT_THAT(text, HasSubstr("syncscope(\"agent\") acquire"));
  EXPECT_THAT(text, HasSubstr("syncscope(\"workgroup\") release"));
  EXPECT_THAT(text, HasSubstr("atomicrmw add ptr addrspace(1)"));
  EXPECT_THAT(text, HasSubstr("syncscope(\"agent\") monotonic"));
  EXPECT_THAT(text, HasSubstr(" acq_rel acquire, align 4"));
  EXPECT_THAT(text, HasSubstr("fence seq_cst"));
  EXPECT_THAT(text, HasSubstr("fence syncscope(\"agent\") seq_cst"));
}

TEST(lowering, ModeFlushesWhenEveryInstructionDoes) {
  const std::string load = "ld.global.f32 %f0, [%rd0];\n", store = "\nst.global.f32 [%rd1], %f1;";
  const std::string all = assembly(module_of(kernel(load + "add.ftz.f32 %f1, %f0, %f0;\nmul.ftz.f32 %f1, %f1, %f0;" + store)));
  EXPECT_THAT(all, HasSubstr(".amdhsa_float_denorm_mode_32 0"));
  const std::string mixed = assembly(module_of(kernel(load + "add.ftz.f32 %f1, %f0, %f0;\nmul.f32 %f1, %f1, %f0;" + store)));
  EXPECT_THAT(mixed, HasSubstr(".amdhsa_float_denorm_mode_32 3"));
  const std::string doubles = assembly(module_of(kernel("ld.global.f64 %d0, [%rd0];\nadd.f64 %d0, %d0, %d0;\nst.global.f64 [%rd1], %d0;")));
  EXPECT_THAT(doubles, HasSubstr(".amdhsa_float_denorm_mode_16_64 3"));
}

TEST(lowering, MultiplyAndAddStayApart) {
  const std::string text = assembly(module_of(kernel("ld.global.f32 %f0, [%rd0];\nmul.rn.f32 %f1, %f0, %f0;\nadd.rn.f32 %f1, %f1, %f0;\n"
                                                     "st.global.f32 [%rd1], %f1;")));
  EXPECT_THAT(text, HasSubstr("v_mul_f32"));
  EXPECT_THAT(text, HasSubstr("v_add_f32"));
  EXPECT_THAT(text, Not(HasSubstr("v_fma")));
}

TEST(lowering, DirectedRoundingIsOneBundle) {
  const std::string body = "ld.global.f32 %f0, [%rd0];\nadd.rz.f32 %f1, %f0, %f0;\nst.global.f32 [%rd1], %f1;";
  const std::string rdna = assembly(module_of(kernel(body)));
  EXPECT_THAT(rdna, testing::ContainsRegex("s_round_mode 15\n[^\n]*v_add_f32[^\n]*\n[^\n]*s_round_mode 0\n"));
  const std::string cdna = assembly(module_of(kernel(body)), "gfx90a");
  EXPECT_THAT(cdna, testing::ContainsRegex("s_setreg_imm32_b32 hwreg\\(HW_REG_MODE, 0, 4\\), 15\n[^\n]*v_add_f32"));
}

TEST(lowering, TwoWarpsShareAWave64) {
  EXPECT_THAT(ir(module_of(kernel("setp.ne.u32 %p0, %r0, 1;\nmov.u32 %r0, %laneid;\nvote.sync.ballot.b32 %r1, %p0, -1;\nst.global.v2.u32 [%rd1], {%r0, %r1};")), "gfx90a"),
              HasSubstr("@llvm.amdgcn.mbcnt.hi"));
  EXPECT_THAT(ir(module_of(kernel("mov.u32 %r0, %laneid;\nst.global.u32 [%rd1], %r0;"))), Not(HasSubstr("mbcnt.hi")));
}

TEST(lowering, ExitInAFunctionEndsTheThreadOnly) {
  const std::string text = ir(module_of(
      ".func check(.param .b32 a)\n{\n.reg .b32 %r;\n.reg .pred %p;\nld.param.b32 %r, [a];\nsetp.gt.u32 %p, %r, 20;\n@%p exit;\nret;\n}\n" +
      kernel("mov.u32 %r0, %tid.x;\n{ .param .b32 a;\nst.param.b32 [a], %r0;\ncall check, (a);\n}\nst.global.u32 [%rd1], %r0;")));
  EXPECT_THAT(text, Not(HasSubstr("ptxshim.exit")));
  EXPECT_THAT(text, Not(HasSubstr("endpgm")));
  EXPECT_THAT(text, HasSubstr("ret void"));
}

TEST(lowering, ExitInARecursiveFunctionIsAnErrorThatSaysSo) {
  const CodeObject object = translated(request(module_of(
      ".func deep(.param .b32 a)\n{\n.reg .b32 %r;\n.reg .pred %p;\nld.param.b32 %r, [a];\nsetp.eq.u32 %p, %r, 0;\n@%p exit;\nsub.u32 %r, %r, 1;\n"
      "{ .param .b32 b;\nst.param.b32 [b], %r;\ncall deep, (b);\n}\nret;\n}\n" +
      kernel("{ .param .b32 a;\nst.param.b32 [a], 3;\ncall deep, (a);\n}\nst.global.u32 [%rd1], %r0;"))));
  EXPECT_THAT(info(object, "k").error, HasSubstr("exit in the function 'deep'"));
  EXPECT_EQ(info(object, "k").error_code, CUDA_ERROR_NOT_SUPPORTED);
}

TEST(lowering, FunctionPointersReachTheirTargets) {
  const std::string text = assembly(module_of(
      ".visible .func (.param .b32 r) one(.param .b32 a)\n{\n.reg .b32 %r;\nld.param.b32 %r, [a];\nadd.u32 %r, %r, 1;\nst.param.b32 [r], %r;\nret;\n}\n"
      ".visible .global .align 8 .u64 table[1] = {one};\n" +
      kernel("ld.global.u64 %rd2, [table];\n{ .param .b32 a; .param .b32 r;\nst.param.b32 [a], %r0;\nshape: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
             "call (r), %rd2, (a), shape;\nld.param.b32 %r1, [r];\n}\nst.global.u32 [%rd1], %r1;")));
  EXPECT_THAT(text, HasSubstr("s_swappc_b64"));
  EXPECT_THAT(text, HasSubstr(".quad\tone"));
}

TEST(lowering, HostileShapesAreErrors) {
  for (const char* body : {"bar.sync 0, %r0, %r1;", "ld.global.u32 %r0, [k];", "mov.b64 {%r0, %r1, %r2}, %rd0;", "call %r0;", "brx.idx %r0, nowhere;"}) {
    const Result<CodeObject> result = ptxshim::translate(request(module_of(kernel(body))));
    EXPECT_TRUE(!result.ok() || !result->kernels[0].error.empty()) << body;
  }
}

} // namespace
