// SPDX-License-Identifier: MIT
// What a kernel's header says about how its waves begin: entry point, registers set up, float mode, sizes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace ptxshim::vgpu {

struct Target;

struct KernelStart {
  uint64_t entry = 0;
  uint32_t wave_size = 32;
  uint32_t mode = 0;              // MODE register
  uint32_t group_bytes = 0, private_bytes = 0, kernarg_bytes = 0;
  uint32_t vector_registers = 256;
  uint32_t user_scalars = 0;
  bool private_buffer = false, dispatch_pointer = false, queue_pointer = false, kernarg_pointer = false;
  bool dispatch_id = false, flat_scratch = false, private_size = false;
  bool dynamic_stack = false;     // recursion or calls through pointers: the size is not known
  bool group_count[3] = {};       // amd_kernel_code_t only
  bool private_wave_offset = false, group_id[3] = {}, group_info = false;
  uint32_t work_item_id = 0;      // 0 x, 1 x y, 2 x y z
  uint32_t preload_words = 0, preload_offset = 0;
};

// `header` are the bytes at the kernel object: a 64-byte kernel descriptor (code object version 3 and later) or the
// 256-byte amd_kernel_code_t of older code. False: neither; `why` says so.
bool read_kernel_header(std::span<const std::byte> header, uint64_t address, const Target& target, KernelStart& out,
                        std::string& why);

} // namespace ptxshim::vgpu
