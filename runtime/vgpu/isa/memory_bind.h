// SPDX-License-Identifier: MIT
// What Op::immediate holds for flat and buffer operations.
#pragma once

#include "memory_ops.h"

namespace ptxshim::vgpu {

inline constexpr unsigned kIndexed = 1, kOffset = 2; // buffer address forms: IDXEN, OFFEN

constexpr uint32_t pack_memory(Segment segment, unsigned form) { return static_cast<uint32_t>(segment) | form << 8; }
constexpr Segment segment_of(uint32_t immediate) { return static_cast<Segment>(immediate & 0xffU); }
constexpr unsigned buffer_form(uint32_t immediate) { return immediate >> 8; }

} // namespace ptxshim::vgpu
