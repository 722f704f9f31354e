// SPDX-License-Identifier: MIT
// SMEM: loads, and on gfx9 stores and atomics, through the scalar cache. Addresses are 64-bit. Of each of their components the
// two low bits are ignored; gfx12 ignores one of a half word's, and none of a byte's (RDNA4 ISA 8.1.1).
// src[0] base or descriptor, src[1] scalar offset, src[2] data; offset the immediate.

#include <cstring>

#include "memory_ops.h"

namespace ptxshim::vgpu {
namespace {

void extend_and_write(Wave& wave, const Op* op, const MemoryTraits& traits, const std::byte* host) {
  uint32_t* const to = &wave.s[op->dst];
  switch (traits.bytes) { // sizes that the compiler knows
  case 1: *to = traits.sign ? static_cast<uint32_t>(static_cast<int8_t>(*host)) : static_cast<uint32_t>(*host); break;
  case 2: {
    uint16_t value;
    std::memcpy(&value, host, 2);
    *to = traits.sign ? static_cast<uint32_t>(static_cast<int16_t>(value)) : value;
    break;
  }
  case 4: std::memcpy(to, host, 4); break;
  case 8: std::memcpy(to, host, 8); break;
  case 16: std::memcpy(to, host, 16); break;
  case 32: std::memcpy(to, host, 32); break;
  default: std::memcpy(to, host, traits.bytes); break;
  }
}

uint64_t aligned(uint64_t component, unsigned bytes) { return component & ~uint64_t{bytes >= 4 ? 3U : bytes - 1U}; }

uint64_t register_offset(const Wave& wave, const Op* op) {
  return op->src[1].kind == SourceKind::None ? 0 : wave.read32(op->src[1]);
}

uint64_t address_of(const Wave& wave, const Op* op, unsigned bytes) {
  return aligned(wave.read64(op->src[0]), bytes) + aligned(static_cast<uint64_t>(op->offset), bytes) +
         aligned(register_offset(wave, op), bytes);
}

} // namespace

const Op* run_scalar_load(Wave& wave, const Op* op) {
  wave.resume = op;
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const uint64_t address = address_of(wave, op, traits.bytes);
  wave.memory->refresh();
  const std::byte* const host = wave.memory->translate(address, traits.bytes, false);
  if (!host) return raise(wave, op, Fault::PageFault, "scalar read of an address that is not mapped", address);
  extend_and_write(wave, op, traits, host);
  return op + 1;
}

const Op* run_scalar_store(Wave& wave, const Op* op) {
  wave.resume = op;
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const uint64_t address = address_of(wave, op, traits.bytes);
  wave.memory->refresh();
  std::byte* const host = wave.memory->translate(address, traits.bytes, true);
  if (!host) return raise(wave, op, Fault::PageFault, "scalar write to an address that is not mapped", address);
  std::memcpy(host, &wave.s[op->src[2].index], traits.bytes);
  return op + 1;
}

namespace {

// Scratch as the vector unit swizzles it: dwords interleaved over the lanes, from the base that kernels are given.
std::byte* scratch_cell(Wave& wave, uint64_t address, unsigned bytes) {
  const uint64_t offset = address - kScratchBufferBase, size = uint64_t{wave.scratch_bytes} / 4 * 4 * wave.lanes;
  if (address < kScratchBufferBase || offset > size || bytes > size - offset) return nullptr;
  return reinterpret_cast<std::byte*>(wave.scratch) + offset;
}

uint64_t scratch_address(const Wave& wave, const Op* op) { // a scalar offset counts 64 bytes
  return aligned(wave.read64(op->src[0]), 4) + aligned(static_cast<uint64_t>(op->offset), 4) + 64 * register_offset(wave, op);
}

struct ScalarBuffer {
  uint64_t base, size, offset;
};
// CDNA3 ISA 8.2.1, RDNA3.5 ISA 8.1.2, RDNA4 ISA 8.1.2: before gfx12 the offsets are aligned as one.
ScalarBuffer scalar_buffer(const Wave& wave, const Op* op, unsigned bytes) {
  const uint32_t* const s = &wave.s[op->src[0].index];
  const uint32_t stride = s[1] >> 16 & 0x3fffU;
  const uint64_t immediate = static_cast<uint64_t>(op->offset), extra = register_offset(wave, op);
  const uint64_t size = stride ? static_cast<uint64_t>(stride) * s[2] : s[2], base = aligned(buffer_base(s), bytes);
  if (wave.generation < 12) return {base, size, aligned(immediate + extra, bytes)};
  return {base, aligned(size, bytes), aligned(immediate, bytes) + aligned(extra, bytes)};
}

const Op* atomic_at(Wave& wave, const Op* op, uint64_t address) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Source& data = op->src[2];
  uint64_t operand = 0, second = 0, old = 0;
  std::memcpy(&operand, &wave.s[data.index], traits.bytes);
  if (has_second(traits.atomic)) std::memcpy(&second, &wave.s[data.index + traits.bytes / 4U], traits.bytes);
  wave.memory->refresh();
  LaneAccess access{wave, op};
  if (!access.atomic(Segment::Global, address, ~0U, traits, operand, second, old)) return nullptr;
  if (op->returns) std::memcpy(&wave.s[op->dst], &old, traits.bytes);
  return op + 1;
}

} // namespace

const Op* run_scalar_scratch_load(Wave& wave, const Op* op) {
  wave.resume = op;
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const uint64_t address = scratch_address(wave, op);
  const std::byte* const host = scratch_cell(wave, address, traits.bytes);
  if (!host) return raise(wave, op, Fault::Aperture, "scalar scratch read out of range", address);
  extend_and_write(wave, op, traits, host);
  return op + 1;
}

const Op* run_scalar_scratch_store(Wave& wave, const Op* op) {
  wave.resume = op;
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const uint64_t address = scratch_address(wave, op);
  std::byte* const host = scratch_cell(wave, address, traits.bytes);
  if (!host) return raise(wave, op, Fault::Aperture, "scalar scratch write out of range", address);
  std::memcpy(host, &wave.s[op->src[2].index], traits.bytes);
  return op + 1;
}

const Op* run_scalar_atomic(Wave& wave, const Op* op) {
  wave.resume = op;
  return atomic_at(wave, op, address_of(wave, op, 4));
}

// Outside of the buffer nothing happens, and zero comes back.
const Op* run_scalar_buffer_atomic(Wave& wave, const Op* op) {
  wave.resume = op;
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const auto [base, size, offset] = scalar_buffer(wave, op, traits.bytes);
  if (offset < size) return atomic_at(wave, op, base + offset);
  if (op->returns) std::memset(&wave.s[op->dst], 0, traits.bytes);
  return op + 1;
}

const Op* run_scalar_buffer_load(Wave& wave, const Op* op) {
  wave.resume = op;
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const auto [base, size, offset] = scalar_buffer(wave, op, traits.bytes);
  // Words that begin beyond the buffer read as zero.
  alignas(8) std::byte bytes[64] = {};
  wave.memory->refresh();
  const unsigned step = traits.bytes < 4 ? traits.bytes : 4;
  for (unsigned i = 0; i < traits.bytes; i += step) {
    if (offset + i >= size) continue;
    const std::byte* const host = wave.memory->translate(base + offset + i, step, false);
    if (!host) return raise(wave, op, Fault::PageFault, "scalar read of an address that is not mapped", base + offset + i);
    std::memcpy(bytes + i, host, step);
  }
  extend_and_write(wave, op, traits, bytes);
  return op + 1;
}

// Words that begin beyond the buffer are not written.
const Op* run_scalar_buffer_store(Wave& wave, const Op* op) {
  wave.resume = op;
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const auto [base, size, offset] = scalar_buffer(wave, op, traits.bytes);
  wave.memory->refresh();
  for (unsigned i = 0; i < traits.bytes; i += 4) {
    if (offset + i >= size) continue;
    std::byte* const host = wave.memory->translate(base + offset + i, 4, true);
    if (!host) return raise(wave, op, Fault::PageFault, "scalar write to an address that is not mapped", base + offset + i);
    std::memcpy(host, &wave.s[op->src[2].index + i / 4], 4);
  }
  return op + 1;
}

} // namespace ptxshim::vgpu
