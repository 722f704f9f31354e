// SPDX-License-Identifier: MIT
// Between the memory operations and the copies of a whole wave that are compiled once per host ISA.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "atomics.h"
#include "valu.h"

namespace ptxshim::vgpu {

// What one lane moves: a byte or a half word, extended; or words.
enum class Shape : uint8_t { U8, I8, U16, I16, W1, W2, W3, W4 };
inline constexpr unsigned kShapes = 8;
constexpr Shape shape_of(unsigned bytes, bool sign) {
  return static_cast<Shape>(bytes >= 4 ? 3 + bytes / 4 : 2 * (bytes - 1) + (sign ? 1 : 0));
}

// Where the lanes of EXEC access, seen from the first of them.
struct LaneSpan {
  alignas(64) int32_t offset[64]; // lanes outside EXEC: 0. Not set when contiguous, all lanes are on and nobody asked
  int32_t lowest, highest;
  bool contiguous;                // lane i lies i * bytes after lane 0
  bool near;                      // all distances fit in offset
};

// Addresses as registers hold them: low words, and high words or null.
struct LaneAddresses {
  const uint32_t* low;
  const uint32_t* high;
  uint64_t exec; // not 0
  unsigned bytes;
  bool want_offsets;
};
using SpanKernel = void (*)(const LaneAddresses&, LaneSpan&);
enum class AddressForm : uint8_t { Wrapping32, Extended32, Full64 }; // 32 bits: sums wrap, or are 64 bits wide
inline constexpr unsigned kAddressForms = 3;

// From memory to a row of registers, or back. Lanes are served in ascending order.
struct LaneCopy {
  std::byte* base; // of the first lane in EXEC
  const LaneSpan* span;
  uint32_t* row;
  uint64_t exec;       // not 0
  unsigned shift = 0;  // halves of registers: 16 when it is the high one
  uint32_t keep = 0;   // loads of a half: bits of the register that stay
};
using CopyKernel = void (*)(const LaneCopy&);

struct MemoryKernels { // for one number of lanes
  SpanKernel span[kAddressForms];
  CopyKernel load[kShapes];
  CopyKernel store[kShapes];
};
// [0] waves of 32 lanes, [1] of 64
extern const MemoryKernels kMemory_V2[2], kMemory_V3[2], kMemory_V4[2];
const MemoryKernels* memory_kernels(HostIsa isa);

// What operations are bound to in place of their general handlers, by their Shape; null: stays.
struct RowHandlers {
  Handler lds[kShapes], lds2[kShapes], flat[kShapes], scratch[kShapes], buffer[kShapes];
};
// By lanes, as above; [0] loads, [1] stores
extern const RowHandlers kRowHandlers_V2[2][2], kRowHandlers_V3[2][2], kRowHandlers_V4[2][2];
const RowHandlers& row_handlers(bool wide, bool stores); // of host_isa()

extern const Handler kPermuteHandlers_V2[2], kPermuteHandlers_V3[2], kPermuteHandlers_V4[2]; // ds_bpermute_b32
Handler permute_handler(bool wide);                                                         // of host_isa()

struct AtomicHandlers {
  Handler lds[2], flat[2]; // of 4 bytes, of 8; null: stay
};
// By lanes, as above.
extern const std::array<AtomicHandlers, kAtomicOps> kAtomicHandlers_V2[2], kAtomicHandlers_V3[2], kAtomicHandlers_V4[2];
const AtomicHandlers& atomic_handlers(bool wide, AtomicOp op); // of host_isa()

} // namespace ptxshim::vgpu
