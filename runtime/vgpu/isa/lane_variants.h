// SPDX-License-Identifier: MIT
// Opcodes whose modifier bits choose among meanings: one function each. v_dot4_i32_iu8 and v_dot8_i32_iu4 take the sign of
// their first two operands from the neg bits.
#pragma once

#include "meanings/meanings.h"

namespace ptxshim::vgpu::meaning {

#define PTXSHIM_SIGNED_DOT(name)                                                                                       \
  inline int32_t name##_uu(uint32_t a, uint32_t b, int32_t c) { return name(a, b, c, false, false); }                 \
  inline int32_t name##_su(uint32_t a, uint32_t b, int32_t c) { return name(a, b, c, true, false); }                  \
  inline int32_t name##_us(uint32_t a, uint32_t b, int32_t c) { return name(a, b, c, false, true); }                  \
  inline int32_t name##_ss(uint32_t a, uint32_t b, int32_t c) { return name(a, b, c, true, true); }                   \
  inline int32_t name##_uu_sat(uint32_t a, uint32_t b, int32_t c) { return name##_sat(a, b, c, false, false); }       \
  inline int32_t name##_su_sat(uint32_t a, uint32_t b, int32_t c) { return name##_sat(a, b, c, true, false); }        \
  inline int32_t name##_us_sat(uint32_t a, uint32_t b, int32_t c) { return name##_sat(a, b, c, false, true); }        \
  inline int32_t name##_ss_sat(uint32_t a, uint32_t b, int32_t c) { return name##_sat(a, b, c, true, true); }
PTXSHIM_SIGNED_DOT(v_dot4_i32_iu8)
PTXSHIM_SIGNED_DOT(v_dot8_i32_iu4)
#undef PTXSHIM_SIGNED_DOT

} // namespace ptxshim::vgpu::meaning
