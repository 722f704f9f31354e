// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>

namespace ptxshim::vgpu {

// The device's resources for synchronising waves of all work groups: barriers or semaphores, 64 of them.
struct GlobalWaveSync {
  struct Resource {
    uint32_t counter = 0; // barrier: waves that are still to come; semaphore: its value
    uint32_t phase = 0;   // of the barrier: changes when the last wave has come
    uint32_t queued = 0;  // waves that wait at the semaphore
  };
  std::mutex mutex;
  Resource resources[64];
};

} // namespace ptxshim::vgpu
