// SPDX-License-Identifier: MIT
// Starts a worker process that the application around us cannot notice.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

#include "ptxshim/result.h"

namespace ptxshim::loader {

struct Warden; // process.cpp

struct Process {
  pid_t warden_pid = -1;
  Warden* warden = nullptr;
  int socket = -1;    // our end
  uint64_t inode = 0; // of our end: an application that closes all descriptors must not lend us another file
  int messages = -1;  // memory file that takes the process's stderr
  uint64_t messages_inode = 0;
};

// `path --worker` with the other end of the socket as descriptor 0.
Result<Process> start_process(const std::string& path);

// Is the descriptor still the one that we opened?
bool still_ours(int fd, uint64_t inode);

// Kills and reaps. Returns how it had ended if it was dead already ("killed by signal 11 (Segmentation
// fault)"), else "". Its messages can still be taken.
std::string stop_process(Process& process);
void release_process(Process& process);

// What the process wrote to stderr since the last call, at most the final 4 KiB.
std::string take_messages(const Process& process);

} // namespace ptxshim::loader
