// SPDX-License-Identifier: MIT
#include "frame.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace ptxshim::loader {

namespace {

constexpr uint32_t kFrameMagic = 0x52465850; // "PXFR"
constexpr size_t kHeadSize = 16;

// Waits until `events` are possible.
Io wait_for(int fd, short events, Deadline deadline) {
  for (;;) {
    int timeout = -1;
    if (deadline != Deadline::max()) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return Io::TimedOut;
      timeout = static_cast<int>(std::min<long long>(left + 1, 60'000));
    }
    pollfd entry{fd, events, 0};
    const int count = poll(&entry, 1, timeout);
    if (count > 0) return Io::Done;
    if (count < 0 && errno != EINTR) return Io::Failed;
  }
}

template <class Move> Io transfer(int fd, short events, size_t size, Deadline deadline, const Move& move) {
  for (size_t done = 0; done < size;) {
    const ssize_t count = move(done);
    if (count > 0) {
      done += static_cast<size_t>(count);
    } else if (count == 0) {
      return Io::Closed;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (const Io io = wait_for(fd, events, deadline); io != Io::Done) return io;
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return Io::Closed;
    } else if (errno != EINTR) {
      return Io::Failed;
    }
  }
  return Io::Done;
}

Io send_all(int fd, const std::byte* data, size_t size, Deadline deadline) {
  return transfer(fd, POLLOUT, size, deadline, [&](size_t done) {
    return send(fd, data + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
  });
}

Io receive_all(int fd, std::byte* data, size_t size, Deadline deadline) {
  return transfer(fd, POLLIN, size, deadline,
                  [&](size_t done) { return recv(fd, data + done, size - done, MSG_DONTWAIT); });
}

} // namespace

Io send_frame(int fd, FrameKind kind, std::span<const std::byte> payload, Deadline deadline) {
  std::byte head[kHeadSize];
  const uint32_t magic = kFrameMagic;
  const auto number = static_cast<uint32_t>(kind);
  const uint64_t size = payload.size();
  std::memcpy(head, &magic, 4);
  std::memcpy(head + 4, &number, 4);
  std::memcpy(head + 8, &size, 8);
  const Io io = send_all(fd, head, sizeof head, deadline);
  return io == Io::Done ? send_all(fd, payload.data(), payload.size(), deadline) : io;
}

Io receive_frame(int fd, FrameKind expected, std::vector<std::byte>& payload, Deadline deadline) {
  std::byte head[kHeadSize];
  if (const Io io = receive_all(fd, head, sizeof head, deadline); io != Io::Done) return io;
  uint32_t magic = 0, kind = 0;
  uint64_t size = 0;
  std::memcpy(&magic, head, 4);
  std::memcpy(&kind, head + 4, 4);
  std::memcpy(&size, head + 8, 8);
  if (magic != kFrameMagic || kind != static_cast<uint32_t>(expected) || size > kMaxFrame) return Io::Garbage;
  // In steps: what a false size can allocate stays close to what was really sent.
  constexpr size_t kStep = size_t{16} << 20;
  payload.clear();
  for (size_t done = 0; done < size;) {
    const size_t step = std::min<size_t>(kStep, static_cast<size_t>(size) - done);
    payload.resize(done + step);
    if (const Io io = receive_all(fd, payload.data() + done, step, deadline); io != Io::Done) return io;
    done += step;
  }
  return Io::Done;
}

} // namespace ptxshim::loader
