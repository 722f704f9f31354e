// SPDX-License-Identifier: MIT
#include "device/device.h"

// Offset 0 asks about the base itself; n > 0 is the n-th set bit at or above the base, n < 0 the n-th at or below it.
PTXSHIM_DEVICE uint32_t ptx_fns(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31) return 0xffffffffu;
  if (offset == 0) return ((mask >> base) & 1u) != 0 ? base : 0xffffffffu;
  const bool up = offset > 0;
  uint32_t left = up ? static_cast<uint32_t>(offset) : 0u - static_cast<uint32_t>(offset);
  // What is on the other side of the base does not count.
  uint32_t rest = up ? mask & (0xffffffffu << base) : mask & (0xffffffffu >> (31 - base));
  if (left > 32) return 0xffffffffu;
  while (rest != 0) {
    const uint32_t at = up ? static_cast<uint32_t>(__builtin_ctz(rest)) : 31u - static_cast<uint32_t>(__builtin_clz(rest));
    if (--left == 0) return at;
    rest &= ~(1u << at);
  }
  return 0xffffffffu;
}
