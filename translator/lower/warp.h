// SPDX-License-Identifier: MIT
// A warp has 32 lanes on every target. Where the wave has 64 lanes it holds two warps, and all of this works
// on the caller's half.
#pragma once

#include "lower/emitter.h"

namespace ptxshim::ptx {

Value* wave_lane(Emitter& e);              // i32: lane within the wave, 0..63
Value* warp_lane(Emitter& e);              // i32: lane within the warp, 0..31
Value* warp_ballot(Emitter& e, Value* i1); // i32: bit per lane of the warp; lanes that are not active give 0
// i32 value of another lane (0..31) of the warp. What an inactive lane holds is not defined.
Value* warp_shuffle(Emitter& e, Value* value, Value* lane);
Value* warp_exchange(Emitter& e, Value* value, uint32_t mask); // of lane ^ mask; gfx10 and later
Value* warp_shuffle64(Emitter& e, Value* value, Value* lane);
Value* first_lane(Emitter& e, Value* value); // of the wave; i32 or i64
Value* lowest_bit(Emitter& e, Value* mask);  // i32: index of the lowest set bit, 32 when there is none

// The member mask (operand n when the instruction has .sync, else all lanes) without the lanes that are not
// active.
Value* warp_participants(Emitter& e, unsigned n);

} // namespace ptxshim::ptx
