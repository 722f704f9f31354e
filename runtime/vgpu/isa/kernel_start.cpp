// SPDX-License-Identifier: MIT
// LLVM's AMDGPUUsage describes both headers. They share the words at +48 (COMPUTE_PGM_RSRC1), +52 (RSRC2), +56 (code
// properties) and the entry offset at +16. An amd_kernel_code_t begins with its version (1, 0..2) and machine kind 1; a
// descriptor with the LDS size, the scratch size and the size of the arguments, and has zeros between.

#include "kernel_start.h"

#include <cstring>

#include "code_cache.h"

namespace ptxshim::vgpu {
namespace {

template <class T> T at(std::span<const std::byte> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}
bool bit(uint32_t word, unsigned number) { return (word >> number & 1U) != 0; }

void read_rsrc(uint32_t rsrc1, uint32_t rsrc2, uint32_t properties, const Target& target, KernelStart& out) {
  out.vector_registers = ((rsrc1 & 63U) + 1) * 16; // the coarsest granule there is: only used to clear registers
  if (out.vector_registers > 256) out.vector_registers = 256;
  out.mode = rsrc1 >> 12 & 0xffU;
  if (target.generation < 12)
    out.mode |= (bit(rsrc1, 21) ? 1U << 8 : 0U) | (bit(rsrc1, 23) ? 1U << 9 : 0U);
  out.user_scalars = rsrc2 >> 1 & 31U;
  for (unsigned i = 0; i < 3; ++i) out.group_id[i] = bit(rsrc2, 7 + i);
  out.group_info = bit(rsrc2, 10);
  out.work_item_id = rsrc2 >> 11 & 3U;
  out.private_wave_offset = bit(rsrc2, 0) && !target.architected_scratch;
  out.private_buffer = bit(properties, 0);
  out.dispatch_pointer = bit(properties, 1);
  out.queue_pointer = bit(properties, 2);
  out.kernarg_pointer = bit(properties, 3);
  out.dispatch_id = bit(properties, 4);
  out.flat_scratch = bit(properties, 5);
  out.private_size = bit(properties, 6);
  out.dynamic_stack = bit(properties, 11);
  out.wave_size = target.generation >= 10 && bit(properties, 10) ? 32 : 64;
}

bool looks_like_old_header(std::span<const std::byte> header) {
  return header.size() >= 256 && at<uint32_t>(header, 0) == 1 && at<uint32_t>(header, 4) <= 2 &&
         at<uint16_t>(header, 8) == 1 && at<uint16_t>(header, 10) >= 7 && at<uint16_t>(header, 10) <= 12;
}

} // namespace

Target Target::from(const std::string& gfx) {
  Target target;
  target.gfx = gfx;
  const std::string digits = gfx.size() > 3 ? gfx.substr(3) : std::string();
  target.generation = digits.size() > 3 ? static_cast<unsigned>(digits[0] - '0') * 10 + static_cast<unsigned>(digits[1] - '0') : 9;
  target.is_gfx90a = digits == "90a";
  target.is_gfx940 = digits == "940" || digits == "941" || digits == "942" || digits == "950";
  target.packed_work_item_ids = target.generation >= 11 || target.is_gfx90a || target.is_gfx940;
  target.architected_scratch = target.generation >= 11 || target.is_gfx940;
  target.work_group_ids_in_ttmp = target.generation >= 12;
  return target;
}

bool read_kernel_header(std::span<const std::byte> header, uint64_t address, const Target& target, KernelStart& out,
                        std::string& why) {
  if (header.size() < 64) {
    why = "the kernel object is not mapped";
    return false;
  }
  const uint32_t rsrc1 = at<uint32_t>(header, 48), rsrc2 = at<uint32_t>(header, 52);
  if (bit(rsrc1, 26)) {
    why = "the kernel asks for FP16_OVFL, which is not implemented";
    return false;
  }
  out.entry = address + at<uint64_t>(header, 16);
  if (looks_like_old_header(header)) {
    const uint32_t properties = at<uint32_t>(header, 56);
    read_rsrc(rsrc1, rsrc2, properties, target, out);
    for (unsigned i = 0; i < 3; ++i) out.group_count[i] = bit(properties, 7 + i);
    out.private_bytes = at<uint32_t>(header, 60);
    out.group_bytes = at<uint32_t>(header, 64);
    out.kernarg_bytes = static_cast<uint32_t>(at<uint64_t>(header, 72));
    return true;
  }
  for (size_t i = 24; i < 44; ++i)
    if (header[i] != std::byte{0}) {
      why = "the kernel object is neither a kernel descriptor nor an amd_kernel_code_t";
      return false;
    }
  out.group_bytes = at<uint32_t>(header, 0);
  out.private_bytes = at<uint32_t>(header, 4);
  out.kernarg_bytes = at<uint32_t>(header, 8);
  read_rsrc(rsrc1, rsrc2, at<uint16_t>(header, 56), target, out);
  const uint16_t preload = at<uint16_t>(header, 58);
  out.preload_words = preload & 0x7fU;
  out.preload_offset = preload >> 7;
  if (out.entry & 3U) {
    why = "the kernel's entry point is not aligned";
    return false;
  }
  return true;
}

} // namespace ptxshim::vgpu
