// SPDX-License-Identifier: MIT
#include "atomics.h"

#include "meanings/meanings.h"

namespace ptxshim::vgpu {

uint32_t atomic_pk_add_f16(uint32_t a, uint32_t b) {
  return meaning::pack(meaning::v_pk_add_f16(meaning::unpack_f16(a), meaning::unpack_f16(b), meaning::kKeepDenormals));
}

uint32_t atomic_pk_add_bf16(uint32_t a, uint32_t b) {
  auto half = [](uint32_t x, uint32_t y) {
    const float sum = std::bit_cast<float>(x << 16) + std::bit_cast<float>(y << 16);
    const uint32_t bits = std::bit_cast<uint32_t>(sum);
    if (sum != sum) return (bits >> 16) | 0x40U;
    return (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16; // nearest even
  };
  return half(a & 0xffffU, b & 0xffffU) | half(a >> 16, b >> 16) << 16;
}

} // namespace ptxshim::vgpu
