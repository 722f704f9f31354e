// SPDX-License-Identifier: MIT
// The server side of a translation worker: what `ptxshimc --worker` runs. The client side is translate_cached
// (image.h).
//
// Both ends of the socket speak in frames, all numbers little endian:
//
// | offset | type | field                                                                       |
// |--------|------|-----------------------------------------------------------------------------|
// | 0      | u32  | magic "PXFR"                                                                |
// | 4      | u32  | kind: 1 hello (worker's first: its translator_build_id()), 2 request, 3 reply |
// | 8      | u64  | bytes of payload that follow                                                |
//
// A request's payload is encode(TranslateRequest), a reply's encode_reply(). One request at a time per
// worker.
#pragma once

#include <functional>

#include "ptxshim/code_object.h"
#include "ptxshim/result.h"
#include "ptxshim/translate.h"

namespace ptxshim {

using TranslateFunction = std::function<Result<CodeObject>(const TranslateRequest&)>;

// Serves requests from the socket `fd` (0 for ptxshimc) until the other side closes it, the process that
// started this one is gone, or nothing comes for a while. Returns the exit status: 0 for an orderly end, 1
// when the other side breaks the protocol. Static library: ptxshim_worker.
int worker_main(int fd, const TranslateFunction& translate_one);

} // namespace ptxshim
