// SPDX-License-Identifier: MIT
//
// Puts the calling thread's floating point unit into the state that the meanings are written for, and back.
// A thread inherits MXCSR from the thread that made it, so an executor's worker cannot rely on its own.
#pragma once

#include <immintrin.h>

namespace ptxshim::vgpu::meaning {

class HostFloatState {
public:
  HostFloatState() : saved_(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~HostFloatState() { _mm_setcsr(saved_); }
  HostFloatState(const HostFloatState&) = delete;
  HostFloatState& operator=(const HostFloatState&) = delete;

private:
  static constexpr unsigned kDefault = 0x1F80; // all exceptions masked, nearest even, no FTZ, no DAZ
  unsigned saved_;
};

} // namespace ptxshim::vgpu::meaning
