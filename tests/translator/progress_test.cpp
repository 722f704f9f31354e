// SPDX-License-Identifier: MIT
// Which kernels are rewritten because lanes of a wave could wait for each other. That they then go on is shown by the
// cases under tests/ptx; here, that kernels in which no lane waits for its own wave keep their code.
#include "lowering.h"

namespace {

using namespace lowering;

std::string ir_for(const std::string& module, uint32_t wave_size) {
  TranslateRequest r = request(module);
  r.wave_size = wave_size;
  return emitted(r, Emit::Ir);
}
// The loop that stands for lanes in different places begins each turn with an assembly statement.
bool is_rewritten(const std::string& module, uint32_t wave_size) {
  return ir_for(module, wave_size).find("asm sideeffect \"\"") != std::string::npos;
}
// In such a loop: lanes that come while others of their warp are on their way come again, until the warp is complete.
bool gathers_warps(const std::string& body) { return ir_for(module_of(kernel(body)), 64).find("\ncomplete:") != std::string::npos; }
std::string name(bool rewritten) { return rewritten ? "rewritten" : "kept"; }
void expect(const std::string& body, bool on_wave32, bool on_wave64) {
  const std::string module = module_of(".shared .align 4 .u32 word;\n" + kernel(body));
  EXPECT_EQ(name(is_rewritten(module, 32)), name(on_wave32)) << "wave32";
  EXPECT_EQ(name(is_rewritten(module, 64)), name(on_wave64)) << "wave64";
}

const std::string kTake = "again: atom.global.cas.b32 %r0, [%rd0], 0, 1;\nsetp.ne.s32 %p0, %r0, 0;\n@%p0 bra again;\n";
const std::string kGiveBack = "atom.global.exch.b32 %r1, [%rd0], 0;\n";

TEST(progress, ALockOfLanesIsRewritten) { expect(kTake + "st.global.u32 [%rd1], 1;\n" + kGiveBack, true, true); }

TEST(progress, ALockThatTheBlockWaitsForIsKept) { expect(kTake + "bar.sync 0;\nst.global.u32 [%rd1], 1;\n", false, false); }

// One thread waits for other blocks, its own block waits for it (as in cooperative groups).
TEST(progress, AGridBarrierIsKept) {
  expect("mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra met;\nred.global.add.u32 [%rd0], 1;\n"
         "wait: ld.acquire.gpu.global.u32 %r0, [%rd0];\nsetp.lt.u32 %p0, %r0, 100;\n@%p0 bra wait;\nmet: bar.sync 0;\n"
         "st.global.u32 [%rd1], %r1;",
         false, false);
}

TEST(progress, ARetriedUpdateIsKept) {
  expect("ld.global.u32 %r0, [%rd0];\nretry: mov.u32 %r1, %r0;\nmul.lo.u32 %r2, %r1, 3;\n"
         "atom.global.cas.b32 %r0, [%rd0], %r1, %r2;\nsetp.ne.s32 %p0, %r0, %r1;\n@%p0 bra retry;\nst.global.u32 [%rd1], %r0;",
         false, false);
}

TEST(progress, AQueueOfWorkIsKept) {
  expect("next: atom.global.add.u32 %r0, [%rd0], 1;\nsetp.gt.u32 %p0, %r0, 99;\n@%p0 bra done;\nmul.wide.u32 %rd2, %r0, 4;\n"
         "add.u64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], %r0;\nbra next;\ndone:",
         false, false);
}

// All lanes see the same value of one word: none of them waits longer than another.
TEST(progress, AWaitOfAllLanesForOneWordIsKept) {
  expect("wait: ld.volatile.shared.u32 %r0, [word];\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 bra wait;\nst.global.u32 [%rd1], %r0;", false,
         false);
}

// A word that each lane of the warp reads for itself. On waves of 64 lanes this is rewritten: though only lanes below 32 come
// here and no other index is asked for, blocks of several dimensions bring several warps. Their lanes stay together, so
// the vote need not wait for its members.
TEST(progress, AVoteOfAWarpKeepsTheWarpWhole) {
  const std::string wait = "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd0, %rd2;\n"
                           "setp.gt.u32 %p1, %r1, 31;\n@%p1 bra met;\nwait: ld.volatile.global.u32 %r0, [%rd2];\n"
                           "setp.eq.u32 %p0, %r0, 0;\nvote.sync.any.pred %p2, %p0, 0xffffffff;\n@%p2 bra wait;\n"
                           "st.global.u32 [%rd1], %r0;\nmet: bar.sync 0;\n";
  expect(wait, false, true);
  EXPECT_FALSE(gathers_warps(wait));
  const std::string vote = "vote.sync.any.pred %p2, %p0, 0xffffffff;\n";
  EXPECT_TRUE(gathers_warps(kTake + vote + "@%p2 st.global.u32 [%rd1], 1;\n" + kGiveBack)); // a lock of lanes
}

TEST(progress, BarriersOnOneSideAreKept) {
  expect("mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 99;\n@%p1 bra done;\nbar.sync 0;\nst.global.u32 [%rd1], %r1;\nbar.sync 0;\ndone:",
         false, false);
}

TEST(progress, BarriersOfWarpsInDifferentPlacesAreRewrittenWhereTwoShareAWave) {
  expect("mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 31;\n@%p1 bra other;\nbar.sync 0;\nst.global.u32 [%rd1], 1;\nbra done;\n"
         "other: st.global.u32 [%rd1+4], 2;\nbar.sync 0;\ndone:",
         false, true);
}

TEST(progress, WarpsAtBarriersWithACountAreRewrittenWhereTwoShareAWave) {
  expect("mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 31;\n@%p1 bra other;\nbar.sync 1, 64;\nst.global.u32 [%rd1], 1;\nbra done;\n"
         "other: st.global.u32 [%rd1+4], 2;\nbar.arrive 1, 64;\ndone:",
         false, true);
}

// Behind the block's barrier the code is as it would be without the lock.
TEST(progress, WhatFollowsABarrierStaysOutOfTheLoop) {
  const std::string text = assembly(module_of(kernel(
      kTake + "st.volatile.global.u32 [%rd1], 1;\nmembar.gl;\n" + kGiveBack +
      "bar.sync 0;\nmov.u32 %r3, %ctaid.x;\nmul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd3, %rd1, %rd3;\nld.global.u32 %r4, [%rd3];\n"
      "st.global.u32 [%rd3+4096], %r4;")));
  const size_t barrier = text.find("s_barrier");
  ASSERT_NE(barrier, std::string::npos);
  EXPECT_EQ(text.find("s_cbranch", barrier), std::string::npos) << text;
}

// Else it is computed before the loop and takes registers in all of it, more than there are.
TEST(progress, WhatAPlaceComputesStaysInThePlace) {
  std::string locks;
  for (int n = 0; n < 100; ++n) {
    const std::string next = std::to_string(n), lock = "[%rd0+" + std::to_string(n * 4096) + "]";
    locks += "again" + next + ": atom.global.cas.b32 %r0, " + lock + ", 0, 1;\nsetp.ne.s32 %p0, %r0, 0;\n@%p0 bra again" + next +
             ";\nst.volatile.global.u32 [%rd1], 1;\nmembar.gl;\natom.global.exch.b32 %r1, " + lock + ", 0;\n";
  }
  EXPECT_EQ(info(translated(request(module_of(kernel(locks)))), "k").sgpr_spills, 0U);
}

} // namespace
