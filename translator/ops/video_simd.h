// SPDX-License-Identifier: MIT
// The common body of the SIMD video instructions: an operation on two halves or four bytes.
#pragma once

#include "lower/emitter.h"

namespace ptxshim::ptx {

enum class VideoOperation : uint8_t { Add, Sub, Average, AbsoluteDifference, Min, Max, Set };
Result<void> video_simd(Emitter& e, VideoOperation operation, unsigned lanes);

} // namespace ptxshim::ptx

// clang-format off
#define PTXSHIM_VIDEO_TYPES "dt=.u32|.s32; at=.u32|.s32; bt=.u32|.s32"
#define PTXSHIM_VIDEO_OP(name, operation, lanes)                                                                       \
  PTXSHIM_OP(name,                                                                                                     \
    {#name "<dt><at><bt>{sat} d, a, b, c", PTXSHIM_VIDEO_TYPES "; sat?=.sat", "d:b32 a:b32 b:b32 c:b32", 30, 30},         \
    {#name "<dt><at><bt>.add d, a, b, c", PTXSHIM_VIDEO_TYPES, "d:b32 a:b32 b:b32 c:b32", 30, 30}) {                      \
    return video_simd(e, VideoOperation::operation, lanes);                                                            \
  }
#define PTXSHIM_VIDEO_SET(name, lanes)                                                                                 \
  PTXSHIM_OP(name,                                                                                                     \
    {#name "<at><bt><cmp>{add} d, a, b, c", "at=.u32|.s32; bt=.u32|.s32; cmp=.eq|.ne|.lt|.le|.gt|.ge; add?=.add",         \
     "d:b32 a:b32 b:b32 c:b32", 30, 30}) {                                                                             \
    return video_simd(e, VideoOperation::Set, lanes);                                                                  \
  }
// clang-format on
