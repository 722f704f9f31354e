// SPDX-License-Identifier: MIT
// What translate() says about kernels and variables, and how modules are linked.
#include "lowering.h"

#include "ptxshim/target.h"

namespace {

using namespace lowering;
using ptxshim::VariableInfo;
using ptxshim::VariableSpace;

TEST(translate, MakesAnElfForEveryTarget) {
  for (const ptxshim::Target& target : ptxshim::kTargets) {
    if (target.minimum_llvm > 19) continue;
    const CodeObject object = translated(request(module_of(kernel("st.global.u32 [%rd1], 7;")), target.name));
    ASSERT_GT(object.elf.size(), 64u) << target.name;
    EXPECT_EQ(static_cast<char>(object.elf[1]), 'E');
    EXPECT_EQ(info(object, "k").wave_size, target.wave_size);
    EXPECT_EQ(object.target, target.name);
  }
}

TEST(translate, MakesWavesOf64LanesOnRequest) {
  TranslateRequest r = request(module_of(kernel("st.global.u32 [%rd1], 7;")), "gfx1030");
  r.wave_size = 64;
  EXPECT_EQ(info(translated(r), "k").wave_size, 64u);
}

TEST(translate, LaysParametersOutAsPtxDoes) {
  const CodeObject object = translated(request(module_of(
      ".visible .entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d, .param .f64 e)\n{ret;}\n")));
  const KernelInfo& k = info(object, "k");
  ASSERT_EQ(k.parameters.size(), 5u);
  const uint32_t offsets[] = {0, 8, 16, 36, 40}, sizes[] = {1, 8, 20, 2, 8};
  for (size_t n = 0; n < 5; ++n) {
    EXPECT_EQ(k.parameters[n].offset, offsets[n]) << n;
    EXPECT_EQ(k.parameters[n].size, sizes[n]) << n;
  }
  EXPECT_EQ(k.parameter_bytes, 48u);
}

TEST(translate, MetadataHasTheSameOffsets) {
  const std::string text = assembly(module_of(
      ".visible .entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d)\n{ret;}\n"));
  EXPECT_THAT(text, testing::ContainsRegex("offset: +0\n +.size: +1\n.*\n.*offset: +8\n +.size: +8\n.*\n.*offset: +16\n +.size: +20\n.*\n"
                                           ".*offset: +36\n +.size: +2\n"));
}

TEST(translate, ReportsSharedMemoryAndBlockLimits) {
  const CodeObject object = translated(request(module_of(
      ".shared .align 16 .b8 tile[4096];\n.extern .shared .align 8 .b8 more[];\n"
      ".visible .entry k(.param .u64 out)\n.maxntid 128, 2, 1\n{.reg .b32 %r<4>; .reg .b64 %rd;\nld.param.u64 %rd, [out];\n"
      "mov.u32 %r0, %tid.x;\nmov.u32 %r1, tile;\nadd.u32 %r1, %r1, %r0;\nst.shared.u32 [%r1], %r0;\nmov.u32 %r2, more;\n"
      "st.shared.u32 [%r2], %r0;\nbar.sync 0;\nld.shared.u32 %r3, [%r1+64];\nst.global.u32 [%rd], %r3;\nret;}\n")));
  const KernelInfo& k = info(object, "k");
  EXPECT_EQ(k.static_shared_bytes, 4096u);
  EXPECT_EQ(k.dynamic_shared_alignment, 8u);
  EXPECT_EQ(k.max_threads, 256u);
  EXPECT_GT(k.vgprs, 0u);
  EXPECT_EQ(k.vgpr_spills, 0u);
}

TEST(translate, NamesVariables) {
  const CodeObject object = translated(request(module_of(
      ".visible .global .align 8 .b8 buffer[24] = {1, 2, 3};\n.const .align 4 .f32 factors[5];\n.global .attribute(.managed) .u32 shared_with_host;\n" +
      kernel("ld.const.f32 %f0, [factors+8];\nst.global.f32 [buffer], %f0;"))));
  ASSERT_EQ(object.variables.size(), 3u);
  const auto find = [&](const std::string& name) {
    for (const VariableInfo& each : object.variables)
      if (each.name == name) return each;
    ADD_FAILURE() << name;
    return VariableInfo{};
  };
  EXPECT_EQ(find("buffer").size, 24u);
  EXPECT_EQ(find("buffer").alignment, 8u);
  EXPECT_EQ(find("buffer").space, VariableSpace::Global);
  EXPECT_EQ(find("factors").size, 20u);
  EXPECT_EQ(find("factors").space, VariableSpace::Const);
  EXPECT_EQ(find("shared_with_host").space, VariableSpace::Managed);
  EXPECT_EQ(info(object, "k").constant_bytes, 20u);
}

TEST(translate, HostWritableVariablesAreNeverFolded) {
  const std::string text = ir(module_of(".const .u32 setting = 5;\n.visible .global .u32 state = 6;\n" +
                                        kernel("ld.const.u32 %r0, [setting];\nld.global.u32 %r1, [state];\nadd.u32 %r2, %r0, %r1;\n"
                                               "st.global.u32 [%rd1], %r2;")));
  EXPECT_THAT(text, testing::HasSubstr("load i32, ptr addrspace(4) @setting"));
  EXPECT_THAT(text, testing::HasSubstr("load i32, ptr addrspace(1) @state"));
}

// No relocation of AMD's ELF writes one byte, or 32 bits, of an address.
TEST(translate, RefusesPartsOfAnAddressAsInitialisers) {
  for (const char* const variable : {".global .u8 part[2] = {0xFF(g), 0xFF00(g)};", ".global .u32 part[1] = {g};", ".global .u64 part = 0xFF(g);",
                                     ".global .u8 part[8] = {0xFF(g), 0xFF00(g), 0xFF0000(g), 0xFF000000(g), 0xFF00000000(g), 0xFF0000000000(g), "
                                     "0xFF000000000000(g), 0xFF00000000000000(g+1)};"}) {
    const Result<CodeObject> refused = ptxshim::translate(request(module_of(std::string(".global .u32 g;\n") + variable)));
    ASSERT_FALSE(refused) << variable;
    EXPECT_EQ(refused.error().code, CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("part: a part of the address of 'g' as initialiser is not supported")) << variable;
  }
}

// Each thread has its own copy, on its stack. Where a call cannot be inlined there is no place to look for it.
TEST(translate, ModuleVariablesInLocalMemoryCostWhoCannotReachThem) {
  const auto module = [](const std::string& text) { return ".version 2.3\n.target sm_20\n.address_size 64\n.local .u32 mine[4];\n" + text; };
  const std::string recursive = ".func again(.reg .u32 n)\n{\n.reg .u32 %r<2>;\n.reg .pred %p;\nld.local.u32 %r0, [mine+4];\nadd.u32 %r0, %r0, n;\n"
                                "st.local.u32 [mine+4], %r0;\nsub.u32 %r1, n, 1;\nsetp.ne.u32 %p, %r1, 0;\n@%p call again, (%r1);\nret;\n}\n";
  const CodeObject object = translated(request(module(recursive + kernel("ld.global.u32 %r1, [%rd0];\nmov.u64 %rd2, mine;\nadd.u64 %rd2, %rd2, %rd0;\n"
                                                                        "st.local.u32 [%rd2], %r1;\nld.local.u32 %r2, [mine];\nst.global.u32 [%rd1], %r2;", "good") +
                                                      kernel("call again, (3);", "bad"))));
  EXPECT_EQ(info(object, "good").error, "");
  EXPECT_GE(info(object, "good").private_bytes, 16u);
  EXPECT_THAT(info(object, "bad").error, testing::HasSubstr("'again', which is recursive"));
  EXPECT_EQ(info(object, "bad").error_code, CUDA_ERROR_NOT_SUPPORTED);
  const CodeObject large = translated(request(module(".local .b8 more[524280];\n" + kernel("st.local.u32 [mine], 1;\nst.local.u32 [more], 2;", "bad"))));
  EXPECT_THAT(info(large, "bad").error, testing::HasSubstr("more memory than a thread has"));
}

TEST(translate, AnUnsupportedInstructionCostsItsOwnKernelOnly) {
  const CodeObject object = translated(request(module_of(
      kernel("st.global.u32 [%rd1], 1;", "good") + ".func helper()\n{\n.reg .b32 %r<2>;\nstacksave.u32 %r0;\nret;\n}\n" +
      kernel("call helper;", "bad") + kernel("stacksave.u32 %r0;", "worse"))));
  EXPECT_EQ(info(object, "good").error, "");
  EXPECT_GT(object.elf.size(), 64u);
  for (const char* name : {"bad", "worse"}) {
    EXPECT_THAT(info(object, name).error, testing::HasSubstr("stacksave")) << name;
    EXPECT_EQ(info(object, name).error_code, CUDA_ERROR_NOT_SUPPORTED) << name;
  }
  EXPECT_THAT(object.info_log, testing::HasSubstr("'bad' was not translated"));
}

TEST(translate, AtomicsOn128BitsAreRefusedByName) {
  for (const char* each : {"atom.global.cas.b128 %q1, [%rd], %q0, %q0;", "atom.global.exch.b128 %q1, [%rd], %q0;", "atom.shared.exch.b128 %q1, [%rd], %q0;"}) {
    const CodeObject object = translated(request(".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n.reg .b128 %q<2>;\n"
                                                 ".reg .b64 %rd;\nld.param.u64 %rd, [in];\nmov.b128 %q0, {%rd, %rd};\n" +
                                                 std::string(each) + "\nret;\n}\n"));
    EXPECT_THAT(info(object, "k").error, testing::HasSubstr("atomic operations on 128 bits are not supported")) << each;
    EXPECT_THAT(info(object, "k").error, testing::HasSubstr("test.ptx:10:1: error: ")) << each;
    EXPECT_EQ(info(object, "k").error_code, CUDA_ERROR_NOT_SUPPORTED) << each;
  }
}

TEST(translate, AnUndefinedFunctionCostsItsCallersOnly) {
  const std::string text = module_of(".extern .func (.param .b32 r) somewhere(.param .b32 a);\n" + kernel("st.global.u32 [%rd1], 1;", "good") +
                                     kernel("{ .param .b32 a; .param .b32 r;\nst.param.b32 [a], %r0;\ncall (r), somewhere, (a);\n}", "bad"));
  const CodeObject object = translated(request(text));
  EXPECT_EQ(info(object, "good").error, "");
  EXPECT_THAT(info(object, "bad").error, testing::HasSubstr("'somewhere'"));
}

TEST(translate, TooMuchSharedMemoryCostsItsKernelOnly) {
  const CodeObject object = translated(request(module_of(
      ".shared .align 4 .b8 large[200000];\n" + kernel("st.global.u32 [%rd1], 1;", "good") +
      kernel("mov.u32 %r0, %tid.x;\nmov.u32 %r1, large;\nadd.u32 %r1, %r1, %r0;\nst.shared.u32 [%r1], 3;\nld.shared.u32 %r2, [large];\n"
             "st.global.u32 [%rd1], %r2;", "bad"))));
  EXPECT_EQ(info(object, "good").error, "");
  EXPECT_THAT(info(object, "bad").error, testing::HasSubstr("local memory"));
  EXPECT_GT(object.elf.size(), 64u);
}

// Counted in 32 bits it would be none at all.
TEST(translate, FourGigabytesOfSharedMemoryAreTooMuch) {
  const std::string body = "mov.u32 %r1, large;\nst.shared.u32 [%r1], 3;\nbar.sync 0;\nld.shared.u32 %r2, [%r1];\nst.global.u32 [%rd1], %r2;";
  for (const char* size : {"4294967296", "8589934592", "2000000"}) {
    const CodeObject object =
        translated(request(module_of(".shared .align 4 .b8 large[" + std::string(size) + "];\n" + kernel(body, "bad"))));
    EXPECT_THAT(info(object, "bad").error, testing::HasSubstr("shared memory")) << size;
  }
}

TEST(translate, OnlyTheKernelsAskedFor) {
  TranslateRequest r = request(module_of(kernel("st.global.u32 [%rd1], 1;", "one") + kernel("st.global.u32 [%rd1], 2;", "two")));
  r.kernels = {"two"};
  const CodeObject object = translated(r);
  ASSERT_EQ(object.kernels.size(), 1u);
  EXPECT_EQ(object.kernels[0].name, "two");
  r.kernels = {"three"};
  const Result<CodeObject> missing = ptxshim::translate(r);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, CUDA_ERROR_NOT_FOUND);
}

TEST(translate, LinksSeveralModules) {
  TranslateRequest r = request(module_of(".extern .func (.param .b32 r) twice(.param .b32 a);\n.extern .global .u32 base;\n" +
                                         kernel("{ .param .b32 a; .param .b32 r;\nst.param.b32 [a], 21;\ncall (r), twice, (a);\n"
                                                "ld.param.b32 %r0, [r];\n}\nld.global.u32 %r1, [base];\nadd.u32 %r0, %r0, %r1;\nst.global.u32 [%rd1], %r0;")));
  r.modules.push_back(module_of(".visible .global .u32 base = 1;\n.visible .func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<2>;\n"
                                "ld.param.b32 %r0, [a];\nadd.u32 %r0, %r0, %r0;\nst.param.b32 [r], %r0;\nret;\n}\n"));
  const CodeObject object = translated(r);
  EXPECT_EQ(info(object, "k").error, "");
  ASSERT_EQ(object.variables.size(), 1u);
  EXPECT_EQ(object.variables[0].name, "base");
}

TEST(translate, ASymbolDefinedTwiceIsNamed) {
  TranslateRequest r = request(module_of(".visible .func helper()\n{ret;}\n" + kernel("call helper;")));
  r.modules.push_back(module_of(".visible .func helper()\n{ret;}\n"));
  const Result<CodeObject> result = ptxshim::translate(r);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, testing::HasSubstr("helper"));
}

TEST(translate, KernelNamesKeepTheirCharacters) {
  const CodeObject object = translated(request(module_of(kernel("st.global.u32 [%rd1], 1;", "_Z$odd$name"))));
  EXPECT_EQ(info(object, "_Z$odd$name").error, "");
  const std::string bytes(reinterpret_cast<const char*>(object.elf.data()), object.elf.size());
  EXPECT_THAT(bytes, testing::HasSubstr("_Z$odd$name.kd"));
}

TEST(translate, RefusesWhatItCannotServe) {
  EXPECT_EQ(ptxshim::translate(request(module_of(""), "gfx1")).error().code, CUDA_ERROR_NO_BINARY_FOR_GPU);
  TranslateRequest r = request(module_of(""));
  r.code_object_version = 3;
  EXPECT_FALSE(ptxshim::translate(r).ok());
  r = request(module_of(""), "gfx90a");
  r.wave_size = 32;
  EXPECT_EQ(ptxshim::translate(r).error().code, CUDA_ERROR_INVALID_VALUE);
  r = request(".version 6.0\n.target sm_30\n.address_size 32\n.entry k(.param .u32 p) { ret; }\n");
  EXPECT_EQ(ptxshim::translate(r).error().code, CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_THAT(ptxshim::translate(r).error().message, testing::HasSubstr("addresses of 32 bits"));
  r = request("not PTX");
  EXPECT_EQ(ptxshim::translate(r).error().code, CUDA_ERROR_INVALID_PTX);
  r.modules.clear();
  EXPECT_FALSE(ptxshim::translate(r).ok());
}

} // namespace
