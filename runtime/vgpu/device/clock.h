// SPDX-License-Identifier: MIT
// The device's clock: 100 MHz, the one that GET_CLOCK_COUNTERS reports and that stamps signals.
#pragma once

#include <cstdint>
#include <ctime>

namespace ptxshim::vgpu {

inline uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

inline uint64_t device_clock() { return clock_ns(CLOCK_MONOTONIC_RAW) / 10; }

} // namespace ptxshim::vgpu
