// SPDX-License-Identifier: MIT
// Operands of instructions that are not translated yet: each of these statements is right or wrong to ptxas, and to our checker.
#include <cstdlib>

#include "parsing.h"

namespace ptxshim::ptx {
namespace {

struct Case {
  const char* target;
  bool right;
  const char* statement;
};

// clang-format off
constexpr Case kCases[] = {
  {"sm_80",   true,  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f4,%f5,%f6,%f7}"},
  {"sm_80",   false, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r4,%r5}, {%f4,%f5,%f6,%f7}"},
  {"sm_80",   false, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%d4,%d5,%d6,%d7}"},
  {"sm_80",   true,  "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd0,%fd1}, {%fd2}, {%fd3}, {%fd0,%fd1}"},
  {"sm_80",   false, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd0,%fd1}, {%fd2,%fd3}, {%fd3}, {%fd0,%fd1}"},
  {"sm_80",   true,  "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r6,%r7}, {%r0,%r1,%r2,%r3}, %r8, 0"},
  {"sm_80",   false, "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r6,%r7}, {%r0,%r1,%r2,%r3}, %r8"},
  {"sm_80",   true,  "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%d0], %r8"},
  {"sm_80",   false, "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3}, [%d0], %r8"},
  {"sm_80",   true,  "wmma.load.b.sync.aligned.col.m8n32k16.shared.u8 {%r0,%r1,%r2,%r3}, [%d0]"},
  {"sm_80",   false, "wmma.load.b.sync.aligned.col.m8n32k16.shared.u8 {%r0}, [%d0]"},
  {"sm_80",   true,  "wmma.store.d.sync.aligned.row.m16n16k16.f16 [%d0], {%r0,%r1,%r2,%r3}, %r4"},
  {"sm_80",   false, "wmma.store.d.sync.aligned.row.m16n16k16.f16 [%d0], {%r0,%r1,%r2,%r3}, %d4"},
  {"sm_80",   true,  "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%d0]"},
  {"sm_80",   false, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1}, [%d0]"},
  {"sm_80",   false, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%h0,%h1}, [%d0]"},
  {"sm_90",   true,  "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%d0], {%r0,%r1}"},
  {"sm_90",   false, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%d0], {%r0,%r1,%r2,%r3}"},
  {"sm_80",   true,  "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1"},
  {"sm_80",   false, "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %d1"},
  {"sm_90a",  true,  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d0, %d1, %p0, 1, -1, 0, 1"},
  {"sm_90a",  false, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1}, %d0, %d1, %p0, 1, -1, 0, 1"},
  {"sm_90a",  false, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d0, %d1, %p0, 2, -1, 0, 1"},
  {"sm_100a", true,  "tcgen05.ld.sync.aligned.16x128b.x1.b32 {%r0,%r1}, [%r8]"},
  {"sm_100a", false, "tcgen05.ld.sync.aligned.16x128b.x1.b32 {%r0}, [%r8]"},
  {"sm_100a", false, "tcgen05.ld.sync.aligned.16x128b.x1.b32 {%r0,%r1}, [%d0]"},
  {"sm_100a", true,  "tcgen05.mma.cta_group::1.kind::f16 [%r0], %d0, %d1, %r1, {%r2,%r3,%r4,%r5}, %p0"},
  {"sm_100a", false, "tcgen05.mma.cta_group::2.kind::f16 [%r0], %d0, %d1, %r1, {%r2,%r3,%r4,%r5}, %p0"},
  {"sm_100a", false, "tcgen05.mma.cta_group::1.kind::f16 [%r0], %r7, %d1, %r1, %p0"},
  {"sm_80",   true,  "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [picture, {%f4,%f5}]"},
  {"sm_80",   true,  "tex.a2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%d0, {%r0,%f4,%f5,%f5}]"},
  {"sm_80",   false, "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [picture, {%f4}]"},
  {"sm_80",   false, "tex.2d.v4.f32.f32 {%f0,%f1}, [picture, {%f4,%f5}]"},
  {"sm_80",   false, "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [plane, {%f4,%f5}]"},
  {"sm_80",   true,  "tld4.r.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [picture, {%f4,%f5}], {%r0,%r1}"},
  {"sm_80",   false, "tld4.r.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [picture, {%f4,%f5}], {%h0,%h1}"},
  {"sm_80",   true,  "suld.b.2d.v2.b32.trap {%r0,%r1}, [plane, {%r2,%r3}]"},
  {"sm_80",   false, "suld.b.2d.v2.b32.trap {%r0,%r1}, [picture, {%r2,%r3}]"},
  {"sm_80",   false, "suld.b.2d.v2.b32.trap {%r0,%r1}, [plane, {%r2}]"},
  {"sm_80",   true,  "sust.b.1d.b8.zero [plane, {%r2}], %h0"},
  {"sm_80",   false, "sust.b.1d.b64.zero [plane, {%r2}], %r0"},
  {"sm_90",   true,  "mbarrier.test_wait.parity.b64 %p0, [%d0], 1"},
  {"sm_90",   false, "mbarrier.test_wait.parity.b64 %p0, [%d0], 2"},
  {"sm_90",   true,  "mbarrier.try_wait.parity.b64 %p0, [%d0], 0"},
  {"sm_90",   false, "mbarrier.try_wait.parity.b64 %p0, [%d0], 2"},
  {"sm_100a", true,  "tcgen05.alloc.cta_group::1.sync.aligned.b32 [%d0], 64"},
  {"sm_100a", false, "tcgen05.alloc.cta_group::1.sync.aligned.b32 [%d0], 513"},
  {"sm_90a",  true,  "tensormap.replace.tile.interleave_layout.b1024.b32 [%d0], 2"},
  {"sm_90a",  false, "tensormap.replace.tile.interleave_layout.b1024.b32 [%d0], 3"},
  {"sm_80",   true,  "mbarrier.arrive.shared.b64 %d0, [%d1]"},
  {"sm_80",   false, "mbarrier.arrive.shared.b64 %d0, [%d1], 2"}, // sm_90
  {"sm_90",   true,  "mbarrier.try_wait.parity.shared.b64 %p0, [%d1], %r0, %r1"},
  {"sm_90",   false, "mbarrier.try_wait.parity.shared.b64 %r2, [%d1], %r0, %r1"},
  {"sm_90",   true,  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d0], [%d1], 64, [%d2]"},
  {"sm_90",   false, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d0], [%d1], 60, [%d2]"},
  {"sm_90",   false, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d0], [%d1], 64"},
  {"sm_90",   true,  "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%d0], [%d1, {%r0,%r1,%r2}], [%d2], {%h0}"},
  {"sm_90",   false, "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%d0], [%d1, {%r0,%r1}], [%d2]"},
  {"sm_90",   true,  "multimem.ld_reduce.global.add.v4.f32 {%f0,%f1,%f2,%f3}, [%d0]"},
  {"sm_90",   false, "multimem.ld_reduce.global.add.v4.f32 {%f0,%f1}, [%d0]"},
  {"sm_80",   true,  "tld4.r.2d.v4.u32.f32 {%f0,%r1,%r2,%r3}, [picture, {%f4,%f5}]"},
  {"sm_80",   false, "tld4.r.2d.v4.u32.f32 {%f0,%f1,%f2,%f3}, [picture, {%f4,%f5}]"},
  {"sm_80",   true,  "red.global.add.noftz.L2::cache_hint.f16x2 [%d0], %r0, %d1"},
  {"sm_80",   false, "red.global.add.noftz.L2::cache_hint.f16x2 [%d0], %r0"},
  {"sm_80",   false, "red.global.add.noftz.L2::cache_hint.f16x2 [%d0], %r0, %r1"},
  {"sm_90",   false, "red.global.add.noftz.v4.f16x2 [%d0], {%r0,%r1,%r2,%d3}"},
  {"sm_90",   true,  "mbarrier.arrive.shared.b64 %d0, [%d1], 0xffffffff"},
  {"sm_90",   false, "mbarrier.arrive.shared.b64 %d0, [%d1], 0"},
  {"sm_90",   true,  "mbarrier.arrive.noComplete.shared.b64 _, [%d1], 1"},
  {"sm_90",   false, "mbarrier.expect_tx.relaxed.cta.shared.b64 [%d1], 0f3F800000"},
  {"sm_90",   true,  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d0], [%d1], WARP_SZ, [%d2]"},
  {"sm_100a", true,  "redux.sync.max.f32 %f0, %f1, %r2"},
  {"sm_100a", false, "redux.sync.max.f32 %f0, %f1, %f2"},
  {"sm_80",   true,  "vadd.u32.u32.u32 %r0.b1, %r1.h0, %r2, %r3"},
  {"sm_80",   false, "vadd.u32.u32.u32 %r0, %r1.h0, %r2, %r3.h0"},
  {"sm_80",   false, "vadd.u32.u32.u32 %r0, %r1.h0"},
};
// clang-format on

std::string text_of(const Case& each) {
  return ".version 8.8\n.target " + std::string(each.target) + "\n.address_size 64\n.global .texref picture;\n.global .surfref plane;\n"
         ".entry k() {\n.reg .pred %p<2>; .reg .b16 %h<2>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %fd<4>;\n" +
         each.statement + ";\nret;\n}\n";
}

TEST(Untranslated, operands_are_checked) {
  for (const Case& each : kCases) {
    const Parsed parsed(text_of(each));
    EXPECT_EQ(parsed.ok(), each.right) << each.target << ": " << each.statement << '\n' << parsed.message();
    if (parsed.ok()) {
      EXPECT_THAT(parsed.function().error, testing::HasSubstr("instruction '")) << each.statement; // by name, for the user
    }
  }
}

TEST(Untranslated, operands_are_so_to_ptxas) {
  if (!std::filesystem::exists(PTXSHIM_TEST_PTXAS)) GTEST_SKIP() << "there is no ptxas";
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "ptxshim-untranslated";
  std::filesystem::create_directories(folder);
  for (const Case& each : kCases) {
    std::ofstream(folder / "m.ptx") << text_of(each);
    const std::string command = std::string(PTXSHIM_TEST_PTXAS) + " -c -arch=" + each.target + " " + (folder / "m.ptx").string() + " -o " +
                                (folder / "m.cubin").string() + " >" + (folder / "log").string() + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()) == 0, each.right) << each.target << ": " << each.statement << '\n' << read_file(folder / "log");
  }
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace ptxshim::ptx
