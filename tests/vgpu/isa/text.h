// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace ptxshim::vgpu::check {

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
inline bool begins(std::string_view text, std::string_view part) { return text.substr(0, part.size()) == part; }
inline std::string number(int64_t value) { return std::to_string(value); }
inline std::string hex_bits(uint64_t bits) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(bits));
  return text;
}
inline std::string hex(int64_t value) { // signed, as offsets are written
  return value < 0 ? "-" + hex_bits(0 - static_cast<uint64_t>(value)) : hex_bits(static_cast<uint64_t>(value));
}

} // namespace ptxshim::vgpu::check
