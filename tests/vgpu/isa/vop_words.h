// SPDX-License-Identifier: MIT
// Vector ALU instructions as AMD's ISA documents lay out their fields ("Microcode Formats"), and their words. Written from
// those pages alone: what comes out of the decoder is compared with the fields that went in.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ptxshim::vgpu::check {

struct Machine {
  const char* gfx;
  unsigned generation; // 9 to 12
  unsigned lanes;
  bool cdna2() const { return std::string(gfx) == "gfx90a" || cdna3(); }
  bool cdna3() const { return std::string(gfx) == "gfx942"; }
};
inline constexpr Machine kMachines[] = {
    {"gfx900", 9, 64},   {"gfx90a", 9, 64},   {"gfx942", 9, 64},   {"gfx1030", 10, 32}, {"gfx1030", 10, 64},
    {"gfx1100", 11, 32}, {"gfx1100", 11, 64}, {"gfx1150", 11, 32}, {"gfx1200", 12, 32}, {"gfx1200", 12, 64},
};
std::string machine_name(const Machine& machine);
inline void PrintTo(const Machine& machine, std::ostream* out) { *out << machine_name(machine); } // for GoogleTest

enum class Family : uint8_t { Vop1, Vop2, Vopc, Vop3, Vop3p };
enum class Form : uint8_t { Plain, Sdwa, Dpp16, Dpp8 };
const char* family_name(Family family);

// Codes of the 9-bit source field.
inline constexpr unsigned kCodeVcc = 106, kCodeExec = 126, kCodeZero = 128, kCodeHalf = 240, kCodeSdwa = 249, kCodeDpp16 = 250,
                          kCodeVccz = 251, kCodeExecz = 252, kCodeScc = 253, kCodeLiteral = 255, kCodeVector = 256,
                          kCodeDpp8 = 233, kCodeDpp8Fetch = 234;
inline unsigned code_m0(const Machine& m) { return m.generation >= 11 ? 125 : 124; }
inline unsigned code_null(const Machine& m) { return m.generation >= 11 ? 124 : 125; } // none before gfx10

struct Vop {
  Family family = Family::Vop1;
  Form form = Form::Plain;
  unsigned op = 0;
  unsigned vdst = 0;                  // VOPC in VOP3: the scalar destination's code
  unsigned src[4] = {};               // in the order of the meaning's operands
  unsigned encoded = 3;               // how many of them the word names (v_mac's last is its result)
  unsigned second = 1;                // VOP2: which is in vsrc1 (2 for v_madmk)
  bool scalar_result = false;         // VOP3B: sdst instead of abs and op_sel
  unsigned sdst = 0;
  unsigned neg = 0, abs = 0;          // a bit a source
  unsigned neg_hi = 0, op_sel_hi = 7; // VOP3P
  unsigned op_sel = 0;                // bit 3: the destination
  bool clamp = false;
  unsigned omod = 0;
  bool has_literal = false;           // after the instruction: a source is 255, or v_madmk and its like
  uint32_t literal = 0;
  unsigned dpp_ctrl = 0, row_mask = 15, bank_mask = 15;
  bool bound_ctrl = false, fetch_inactive = false;
  unsigned lane_select = 0;           // DPP8, 24 bits
  unsigned dst_sel = 6, dst_unused = 0, sel[2] = {6, 6};
  unsigned sext = 0;
  bool sdwa_scalar_result = false;    // VOPC: sdst instead of VCC
};

std::vector<uint32_t> encode(const Vop& vop, const Machine& machine);

} // namespace ptxshim::vgpu::check
