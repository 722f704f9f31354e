// SPDX-License-Identifier: MIT
// A decoded operation: everything that can be settled once per static instruction is settled here, so that executing it
// is one indirect call. Operations lie in arrays, one per straight run of code; a handler returns the next one to
// execute, or null when the wave must stop for a moment (Wave::pause says why).
#pragma once

#include <atomic>
#include <cstdint>

namespace ptxshim::vgpu {

struct Wave;
struct Op;
struct Row;
using Handler = const Op* (*)(Wave&, const Op*);

enum class SourceKind : uint8_t { None, Vector, Scalar, Constant };

// Bits of Source::modifiers, as in LLVM's modifier operands. kAbs is kNegHigh where the source is packed.
inline constexpr uint8_t kNeg = 1, kAbs = 2, kNegHigh = 2, kOpSel = 4, kOpSelHigh = 8, kSext = 16;

// SDWA selections.
enum class Select : uint8_t { Byte0 = 0, Byte1, Byte2, Byte3, Word0, Word1, Dword };

struct Source {
  SourceKind kind = SourceKind::None;
  uint8_t modifiers = 0;
  Select select = Select::Dword;
  uint8_t words = 1;
  uint16_t index = 0;     // vector register or scalar slot
  uint64_t constant = 0;
};

// What only some VALU operations have; they take a slower path.
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
};

struct Op {
  Handler run = nullptr;
  const Row* row = nullptr;       // name and traits
  const void* table = nullptr;    // what the handler's family needs: a ValuInfo, a MemoryTraits ...
  uint64_t pc = 0;
  uint16_t dst = 0;               // vector register or scalar slot
  uint16_t dst2 = 0;              // scalar slot of a second result (carry, compare mask)
  uint8_t size = 4;
  uint8_t dst_words = 1;
  bool dst_is_scalar = false;
  bool returns = false;           // atomics: the old value is wanted
  Source src[4];
  int64_t offset = 0;             // memory: byte offset; control: target address
  uint32_t immediate = 0;
  const VopExtra* extra = nullptr;
  mutable std::atomic<const Op*> link{nullptr}; // branch target, once decoded

  Op() = default;
  Op(const Op& other) { *this = other; }
  Op& operator=(const Op& other) {
    run = other.run, row = other.row, table = other.table, pc = other.pc, dst = other.dst, dst2 = other.dst2;
    size = other.size, dst_words = other.dst_words, dst_is_scalar = other.dst_is_scalar, returns = other.returns;
    for (int i = 0; i < 4; ++i) src[i] = other.src[i];
    offset = other.offset, immediate = other.immediate, extra = other.extra;
    link.store(other.link.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }
};

} // namespace ptxshim::vgpu
