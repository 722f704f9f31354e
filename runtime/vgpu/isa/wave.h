// SPDX-License-Identifier: MIT
// The state of one wave and of its work group. A work group runs on one host thread, its waves take turns.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "device/dispatch.h"
#include "instruction.h"
#include "meanings/float_mode.h"
#include "op.h"

namespace ptxshim::vgpu {

class CodeCache;
struct WorkGroup;

// Ranges of the memory map seen lately, each found by where in it one looks. Belongs to one host thread.
class MemoryView {
public:
  explicit MemoryView(const MemoryMap& map) : map_(map) {}
  // Call once before a batch of translations: drops what has become stale.
  void refresh() {
    const uint64_t now = map_.generation();
    if (now != generation_) {
      generation_ = now;
      for (MemoryRange& range : ranges_) range = MemoryRange{};
    }
  }
  // Null when [address, address + size) is not mapped, or not writable but wanted so.
  std::byte* translate(uint64_t address, uint64_t size, bool write) {
    const MemoryRange& range = slot(address);
    const uint64_t offset = address - range.gpu;
    if (offset < range.size && size <= range.size - offset && (!write || range.writable)) return range.host + offset;
    return translate_slow(address, size, write);
  }
  // The range that holds the address; null when it was not seen lately, or something is stale. Always inlined, as is below.
  [[gnu::always_inline]] const MemoryRange* seen(uint64_t address) {
    const MemoryRange& range = slot(address);
    return map_.generation() == generation_ && address - range.gpu < range.size ? &range : nullptr;
  }
  // Bytes that follow the address in its range; 0 when not mapped.
  uint64_t available(uint64_t address) {
    refresh();
    if (!translate(address, 1, false)) return 0;
    return slot(address).size - (address - slot(address).gpu);
  }

  // Of a host address in a range seen lately; 0 when it is in none.
  uint64_t gpu_address(const std::byte* host) const {
    for (const MemoryRange& range : ranges_)
      if (range.host && host >= range.host && static_cast<uint64_t>(host - range.host) < range.size)
        return range.gpu + static_cast<uint64_t>(host - range.host);
    return 0;
  }

private:
  std::byte* translate_slow(uint64_t address, uint64_t size, bool write);
  static constexpr size_t kRanges = 16;
  [[gnu::always_inline]] MemoryRange& slot(uint64_t address) { return ranges_[(address >> 21 ^ address >> 16) % kRanges]; }
  const MemoryMap& map_;
  uint64_t generation_ = ~0ULL;
  MemoryRange ranges_[kRanges];
};

enum class Pause : uint8_t { None, Quantum, Barrier, Ended, Faulted };

// The modes that kernels nearly always run in, with IEEE or without, and others.
enum class ModeKind : uint8_t { KeepDenormals, FlushDenormals32, Other };

struct Wave {
  alignas(64) uint32_t s[kScalarSlots] = {};
  uint32_t lanes = 32;
  uint32_t index = 0;            // in the work group
  uint64_t lane_mask = 0xffffffffU;
  ModeKind mode_kind = ModeKind::KeepDenormals;
  FloatMode mode;
  uint32_t mode_register = 0;
  uint32_t trap_status = 0;
  uint32_t generation = 10;      // 9, 10, 11, 12
  bool preserves_high_half = true; // 16-bit results (gfx10 and later)
  bool unaligned_lds = true;
  uint64_t flat_scratch = 0;     // gfx10 and later: reached by s_getreg, gfx10: and by s_setreg
  uint32_t* scratch = nullptr;   // [dword][lane]
  uint32_t scratch_bytes = 0;    // per lane
  WorkGroup* group = nullptr;
  MemoryView* memory = nullptr;
  const Op* resume = nullptr;    // where to go on; while it runs, the last operation that reached for memory
  uint32_t fuel = 0;             // runs of straight code left in this turn
  Pause pause = Pause::None;
  bool at_barrier = false, ended = false;
  bool barrier_signalled = false; // gfx12: between s_barrier_signal and s_barrier_wait
  uint32_t barrier_phase = 0;
  bool gws_waits = false;         // in a ds_gws_barrier or ds_gws_sema_p
  uint32_t gws_phase = 0;
  uint64_t exec_before = 0;       // in an operation with DPP: EXEC, which lacks the lanes that DPP does not let through
  // Vector registers: [register][lane], lanes apart. (Part of the wave: a pointer to them would be one load more in every
  // operation. Waves of 32 leave the second half alone, which costs addresses, not memory.)
  alignas(64) uint32_t v[size_t{kVectorRows} * 64];

  // (Always inlined: these are compiled for several host ISAs, and one copy for all could be that of a newer one.)
  [[gnu::always_inline]] uint64_t exec() const { return mask_at(kExec); }
  [[gnu::always_inline]] uint64_t mask_at(unsigned slot) const { // a lane mask in one or two SGPRs
    if (lanes == 32) return s[slot]; // (read as it was written: wider loads would miss the store buffer)
    uint64_t mask;
    std::memcpy(&mask, &s[slot], 8);
    return mask;
  }
  [[gnu::always_inline]] void set_mask(unsigned slot, uint64_t mask) {
    s[slot] = static_cast<uint32_t>(mask);
    if (lanes == 64) std::memcpy(&s[slot], &mask, 8);
  }
  [[gnu::always_inline]] uint32_t* reg(unsigned index_) { return v + static_cast<size_t>(index_) * lanes; }
  bool scc() const { return s[kScc] != 0; }
  void set_scc(bool value) { s[kScc] = value ? 1U : 0U; }

  [[gnu::always_inline]] uint32_t read32(const Source& source) const {
    if (source.kind == SourceKind::Constant) return static_cast<uint32_t>(source.constant);
    if (source.index == kVccz) return mask_at(kVcc) == 0;
    if (source.index == kExecz) return exec() == 0;
    return s[source.index];
  }
  [[gnu::always_inline]] uint64_t read64(const Source& source) const {
    if (source.kind == SourceKind::Constant) return source.constant;
    if (source.index == kVccz || source.index == kExecz || source.index == kScc) return read32(source);
    uint64_t value;
    std::memcpy(&value, &s[source.index], 8);
    return value;
  }
  void write64(unsigned slot, uint64_t value) { std::memcpy(&s[slot], &value, 8); }
  void set_mode(uint32_t value);
};

// How a handler goes on to the operation behind its own. In optimised builds it jumps there, which spares each operation a
// return and a call, and gives each handler an indirect jump of its own to predict. Transfers of control return to the
// loop that runs the wave (work_group.cpp), which bounds the stack even where a compiler would not make this a jump.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
[[gnu::always_inline]] inline const Op* next(Wave& wave, const Op* op) { return op[1].run(wave, op + 1); }
#else
inline const Op* next(Wave&, const Op* op) { return op + 1; }
#endif

// Records a fault and stops the wave; the first one of a dispatch wins. lane < 0: not of one lane.
const Op* raise(Wave& wave, const Op* op, Fault fault, const char* what, uint64_t address = 0, int lane = -1);

struct Dispatch;

// Where jumps to addresses in registers (calls, returns) led lately, by one host thread in one dispatch: the code cache is
// shared, and its lock would be all that call-heavy kernels do.
class RecentCode {
public:
  struct Entry {
    uint64_t address = 0;
    const Op* op = nullptr;
  };
  Entry& of(uint64_t address) { return entries_[(address >> 2 ^ address >> 9) % kEntries]; }

private:
  static constexpr size_t kEntries = 128;
  Entry entries_[kEntries];
};

struct WorkGroup {
  Dispatch* dispatch = nullptr;
  RecentCode* recent_code = nullptr;
  uint32_t id[3] = {};
  std::byte* lds = nullptr;
  uint32_t lds_bytes = 0;
  uint32_t wave_count = 0;
  uint32_t ended = 0;       // waves that have executed s_endpgm
  uint32_t waiting = 0;     // waves at the barrier
  uint32_t barrier_phase = 0;
  uint32_t signalled = 0;   // gfx12
};

// The operation at an address, decoded if need be. Raises a fault and returns null if there is none.
const Op* find_code(Wave& wave, const Op* from, uint64_t address);

// What ends every run of straight code: goes on at the address, or gives up the turn.
inline const Op* go_to(Wave& wave, const Op* op, uint64_t address) {
  const Op* target = op->link.load(std::memory_order_acquire);
  if (!target) {
    target = find_code(wave, op, address);
    if (!target) return nullptr;
    op->link.store(target, std::memory_order_release);
  }
  if (--wave.fuel == 0) {
    wave.resume = target;
    wave.pause = Pause::Quantum;
    return nullptr;
  }
  return target;
}

} // namespace ptxshim::vgpu
