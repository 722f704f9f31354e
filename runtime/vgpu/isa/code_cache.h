// SPDX-License-Identifier: MIT
// Decoded code by address. Code is decoded from where execution arrives up to the next unconditional transfer. A cache
// is never emptied: Executor::invalidate_code() starts a new one, and dispatches keep the one they began with.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "instruction.h"
#include "op.h"
#include "wave.h"

namespace ptxshim::vgpu {

struct Target {
  std::string gfx;
  unsigned generation = 10; // 9, 10, 11, 12
  bool packed_work_item_ids = false, architected_scratch = false, work_group_ids_in_ttmp = false;
  bool is_gfx90a = false, is_gfx940 = false;
  static Target from(const std::string& gfx);
};

class ConstantRows {
public:
  const ConstantRow* keep(const ConstantRow& row);

private:
  std::unordered_multimap<uint64_t, ConstantRow> rows_; // by constant
};

class CodeCache {
public:
  CodeCache(Target target, unsigned wave_size, Decoder& decoder) : target_(std::move(target)), wave_size_(wave_size), decoder_(decoder) {}
  // Null with `why` set: no code there, or none that could be executed.
  const Op* find(uint64_t address, MemoryView& memory, std::string& why);
  const Target& target() const { return target_; }
  unsigned wave_size() const { return wave_size_; }
  Decoder& decoder() { return decoder_; }

private:
  const Op* decode_run(uint64_t address, MemoryView& memory, std::string& why);

  const Target target_;
  const unsigned wave_size_;
  Decoder& decoder_;
  std::shared_mutex mutex_;
  std::unordered_map<uint64_t, const Op*> starts_;
  std::deque<std::vector<Op>> runs_;
  std::deque<VopExtra> extras_;
  ConstantRows constants_;
  std::deque<Op> originals_; // of operations in register index mode
};

} // namespace ptxshim::vgpu
