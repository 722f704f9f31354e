// SPDX-License-Identifier: MIT
// A load whose address is the same in all lanes and whose memory is read-only: an ordinary load.
#include "lower/access.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(ldu, {"ldu{ss}{vec}<t> {d..}, [addr]",
                 "ss?=.global; vec?=.v2|.v4; t=.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64|.b128", "d:t", 20, 20}) {
  // clang-format on
  load_elements(e, 0, 1);
  return {};
}
