// SPDX-License-Identifier: MIT
// A decoded operation: everything that can be settled once per static instruction is settled here, so that executing it
// is one indirect jump. Operations lie in arrays, one per straight run of code; a handler goes on to the one behind (next() in
// wave.h) or returns one to go on with, or null when the wave must stop for a moment (Wave::pause says why).
#pragma once

#include <atomic>
#include <cstdint>

namespace ptxshim::vgpu {

struct Wave;
struct Op;
struct Row;
struct ConstantRow;
using Handler = const Op* (*)(Wave&, const Op*);

// Only of vector operations: Row, a constant that is spread over lanes; Signed, a vector register with its sign changed.
enum class SourceKind : uint8_t { None, Vector, Scalar, Constant, Row, Signed };

// Bits of Source::modifiers, as in LLVM's modifier operands. kAbs is kNegHigh where the source is packed.
inline constexpr uint8_t kNeg = 1, kAbs = 2, kNegHigh = 2, kOpSel = 4, kOpSelHigh = 8, kSext = 16;

// SDWA selections.
enum class Select : uint8_t { Byte0 = 0, Byte1, Byte2, Byte3, Word0, Word1, Dword };

// What a vector operation's source does to the (last) word of its vector register: & keep ^ flip.
struct SignChange {
  uint32_t keep, flip;
};

struct Source {
  SourceKind kind = SourceKind::None;
  uint8_t modifiers = 0;
  Select select = Select::Dword;
  uint8_t words = 1;
  uint16_t index = 0;     // vector register or scalar slot
  union {
    uint64_t constant = 0;
    const ConstantRow* row;
    SignChange sign;
  };
};

// A constant of vector operations, spread over lanes once, as the modifiers of its operand make it.
struct ConstantRow {
  alignas(64) uint32_t words[2 * 64];
  uint64_t constant; // what the instruction says
  bool operator==(const ConstantRow&) const = default;
};

// How a row becomes what a vector operation's handler reads. Masks and flips come last.
struct Preparation {
  enum class How : uint8_t {
    Copy,
    Word,   // one word: << up, >> down (arithmetic if `extend`), & mask, ^ flip
    Wide,   // two words of one number: the high one & mask, ^ flip
    Halves, // bits 15:0 are the word >> up, bits 31:16 the word >> down; ^ flip
    Pair,   // two words: each is the high one if `up` (low result), `down` (high result); ^ flip, ^ flip_high
    Half,   // a half of the word (>> down) made a float; & mask, ^ flip
  };
  How how = How::Copy;
  uint8_t up = 0, down = 0;
  bool extend = false;
  uint32_t mask = ~0U, flip = 0, flip_high = 0;
};
// Which bits of the destination a result becomes: << up, >> up (arithmetic if `extend`), << shift, with the old bits of `keep`.
struct Placement {
  uint8_t up = 0, shift = 0;
  bool extend = false;
  uint32_t keep = 0;
};

// What only some vector operations have: forms of operands and results beyond plain registers and constants.
struct VopExtra {
  enum class Dpp : uint8_t { None, Dpp16, Dpp8 };
  enum class Unused : uint8_t { Pad = 0, Sext = 1, Preserve = 2 };
  Dpp dpp = Dpp::None;
  bool sdwa = false;
  bool clamp = false;
  uint8_t omod = 0;              // 0 none, 1 *2, 2 *4, 3 /2
  bool dst_high = false;         // op_sel of the destination: write bits 31:16
  bool keep_high = false;        // a 16-bit result leaves the other half as it was
  Select dst_sel = Select::Dword;
  Unused dst_unused = Unused::Pad;
  uint32_t dpp_control = 0;      // DPP16: the control; DPP8: eight 3-bit lane selectors
  uint8_t row_mask = 0xf, bank_mask = 0xf;
  bool bound_control = false, fetch_inactive = false;

  // What follows from that (valu_bind.cpp) and is executed (valu_steps.cpp).
  Handler handler = nullptr;     // of the operation itself, once its sources are prepared
  Handler after = nullptr;       // of the step behind it, if there is something left to do
  uint8_t prepared = 0;          // a bit per source that is made from `from` in spare rows
  bool finished = false;         // the handler's result is in spare rows, to be clamped, scaled or placed
  bool to_exec = false;          // v_cmpx before gfx10: EXEC gets what the scalar destination got
  bool in_rows = false;          // DPP: no lane reads outside of its row of 16
  uint16_t dst = 0;              // of a finished result
  Source from[4];
  Preparation how[4];
  Placement place;
  uint64_t lanes_valid = 0;      // DPP: lanes that read a lane
  uint64_t lanes_enabled = 0;    // DPP: row and bank masks
  uint8_t lane_from[64] = {};    // DPP: which one
};

struct Op {
  Handler run = nullptr;
  uint64_t rows = 0;              // place_rows
  const Row* row = nullptr;       // name and traits
  const void* table = nullptr;    // what the handler's family needs: a ValuInfo, a MemoryTraits ...
  uint64_t pc = 0;
  uint16_t dst = 0;               // vector register or scalar slot
  uint16_t dst2 = 0;              // scalar slot of a second result (carry, compare mask)
  uint8_t size = 4;
  uint8_t dst_words = 1;
  bool dst_is_scalar = false;     // of a vector operation: no vector register is written
  bool returns = false;           // atomics: the old value is wanted
  Source src[4];
  int64_t offset = 0;             // memory: byte offset; control: target address
  uint32_t immediate = 0;
  const VopExtra* extra = nullptr;
  mutable std::atomic<const Op*> link{nullptr}; // branch target, once decoded

  Op() = default;
  Op(const Op& other) { *this = other; }
  Op& operator=(const Op& other) {
    run = other.run, rows = other.rows, row = other.row, table = other.table, pc = other.pc, dst = other.dst, dst2 = other.dst2;
    size = other.size, dst_words = other.dst_words, dst_is_scalar = other.dst_is_scalar, returns = other.returns;
    for (int i = 0; i < 4; ++i) src[i] = other.src[i];
    offset = other.offset, immediate = other.immediate, extra = other.extra;
    link.store(other.link.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }
};

// Where the rows of dst and the first three sources begin, as vector registers: a number of 16 bits each, of 8 bytes, for
// handlers that know that they are and so need one load for all. To be done again when a register of the operation changes.
inline void place_rows(Op& op, unsigned lanes) {
  const uint16_t registers[] = {op.dst, op.src[0].index, op.src[1].index, op.src[2].index};
  op.rows = 0;
  for (unsigned i = 0; i < 4; ++i) op.rows |= uint64_t{static_cast<uint16_t>(registers[i] * lanes / 2)} << 16 * i;
}
// Number 0 is the result, 1 the first source.
inline uint64_t row_offset(uint64_t rows, unsigned number) { return (rows >> 16 * number & 0xffffU) * 8; }

} // namespace ptxshim::vgpu
