// SPDX-License-Identifier: MIT
// The best of the host ISAs that handlers and memory kernels were compiled for.
#include "memory_kernels.h"
#include "valu.h"

namespace ptxshim::vgpu {
namespace {

HostIsa& chosen() {
  static HostIsa isa = best_host_isa();
  return isa;
}

} // namespace

HostIsa best_host_isa() {
  if (__builtin_cpu_supports("x86-64-v4")) return HostIsa::V4;
  if (__builtin_cpu_supports("x86-64-v3")) return HostIsa::V3;
  return HostIsa::V2;
}

HostIsa host_isa() { return chosen(); }
void choose_host_isa(HostIsa isa) { chosen() = isa; }

const ValuTable* valu_tables(HostIsa isa) {
  static const ValuTable kTables[kHostIsas][kValuGroups] = {
      {kValuFloat_V2, kValuInteger_V2, kValuCompare_V2, kValuPacked_V2},
      {kValuFloat_V3, kValuInteger_V3, kValuCompare_V3, kValuPacked_V3},
      {kValuFloat_V4, kValuInteger_V4, kValuCompare_V4, kValuPacked_V4},
  };
  return kTables[static_cast<unsigned>(isa)];
}

const ValuSteps& valu_steps() {
  static const ValuSteps* const kSteps[kHostIsas] = {&kValuSteps_V2, &kValuSteps_V3, &kValuSteps_V4};
  return *kSteps[static_cast<unsigned>(chosen())];
}

const MemoryKernels* memory_kernels(HostIsa isa) {
  switch (isa) {
  case HostIsa::V2: return kMemory_V2;
  case HostIsa::V3: return kMemory_V3;
  case HostIsa::V4: return kMemory_V4;
  }
  return kMemory_V2;
}

const RowHandlers& row_handlers(bool wide, bool stores) {
  static const RowHandlers (*const kHandlers[kHostIsas])[2] = {kRowHandlers_V2, kRowHandlers_V3, kRowHandlers_V4};
  return kHandlers[static_cast<unsigned>(chosen())][wide][stores];
}

Handler permute_handler(bool wide) {
  static const Handler* const kHandlers[kHostIsas] = {kPermuteHandlers_V2, kPermuteHandlers_V3, kPermuteHandlers_V4};
  return kHandlers[static_cast<unsigned>(chosen())][wide];
}

const AtomicHandlers& atomic_handlers(bool wide, AtomicOp op) {
  static const std::array<AtomicHandlers, kAtomicOps>* const kHandlers[kHostIsas] = {kAtomicHandlers_V2, kAtomicHandlers_V3, kAtomicHandlers_V4};
  return kHandlers[static_cast<unsigned>(chosen())][wide][static_cast<size_t>(op)];
}

} // namespace ptxshim::vgpu
