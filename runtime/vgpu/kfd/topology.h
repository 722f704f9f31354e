// SPDX-License-Identifier: MIT
// The sysfs tree in which the kernel driver describes the machine: node 0 the CPU, node 1 the GPU. Held in
// memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "device.h"

namespace ptxshim::vgpu {

inline constexpr uint32_t kGpuId = 0x5054; // any nonzero number
inline constexpr uint32_t kRenderMinor = 128;

class Topology {
public:
  explicit Topology(const Device::Settings& settings);

  // Whether the path belongs to the tree at all; what is not in it then does not exist.
  static bool covers(std::string_view path);
  const std::string* file(std::string_view path) const;
  // Names in a directory, without "." and ".."; null if there is no such directory.
  const std::set<std::string>* directory(std::string_view path) const;

private:
  void add(const std::string& path, std::string text);
  void add_cpu_node();
  void add_gpu_node(const Device::Settings& settings);

  std::map<std::string, std::string, std::less<>> files_;
  std::map<std::string, std::set<std::string>, std::less<>> directories_;
};

} // namespace ptxshim::vgpu
