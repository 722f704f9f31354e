// SPDX-License-Identifier: MIT
// The layouts: "Vega" and CDNA documents for gfx9, RDNA 2, RDNA 3 and RDNA 4 documents for the others, each chapter
// "Microcode Formats". VOP3 moved to prefix 110101 and VOP3P to 11001100 with gfx10; DPP on VOP3 came with gfx11, where
// SDWA ended; the fetch-inactive bit came with gfx10.
#include "vop_words.h"

namespace ptxshim::vgpu::check {
namespace {

uint32_t first_source(const Vop& vop) {
  switch (vop.form) {
  case Form::Plain: break;
  case Form::Sdwa: return kCodeSdwa;
  case Form::Dpp16: return kCodeDpp16;
  case Form::Dpp8: return vop.fetch_inactive ? kCodeDpp8Fetch : kCodeDpp8;
  }
  return vop.src[0];
}

uint32_t sdwa_word(const Vop& vop) {
  uint32_t word = (vop.src[0] & 0xffU) | vop.sel[0] << 16 | (vop.sext & 1U) << 19 | (vop.neg & 1U) << 20 |
                  (vop.abs & 1U) << 21 | (vop.src[0] < kCodeVector ? 1U << 23 : 0U);
  if (vop.family != Family::Vop1) // those have no second source
    word |= vop.sel[1] << 24 | (vop.sext >> 1 & 1U) << 27 | (vop.neg >> 1 & 1U) << 28 | (vop.abs >> 1 & 1U) << 29 |
            (vop.src[1] < kCodeVector ? 1U << 31 : 0U);
  else
    word |= 6U << 24;
  if (vop.family == Family::Vopc)
    return word | (vop.sdwa_scalar_result ? vop.sdst << 8 | 1U << 15 : 0U);
  return word | vop.dst_sel << 8 | vop.dst_unused << 11 | (vop.clamp ? 1U << 13 : 0U) | vop.omod << 14;
}

uint32_t dpp_word(const Vop& vop, bool modifiers) {
  const uint32_t source = vop.src[0] & 0xffU;
  if (vop.form == Form::Dpp8) return source | vop.lane_select << 8;
  uint32_t word = source | vop.dpp_ctrl << 8 | (vop.fetch_inactive ? 1U << 18 : 0U) | (vop.bound_ctrl ? 1U << 19 : 0U) |
                  vop.bank_mask << 24 | vop.row_mask << 28;
  if (modifiers)
    word |= (vop.neg & 1U) << 20 | (vop.abs & 1U) << 21 | (vop.neg >> 1 & 1U) << 22 | (vop.abs >> 1 & 1U) << 23;
  return word;
}

void encode_vop3(const Vop& vop, const Machine& machine, std::vector<uint32_t>& words) {
  const uint32_t clamp = vop.clamp ? 1U << 15 : 0U;
  uint32_t first;
  if (vop.family == Family::Vop3p)
    first = (machine.generation == 9 ? 0xd3800000U : 0xcc000000U) | vop.op << 16 | clamp | (vop.op_sel_hi >> 2 & 1U) << 14 |
            (vop.op_sel & 7U) << 11 | (vop.neg_hi & 7U) << 8 | vop.vdst;
  else
    first = (machine.generation == 9 ? 0xd0000000U : 0xd4000000U) | vop.op << 16 | clamp | vop.vdst |
            (vop.scalar_result ? vop.sdst << 8 : vop.op_sel << 11 | vop.abs << 8);
  const uint32_t omod = vop.family == Family::Vop3p ? vop.op_sel_hi & 3U : vop.omod;
  words.push_back(first);
  words.push_back(first_source(vop) | (vop.encoded > 1 ? vop.src[1] << 9 : 0U) | (vop.encoded > 2 ? vop.src[2] << 18 : 0U) |
                  omod << 27 | vop.neg << 29);
}

} // namespace

std::string machine_name(const Machine& machine) {
  return std::string(machine.gfx) + (machine.generation == 9 ? "" : machine.lanes == 32 ? "_wave32" : "_wave64");
}

const char* family_name(Family family) {
  switch (family) {
  case Family::Vop1: return "VOP1";
  case Family::Vop2: return "VOP2";
  case Family::Vopc: return "VOPC";
  case Family::Vop3: return "VOP3";
  case Family::Vop3p: return "VOP3P";
  }
  return "";
}

std::vector<uint32_t> encode(const Vop& vop, const Machine& machine) {
  std::vector<uint32_t> words;
  switch (vop.family) {
  case Family::Vop1: words.push_back(0x7e000000U | vop.vdst << 17 | vop.op << 9 | first_source(vop)); break;
  case Family::Vop2:
    words.push_back(vop.op << 25 | vop.vdst << 17 | (vop.src[vop.second] & 0xffU) << 9 | first_source(vop));
    break;
  case Family::Vopc: words.push_back(0x7c000000U | vop.op << 17 | (vop.src[1] & 0xffU) << 9 | first_source(vop)); break;
  case Family::Vop3:
  case Family::Vop3p: encode_vop3(vop, machine, words); break;
  }
  const bool wide = vop.family == Family::Vop3 || vop.family == Family::Vop3p;
  if (vop.form == Form::Sdwa) words.push_back(sdwa_word(vop));
  if (vop.form == Form::Dpp16 || vop.form == Form::Dpp8) words.push_back(dpp_word(vop, !wide));
  if (vop.has_literal) words.push_back(vop.literal);
  return words;
}

} // namespace ptxshim::vgpu::check
