// SPDX-License-Identifier: MIT
// What the virtual device says of itself, per GPU name.
#pragma once

#include <cstdint>
#include <string_view>

namespace ptxshim::vgpu {

struct GfxRow {
  const char* name;
  uint32_t version;   // major * 10000 + minor * 100 + step, as in gfx_target_version
  uint32_t device_id; // one that the thunk's own table maps to this name; 0: the version alone decides
  uint32_t wave_size;
  uint32_t simds_per_cu;
  uint32_t waves_per_simd;
  uint32_t lds_kib;
  uint32_t sdma_major;
  bool sram_ecc;
};

// clang-format off
inline constexpr GfxRow kGfxRows[] = {
    // name     version device  wave simd waves lds sdma sram_ecc
    {"gfx900",   90000, 0x6860, 64,  4,   10,   64, 4, false},
    {"gfx906",   90006, 0x66A0, 64,  4,   10,   64, 4, false},
    {"gfx908",   90008, 0x738C, 64,  4,   10,   64, 4, true},
    {"gfx90a",   90010, 0x7408, 64,  4,    8,   64, 4, true},
    {"gfx942",   90402, 0,      64,  4,    8,   64, 4, true},
    {"gfx1010", 100100, 0x731F, 32,  2,   20,   64, 5, false},
    {"gfx1011", 100101, 0,      32,  2,   20,   64, 5, false},
    {"gfx1012", 100102, 0x7340, 32,  2,   20,   64, 5, false},
    {"gfx1030", 100300, 0x73BF, 32,  2,   16,   64, 5, false},
    {"gfx1031", 100301, 0,      32,  2,   16,   64, 5, false},
    {"gfx1032", 100302, 0,      32,  2,   16,   64, 5, false},
    {"gfx1034", 100304, 0,      32,  2,   16,   64, 5, false},
    {"gfx1035", 100305, 0,      32,  2,   16,   64, 5, false},
    {"gfx1036", 100306, 0,      32,  2,   16,   64, 5, false},
    {"gfx1100", 110000, 0,      32,  2,   16,   64, 6, false},
    {"gfx1101", 110001, 0,      32,  2,   16,   64, 6, false},
    {"gfx1102", 110002, 0,      32,  2,   16,   64, 6, false},
    {"gfx1103", 110003, 0,      32,  2,   16,   64, 6, false},
    {"gfx1150", 110500, 0,      32,  2,   16,   64, 6, false},
    {"gfx1151", 110501, 0,      32,  2,   16,   64, 6, false},
    {"gfx1152", 110502, 0,      32,  2,   16,   64, 6, false},
    {"gfx1200", 120000, 0,      32,  2,   16,   64, 7, false},
    {"gfx1201", 120001, 0,      32,  2,   16,   64, 7, false},
};
// clang-format on

inline const GfxRow* find_gfx(std::string_view name) {
  for (const GfxRow& row : kGfxRows)
    if (name == row.name) return &row;
  return nullptr;
}

} // namespace ptxshim::vgpu
