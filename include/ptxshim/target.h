// SPDX-License-Identifier: MIT
// The AMD GPUs that code can be made for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ptxshim {

struct Target {
  const char* name;     // "gfx1030"
  uint8_t wave_size;    // the wave that a translated kernel runs in: 32 where the hardware has it
  uint8_t minimum_llvm; // first LLVM major that knows it
  const char* family;   // "RDNA 2"
};

// clang-format off
inline constexpr Target kTargets[] = {
    // name      wave llvm family
    {"gfx900",   64, 19, "Vega"},    {"gfx906",   64, 19, "Vega 20"}, {"gfx908",  64, 19, "CDNA 1"},
    {"gfx90a",   64, 19, "CDNA 2"},  {"gfx942",   64, 19, "CDNA 3"},  {"gfx950",  64, 20, "CDNA 4"},
    {"gfx1010",  32, 19, "RDNA 1"},  {"gfx1011",  32, 19, "RDNA 1"},  {"gfx1012", 32, 19, "RDNA 1"},
    {"gfx1030",  32, 19, "RDNA 2"},  {"gfx1031",  32, 19, "RDNA 2"},  {"gfx1032", 32, 19, "RDNA 2"},
    {"gfx1034",  32, 19, "RDNA 2"},  {"gfx1035",  32, 19, "RDNA 2"},  {"gfx1036", 32, 19, "RDNA 2"},
    {"gfx1100",  32, 19, "RDNA 3"},  {"gfx1101",  32, 19, "RDNA 3"},  {"gfx1102", 32, 19, "RDNA 3"},
    {"gfx1103",  32, 19, "RDNA 3"},  {"gfx1150",  32, 19, "RDNA 3.5"},{"gfx1151", 32, 19, "RDNA 3.5"},
    {"gfx1152",  32, 19, "RDNA 3.5"},{"gfx1200",  32, 19, "RDNA 4"},  {"gfx1201", 32, 19, "RDNA 4"},
};
// clang-format on

// Null when the name is not known. Feature suffixes (":sramecc+:xnack-") are not part of the name.
inline const Target* find_target(std::string_view name) {
  for (const Target& target : kTargets)
    if (name == target.name) return &target;
  return nullptr;
}

} // namespace ptxshim
