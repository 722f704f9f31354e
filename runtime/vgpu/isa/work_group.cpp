// SPDX-License-Identifier: MIT
// Setting up and running the waves of a work group.
//
// Waves take turns, so that a wave that waits for another one of its group (a spin on LDS or memory) does not stop it. A
// turn ends after a number of taken branches, at a barrier, at s_sleep, and at the end. When all waves that have not ended
// wait at the barrier, they are let go.

#include "work_group.h"

#include <cstring>
#include <new>
#include <sys/mman.h>

#include "control.h"
#include "device/memory_guard.h"
#include "memory_ops.h"

namespace ptxshim::vgpu {
namespace {

constexpr uint32_t kTurnBranches = 512;

// A small dispatch would otherwise spend most of its time on mapping and page faults: what a group gives back is kept by
// its host thread for the next one.
struct KeptArea {
  std::byte* at;
  size_t size;
};
class KeptAreas {
public:
  ~KeptAreas() {
    for (const KeptArea& area : areas_) munmap(area.at, area.size);
  }
  bool keep(std::byte* at, size_t size) {
    if (areas_.size() >= kMostAreas || size > kLargestArea) return false;
    areas_.push_back({at, size});
    return true;
  }
  bool take(size_t bytes, KeptArea& taken) {
    for (KeptArea& area : areas_) {
      if (area.size < bytes || area.size / 4 > bytes + kSlack) continue;
      taken = area;
      area = areas_.back();
      areas_.pop_back();
      return true;
    }
    return false;
  }

private:
  static constexpr size_t kMostAreas = 24, kLargestArea = size_t{16} << 20, kSlack = 64 << 10;
  std::vector<KeptArea> areas_;
};
thread_local KeptAreas kept_areas;

} // namespace

GroupMemory::~GroupMemory() {
  for (Area* area : {&lds_, &waves_, &scratch_})
    if (area->at && !kept_areas.keep(area->at, area->size)) munmap(area->at, area->size);
}

std::byte* GroupMemory::reserve(Area& area, size_t bytes) {
  if (bytes <= area.size) return area.at;
  if (area.at && !kept_areas.keep(area.at, area.size)) munmap(area.at, area.size);
  area = Area{};
  if (KeptArea kept{}; kept_areas.take(bytes, kept)) {
    area = {kept.at, kept.size};
    return area.at;
  }
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  area.at = static_cast<std::byte*>(at);
  area.size = bytes;
  return area.at;
}
std::byte* GroupMemory::lds(size_t bytes) { return reserve(lds_, bytes + 64); }
std::span<Wave> GroupMemory::waves(size_t count) {
  static_assert(std::is_trivially_destructible_v<Wave>);
  std::byte* const at = reserve(waves_, count * sizeof(Wave));
  if (!at) return {};
  for (size_t i = 0; i < count; ++i) new (at + i * sizeof(Wave)) Wave; // (leaves the vector registers as they are)
  return {reinterpret_cast<Wave*>(at), count};
}
std::byte* GroupMemory::scratch(size_t bytes) { return reserve(scratch_, bytes + 64); }

bool RunningGroup::start(uint64_t number) {
  const KernelStart& start = dispatch_.start;
  const DispatchPacket& packet = dispatch_.packet;
  group_ = WorkGroup{};
  group_.dispatch = &dispatch_;
  group_.recent_code = &recent_code_;
  group_.id[0] = static_cast<uint32_t>(number % dispatch_.groups[0]);
  group_.id[1] = static_cast<uint32_t>(number / dispatch_.groups[0] % dispatch_.groups[1]);
  group_.id[2] = static_cast<uint32_t>(number / dispatch_.groups[0] / dispatch_.groups[1]);
  uint32_t size[3]; // smaller at the grid's edge
  uint32_t items = 1;
  for (unsigned i = 0; i < 3; ++i) {
    const uint64_t begin = static_cast<uint64_t>(group_.id[i]) * packet.workgroup_size[i];
    const uint64_t left = packet.grid_size[i] - begin;
    size[i] = left < packet.workgroup_size[i] ? static_cast<uint32_t>(left) : packet.workgroup_size[i];
    items *= size[i];
  }
  group_.wave_count = (items + start.wave_size - 1) / start.wave_size;
  group_.lds_bytes = packet.group_segment_size;
  const size_t lanes = start.wave_size;
  const size_t scratch_bytes = (static_cast<size_t>(packet.private_segment_size) + 3) / 4 * 4 * lanes;
  group_.lds = storage_.lds(group_.lds_bytes);
  waves_ = storage_.waves(group_.wave_count);
  std::byte* const scratch = storage_.scratch(scratch_bytes * group_.wave_count);
  if (!group_.lds || waves_.empty() || !scratch) {
    Wave none;
    none.group = &group_;
    raise(none, nullptr, Fault::Aperture, "no host memory for the work group's registers, LDS and scratch");
    return false;
  }
  for (uint32_t i = 0; i < group_.wave_count; ++i) {
    Wave& wave = waves_[i];
    wave.scratch = reinterpret_cast<uint32_t*>(scratch + i * scratch_bytes);
    wave.scratch_bytes = packet.private_segment_size;
    init_wave(wave, i, size);
  }
  return true;
}

void RunningGroup::init_wave(Wave& wave, uint32_t index, const uint32_t size[3]) {
  const KernelStart& start = dispatch_.start;
  const Target& target = dispatch_.code->target();
  wave.lanes = start.wave_size;
  wave.lane_mask = start.wave_size == 64 ? ~0ULL : 0xffffffffULL;
  wave.index = index;
  wave.group = &group_;
  wave.memory = &memory_;
  wave.generation = target.generation;
  wave.preserves_high_half = target.generation >= 10;
  wave.set_mode(start.mode);
  const uint32_t items = size[0] * size[1] * size[2], first = index * start.wave_size;
  const uint32_t active = items - first < start.wave_size ? items - first : start.wave_size;
  wave.write64(kExec, active == 64 ? ~0ULL : (1ULL << active) - 1);
  const DeviceProperties& device = *dispatch_.properties;
  wave.write64(kSharedBase, device.lds_aperture);
  wave.write64(kSharedLimit, device.lds_aperture + 0xffffffffULL);
  wave.write64(kPrivateBase, device.scratch_aperture);
  wave.write64(kPrivateLimit, device.scratch_aperture + 0xffffffffULL);
  if (target.architected_scratch && wave.scratch_bytes) wave.flat_scratch = kScratchBufferBase;
  std::memset(wave.v, 0, static_cast<size_t>(start.vector_registers) * wave.lanes * 4);
  init_scalars(wave);
  init_work_items(wave, size);
  std::string why;
  if (!entry_) entry_ = dispatch_.code->find(start.entry, memory_, why);
  wave.resume = entry_;
  if (!entry_) raise(wave, nullptr, Fault::BadCodeObject, why.c_str(), start.entry);
}

namespace {
// CDNA3 ISA table 8, RDNA3 ISA table 11: the first wave's bit, the wave at bit 20, the ordered append term at bit 6 and the
// count of waves; RDNA4 ISA table 12 has the last two alone. Without ordered appends, gfx9 has the wave for a term.
uint32_t work_group_info(const Target& target, uint32_t wave, uint32_t count) {
  if (target.generation >= 12) return count;
  return (wave == 0 ? 1U << 31 : 0U) | wave << 20 | (target.generation == 9 ? wave << 6 : 0U) | count;
}
} // namespace

// The order is that of the descriptor's bits.
void RunningGroup::init_scalars(Wave& wave) {
  const KernelStart& start = dispatch_.start;
  const DispatchPacket& packet = dispatch_.packet;
  const Target& target = dispatch_.code->target();
  unsigned at = 0;
  auto put = [&](uint32_t value) {
    if (at < 104) wave.s[at++] = value;
  };
  auto put64 = [&](uint64_t value) {
    put(static_cast<uint32_t>(value));
    put(static_cast<uint32_t>(value >> 32));
  };
  if (start.private_buffer) { // swizzled dwords over the lanes, see vector_memory.cpp
    put64(kScratchBufferBase | 1ULL << 63);
    put(0xffffffffU);
    put((wave.lanes == 64 ? 3U : 2U) << 21 | 1U << 23);
  }
  if (start.dispatch_pointer) put64(packet.packet_address);
  if (start.queue_pointer) put64(packet.queue_address);
  if (start.kernarg_pointer) put64(packet.kernarg_address);
  if (start.dispatch_id) put64(packet.dispatch_id);
  if (start.flat_scratch) put64(kScratchBufferBase);
  if (start.private_size) put(packet.private_segment_size);
  for (unsigned i = 0; i < 3; ++i)
    if (start.group_count[i]) put(dispatch_.groups[i]);
  for (uint32_t i = 0; i < start.preload_words; ++i) {
    uint32_t word = 0;
    const std::byte* const from = memory_.translate(packet.kernarg_address + (start.preload_offset + i) * 4ULL, 4, false);
    if (from) std::memcpy(&word, from, 4);
    put(word);
  }
  if (at < start.user_scalars) at = start.user_scalars;
  if (target.work_group_ids_in_ttmp) {
    wave.s[kTtmp0 + 9] = group_.id[0];
    wave.s[kTtmp0 + 7] = (group_.id[1] & 0xffffU) | group_.id[2] << 16;
  } else {
    for (unsigned i = 0; i < 3; ++i)
      if (start.group_id[i]) put(group_.id[i]);
  }
  if (start.group_info) put(work_group_info(target, wave.index, group_.wave_count));
  if (start.private_wave_offset) put(0);
  if (target.work_group_ids_in_ttmp) wave.s[kTtmp0 + 8] = wave.index << 25;
}

void RunningGroup::init_work_items(Wave& wave, const uint32_t size[3]) {
  const KernelStart& start = dispatch_.start;
  const bool packed = dispatch_.code->target().packed_work_item_ids;
  const uint32_t first = wave.index * wave.lanes;
  uint32_t x = first % size[0], y = first / size[0] % size[1], z = first / size[0] / size[1];
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    if (packed) {
      wave.reg(0)[lane] = x | (start.work_item_id >= 1 ? y << 10 : 0) | (start.work_item_id >= 2 ? (z & 0x3ffU) << 20 : 0);
    } else {
      wave.reg(0)[lane] = x;
      if (start.work_item_id >= 1) wave.reg(1)[lane] = y;
      if (start.work_item_id >= 2) wave.reg(2)[lane] = z;
    }
    if (++x < size[0]) continue;
    x = 0;
    if (++y < size[1]) continue;
    y = 0, ++z;
  }
}

namespace {
void run_on(Wave& wave) {
  const Op* op = wave.resume;
  do op = op->run(wave, op);
  while (op);
}
} // namespace

void RunningGroup::run(Wave& wave) {
  wave.pause = Pause::None;
  wave.fuel = kTurnBranches;
  if (MemoryGuard::installed())
    run_guarded(wave);
  else
    run_on(wave);
  if (wave.ended) ++group_.ended;
}

void RunningGroup::run_guarded(Wave& wave) {
  MemoryGuard guard;
  if (sigsetjmp(guard.jump, 0) == 0) return run_on(wave);
  const uint64_t address = memory_.gpu_address(reinterpret_cast<std::byte*>(guard.address));
  raise(wave, wave.resume, Fault::PageFault, "memory that was registered and is no longer mapped", address,
        lane_of_access(wave, wave.resume, address));
}

void RunningGroup::release_barrier() {
  if (group_.waiting == 0 || group_.waiting + group_.ended < group_.wave_count) return;
  group_.waiting = 0;
  for (Wave& wave : waves_) wave.at_barrier = false;
}

bool RunningGroup::turn() {
  for (Wave& wave : waves_) {
    if (wave.ended || wave.at_barrier) continue;
    if (dispatch_.stopped() || !wave.resume) return true;
    run(wave);
    if (wave.pause == Pause::Faulted) return true;
    release_barrier();
  }
  return group_.ended == group_.wave_count;
}

} // namespace ptxshim::vgpu
