// SPDX-License-Identifier: MIT
// Between the vector operations and the lane kernels that are compiled once per host ISA.
#pragma once

#include <cstdint>

namespace ptxshim::vgpu {

// What a register row holds for one operand; decides how modifiers act on it and how many words it takes.
enum class ValueType : uint8_t { None, B16, F16, BF16, B32, F32, B64, F64, B16x2, F16x2, B32x2, F32x2, Mask };

constexpr unsigned words_of(ValueType type) {
  return type == ValueType::B64 || type == ValueType::F64 || type == ValueType::B32x2 || type == ValueType::F32x2 ? 2 : 1;
}

// 32 lanes of one operation. Rows of 64-bit operands: low words at p, high words at p + stride.
struct LaneArgs {
  uint32_t* dst;
  const uint32_t* src[4];
  uint32_t stride;
  uint32_t exec;
  uint32_t carry_in;
  uint32_t carry_out;   // lanes outside exec: zero
  uint32_t keep;        // bits of the destination that a 16-bit result leaves alone
  const void* mode;     // FloatMode, for kernels of ModeKind::Other
};
using LaneKernel = void (*)(LaneArgs&);

// keep or flush f32 denormals with IEEE rules, the same two without, and any mode
inline constexpr unsigned kModeKinds = 5;

struct ValuInfo {
  const char* name;
  ValueType result;         // None: only a mask
  uint8_t sources;
  ValueType source[4];
  bool takes_carry;         // a lane mask as last source
  bool gives_carry;         // a lane mask beside the result, or alone
  LaneKernel kernel[kModeKinds];
};

enum class HostIsa : uint8_t { V2, V3, V4 };
inline constexpr unsigned kHostIsas = 3;
struct ValuTable {
  const ValuInfo* infos;
  unsigned count;
};
inline constexpr unsigned kValuGroups = 4;
// One per host ISA and group of rows (vop_*.def).
#define PTXSHIM_VALU_TABLES(isa)                                                                                       \
  extern const ValuTable kValuFloat_##isa, kValuInteger_##isa, kValuCompare_##isa, kValuPacked_##isa;
PTXSHIM_VALU_TABLES(V2)
PTXSHIM_VALU_TABLES(V3)
PTXSHIM_VALU_TABLES(V4)
#undef PTXSHIM_VALU_TABLES

HostIsa best_host_isa();
const ValuTable* valu_tables(HostIsa isa); // kValuGroups of them

} // namespace ptxshim::vgpu
