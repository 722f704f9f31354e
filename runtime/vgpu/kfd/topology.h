// SPDX-License-Identifier: MIT
// The sysfs tree in which the kernel driver describes the machine: node 0 the CPU, the others the GPUs. Held in
// memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "machine.h"

namespace ptxshim::vgpu {

inline constexpr uint32_t kFirstGpuId = 0x5054; // any nonzero number; the other devices' follow
inline constexpr uint32_t kFirstRenderMinor = 128;

class Topology {
public:
  explicit Topology(std::span<const Device::Settings> devices);

  // Whether the path belongs to the tree at all; what is not in it then does not exist.
  static bool covers(std::string_view path);
  const std::string* file(std::string_view path) const;
  // Names in a directory, without "." and ".."; null if there is no such directory.
  const std::set<std::string>* directory(std::string_view path) const;

private:
  void add(const std::string& path, std::string text);
  void add_cpu_node(uint32_t devices);
  void add_gpu_node(uint32_t device, const Device::Settings& settings, uint32_t devices);

  std::map<std::string, std::string, std::less<>> files_;
  std::map<std::string, std::set<std::string>, std::less<>> directories_;
};

} // namespace ptxshim::vgpu
