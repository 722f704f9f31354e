// SPDX-License-Identifier: MIT
//
// All meanings of vector and scalar ALU opcodes: one pure function an opcode, with the opcode's name (no encoding
// suffix, no generation). Parameters are the source operands in order, a carry or condition bit after them, the mode
// last where it matters. They see one lane, no EXEC, no memory; source modifiers, clamp, omod and lane loops are the
// harness's. To add an opcode: its function here, its row in the executor's table, its TEST.
#pragma once

#include "meanings/bits.h"          // IWYU pragma: export
#include "meanings/compare.h"       // IWYU pragma: export
#include "meanings/convert.h"       // IWYU pragma: export
#include "meanings/cube.h"          // IWYU pragma: export
#include "meanings/fixup.h"         // IWYU pragma: export
#include "meanings/float16.h"       // IWYU pragma: export
#include "meanings/float32.h"       // IWYU pragma: export
#include "meanings/float64.h"       // IWYU pragma: export
#include "meanings/float8.h"        // IWYU pragma: export
#include "meanings/integer.h"       // IWYU pragma: export
#include "meanings/packed.h"        // IWYU pragma: export
#include "meanings/scalar.h"        // IWYU pragma: export
#include "meanings/scalar_float.h"  // IWYU pragma: export
#include "meanings/transcendental.h" // IWYU pragma: export
