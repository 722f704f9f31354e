// SPDX-License-Identifier: MIT
#include "ops/op.h"
#include "ops/video_simd.h"

PTXSHIM_VIDEO_OP(vabsdiff2, AbsoluteDifference, 2)
