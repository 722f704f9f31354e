// SPDX-License-Identifier: MIT
// Accesses of single lanes. Scratch lies as [dword][lane], the hardware's own swizzle: an access that is the same in all
// lanes is one row, and buffer accesses through the scratch descriptor see the same bytes as flat ones.

#include <cstring>

#include "memory_ops.h"
#include "dispatch_state.h"

namespace ptxshim::vgpu {

std::byte* MemoryView::translate_slow(uint64_t address, uint64_t size, bool write) {
  MemoryRange& kept = slot(address);
  if (address - kept.gpu >= kept.size) {
    const MemoryRange found = map_.find(address);
    if (!found.host) return nullptr;
    kept = found;
  }
  const uint64_t offset = address - kept.gpu;
  if ((write && !kept.writable) || size > kept.size - offset) return nullptr;
  return kept.host + offset;
}

Segment resolve_flat(const Wave& wave, uint64_t& address) {
  const DeviceProperties& device = *wave.group->dispatch->properties;
  if (address >> 32 == device.lds_aperture >> 32) {
    address &= 0xffffffffU;
    return Segment::Lds;
  }
  if (address >> 32 == device.scratch_aperture >> 32) {
    address &= 0xffffffffU;
    return Segment::Scratch;
  }
  return Segment::Global;
}

bool LaneAccess::scratch(uint64_t offset, unsigned lane, unsigned bytes, uint32_t* words, bool write) {
  if (offset > wave.scratch_bytes || bytes > wave.scratch_bytes - offset) {
    raise(wave, op, Fault::Aperture, "scratch access out of range", offset, static_cast<int>(lane));
    return false;
  }
  uint32_t* const base = wave.scratch + lane;
  if ((offset & 3U) == 0 && (bytes & 3U) == 0) {
    for (unsigned i = 0; i < bytes / 4; ++i) {
      uint32_t& cell = base[(offset / 4 + i) * wave.lanes];
      if (write)
        cell = words[i];
      else
        words[i] = cell;
    }
    return true;
  }
  unsigned char buffer[64] = {};
  if (write) std::memcpy(buffer, words, (bytes + 3) & ~3U);
  for (unsigned i = 0; i < bytes; ++i) {
    const uint64_t at = offset + i;
    unsigned char* const cell = reinterpret_cast<unsigned char*>(&base[at / 4 * wave.lanes]) + (at & 3U);
    if (write)
      *cell = buffer[i];
    else
      buffer[i] = *cell;
  }
  if (!write) std::memcpy(words, buffer, (bytes + 3) & ~3U);
  return true;
}

bool LaneAccess::lds(uint64_t offset, unsigned lane, unsigned bytes, uint32_t* words, bool write) {
  const WorkGroup& group = *wave.group;
  if (offset > group.lds_bytes || bytes > group.lds_bytes - offset) {
    raise(wave, op, Fault::Aperture, "LDS access out of range", offset, static_cast<int>(lane));
    return false;
  }
  if (write)
    std::memcpy(group.lds + offset, words, bytes);
  else
    std::memcpy(words, group.lds + offset, bytes);
  return true;
}

namespace {

// Single accesses of natural size stay single on the host: other waves may be looking.
void copy_element(std::byte* to, const std::byte* from, unsigned bytes) {
  switch (bytes) {
  case 1: std::memcpy(to, from, 1); break;
  case 2: std::memcpy(to, from, 2); break;
  case 4: std::memcpy(to, from, 4); break;
  case 8: std::memcpy(to, from, 8); break;
  case 16: std::memcpy(to, from, 16); break;
  default: std::memcpy(to, from, bytes); break;
  }
}

} // namespace

bool LaneAccess::load(Segment segment, uint64_t address, unsigned lane, unsigned bytes, uint32_t* words) {
  segment = resolve(wave, segment, address);
  if (segment == Segment::Scratch) return scratch(address, lane, bytes, words, false);
  if (segment == Segment::Lds) return lds(address, lane, bytes, words, false);
  const std::byte* const host = wave.memory->translate(address, bytes, false);
  if (!host) {
    raise(wave, op, Fault::PageFault, "read of an address that is not mapped", address, static_cast<int>(lane));
    return false;
  }
  copy_element(reinterpret_cast<std::byte*>(words), host, bytes);
  return true;
}

bool LaneAccess::store(Segment segment, uint64_t address, unsigned lane, unsigned bytes, const uint32_t* words) {
  segment = resolve(wave, segment, address);
  if (segment == Segment::Scratch) return scratch(address, lane, bytes, const_cast<uint32_t*>(words), true);
  if (segment == Segment::Lds) return lds(address, lane, bytes, const_cast<uint32_t*>(words), true);
  std::byte* const host = wave.memory->translate(address, bytes, true);
  if (!host) {
    raise(wave, op, Fault::PageFault, "write to an address that is not mapped or read-only", address,
          static_cast<int>(lane));
    return false;
  }
  copy_element(host, reinterpret_cast<const std::byte*>(words), bytes);
  return true;
}

bool LaneAccess::atomic(Segment segment, uint64_t address, unsigned lane, const MemoryTraits& traits, uint64_t operand,
                        uint64_t second, uint64_t& old) {
  segment = resolve(wave, segment, address);
  if (address & (traits.bytes - 1U)) {
    raise(wave, op, Fault::Misaligned, "misaligned atomic", address, static_cast<int>(lane));
    return false;
  }
  if (segment == Segment::Scratch || segment == Segment::Lds) { // this thread alone can see it
    uint32_t words[2] = {};
    const bool in_lds = segment == Segment::Lds;
    if (in_lds ? !lds(address, lane, traits.bytes, words, false) : !scratch(address, lane, traits.bytes, words, false))
      return false;
    uint64_t value;
    std::memcpy(&value, words, 8);
    old = value;
    value = traits.bytes == 8 ? atomic_result(traits.atomic, value, operand, second)
                              : atomic_result(traits.atomic, static_cast<uint32_t>(value), static_cast<uint32_t>(operand),
                                              static_cast<uint32_t>(second));
    std::memcpy(words, &value, 8);
    return in_lds ? lds(address, lane, traits.bytes, words, true) : scratch(address, lane, traits.bytes, words, true);
  }
  std::byte* const host = wave.memory->translate(address, traits.bytes, true);
  if (!host) {
    raise(wave, op, Fault::PageFault, "atomic on an address that is not mapped or read-only", address,
          static_cast<int>(lane));
    return false;
  }
  if (reinterpret_cast<uintptr_t>(host) & (traits.bytes - 1U)) {
    raise(wave, op, Fault::Misaligned, "misaligned atomic", address, static_cast<int>(lane));
    return false;
  }
  old = traits.bytes == 8 ? host_atomic(reinterpret_cast<uint64_t*>(host), traits.atomic, operand, second)
                          : host_atomic(reinterpret_cast<uint32_t*>(host), traits.atomic, static_cast<uint32_t>(operand),
                                        static_cast<uint32_t>(second));
  return true;
}

void put_loaded(Wave& wave, const MemoryTraits& traits, unsigned reg, unsigned lane, const uint32_t* words) {
  uint32_t* const row = wave.reg(reg) + lane;
  uint32_t value = words[0];
  if (traits.bytes == 1) value = traits.sign ? static_cast<uint32_t>(static_cast<int8_t>(value)) : value & 0xffU;
  if (traits.bytes == 2) value = traits.sign ? static_cast<uint32_t>(static_cast<int16_t>(value)) : value & 0xffffU;
  switch (traits.half) {
  case Half::None: *row = value; break;
  case Half::Low: *row = (*row & 0xffff0000U) | (value & 0xffffU); break;
  case Half::High: *row = (*row & 0xffffU) | value << 16; break;
  }
  for (unsigned i = 1; i < traits.bytes / 4U; ++i) row[i * wave.lanes] = words[i];
}

void take_stored(const Wave& wave, const MemoryTraits& traits, unsigned reg, unsigned lane, uint32_t* words) {
  const uint32_t* const row = wave.v + static_cast<size_t>(reg) * wave.lanes + lane;
  words[0] = traits.half == Half::High ? row[0] >> 16 : row[0];
  for (unsigned i = 1; i < traits.bytes / 4U; ++i) words[i] = row[i * wave.lanes];
}

} // namespace ptxshim::vgpu
