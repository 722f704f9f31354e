// SPDX-License-Identifier: MIT
// ds_gws_*: global wave sync. The resource is M0[21:16] plus the instruction's offset; the value that init, sema_br and
// barrier take is that of the first lane that is on. It is the number of waves minus one, as the hardware counts down:
// the wave that finds zero lets all go and sets the counter anew.
//
// A wave that must wait looks again at its next turn; work groups that have not begun get theirs meanwhile (executor.cpp).

#include "gws.h"

#include "dispatch_state.h"
#include "lds_special.h"

namespace ptxshim::vgpu {
namespace {

const Op* look_again(Wave& wave, const Op* op) {
  wave.resume = op;
  wave.pause = Pause::Quantum;
  return nullptr;
}

uint32_t first_value(Wave& wave, const Op* op) {
  const uint64_t exec = wave.exec();
  return wave.reg(op->src[0].index)[exec ? __builtin_ctzll(exec) : 0];
}

const Op* pass_barrier(Wave& wave, const Op* op, GlobalWaveSync::Resource& resource) {
  if (wave.gws_waits) {
    if (wave.gws_phase == resource.phase) return look_again(wave, op);
    wave.gws_waits = false;
    return op + 1;
  }
  if (resource.counter == 0) {
    ++resource.phase;
    resource.counter = first_value(wave, op);
    return op + 1;
  }
  --resource.counter;
  wave.gws_waits = true;
  wave.gws_phase = resource.phase;
  return look_again(wave, op);
}

const Op* take_semaphore(Wave& wave, const Op* op, GlobalWaveSync::Resource& resource) {
  if (resource.counter == 0) {
    if (!wave.gws_waits) ++resource.queued;
    wave.gws_waits = true;
    return look_again(wave, op);
  }
  if (wave.gws_waits) --resource.queued;
  wave.gws_waits = false;
  --resource.counter;
  return op + 1;
}

} // namespace

const Op* run_gws(Wave& wave, const Op* op) {
  const bool takes_value = op->src[0].kind == SourceKind::Vector;
  if (!takes_value && !wave.exec()) return op + 1; // nothing is sent (RDNA3 ISA 13.4.2)
  GlobalWaveSync& gws = *wave.group->dispatch->gws;
  const std::lock_guard<std::mutex> lock(gws.mutex);
  GlobalWaveSync::Resource& resource = gws.resources[((wave.s[kM0] >> 16) + static_cast<uint32_t>(op->offset)) & 63U];
  switch (static_cast<GwsOp>(op->immediate)) {
  case GwsOp::Init: resource = {first_value(wave, op), resource.phase, 0}; break;
  case GwsOp::SemaV: ++resource.counter; break;
  case GwsOp::SemaBr: resource.counter += first_value(wave, op); break;
  case GwsOp::SemaP: return take_semaphore(wave, op, resource);
  case GwsOp::SemaReleaseAll: resource.counter = resource.queued; break;
  case GwsOp::Barrier: return pass_barrier(wave, op, resource);
  }
  return op + 1;
}

} // namespace ptxshim::vgpu
