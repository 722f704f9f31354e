// SPDX-License-Identifier: MIT
// Between the vector operations and their handlers, which are compiled once per host ISA.
#pragma once

#include <cstdint>

#include "op.h"

namespace ptxshim::vgpu {

// What a register row holds for one operand; decides how modifiers act on it and how many words it takes.
enum class ValueType : uint8_t { None, B16, F16, BF16, B32, F32, B64, F64, B16x2, F16x2, B32x2, F32x2, Mask };

constexpr unsigned words_of(ValueType type) {
  return type == ValueType::B64 || type == ValueType::F64 || type == ValueType::B32x2 || type == ValueType::F32x2 ? 2 : 1;
}

// What a handler is made for: all sources are vector registers, perhaps with signs changed; or all but one, which is a constant
// or a scalar register.
enum class SourceForm : uint8_t { Any, Registers, Signed, Uniform0, Uniform1, Uniform2 };
inline constexpr unsigned kSourceForms = 6;

struct ValuInfo {
  const char* name;
  ValueType result;         // None: only a mask
  uint8_t sources;
  ValueType source[4];
  bool takes_carry;         // a lane mask as last source
  bool gives_carry;         // a lane mask beside the result, or alone
  // For waves of 32, of 64; op->immediate: the bits of the destination that a 16-bit result leaves alone.
  Handler run[kSourceForms][2];
};

enum class HostIsa : uint8_t { V2, V3, V4 };
inline constexpr unsigned kHostIsas = 3;
struct ValuTable {
  const ValuInfo* infos;
  unsigned count;
};
// Operations that have a VopExtra: what is done before and behind them. Handlers are for waves of 32, of 64.
struct ValuSteps {
  Handler move[2];           // lanes within rows of 16, of the first source, a word
  Handler select[2];         // parts of words of vector registers, with signs
  Handler prepare_any[2];
  Handler restore[2];        // EXEC
  Handler finish_single[2];  // clamp, scale
  Handler finish_any[2];     // all of it
  void (*prepare)(const Preparation& preparation, unsigned words, unsigned lanes, const uint32_t* from, uint32_t* to);
};
inline constexpr unsigned kValuGroups = 4;
// One per host ISA and group of rows (vop_*.def).
#define PTXSHIM_VALU_TABLES(isa)                                                                                       \
  extern const ValuTable kValuFloat_##isa, kValuInteger_##isa, kValuCompare_##isa, kValuPacked_##isa;                  \
  extern const ValuSteps kValuSteps_##isa;
PTXSHIM_VALU_TABLES(V2)
PTXSHIM_VALU_TABLES(V3)
PTXSHIM_VALU_TABLES(V4)
#undef PTXSHIM_VALU_TABLES

HostIsa best_host_isa();
// What vector operations are bound to: the best one, or, for tests and measurements, another one that the host has.
HostIsa host_isa();
void choose_host_isa(HostIsa isa);
const ValuTable* valu_tables(HostIsa isa); // kValuGroups of them
const ValuSteps& valu_steps();             // of host_isa()

} // namespace ptxshim::vgpu
