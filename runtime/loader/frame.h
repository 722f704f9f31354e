// SPDX-License-Identifier: MIT
// Frames on the socket between the runtime and a worker (layout: ptxshim/worker.h), with a deadline for each.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ptxshim::loader {

enum class FrameKind : uint32_t { Hello = 1, Request = 2, Reply = 3 };

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point; // Deadline::max(): none

enum class Io { Done, Closed, TimedOut, Garbage, Failed };

inline constexpr uint64_t kMaxFrame = uint64_t{2} << 30; // bytes of payload

// Neither raises SIGPIPE nor depends on the descriptor's blocking mode.
Io send_frame(int fd, FrameKind kind, std::span<const std::byte> payload, Deadline deadline);
Io receive_frame(int fd, FrameKind expected, std::vector<std::byte>& payload, Deadline deadline);

} // namespace ptxshim::loader
