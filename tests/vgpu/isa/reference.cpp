// SPDX-License-Identifier: MIT
#include "reference.h"

#include <bit>
#include <cmath>
#include <limits>

namespace ptxshim::vgpu::check {
namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

unsigned slot_of(const Machine& machine, unsigned code) { return code == code_m0(machine) ? kM0 : code; }
bool is_null(const Machine& machine, unsigned code) { return machine.generation >= 10 && code == code_null(machine); }

// The inline constants 240 to 248: 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi).
uint64_t inline_number(unsigned code, Value type) {
  static constexpr double kNumbers[] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0};
  static constexpr uint16_t kHalves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
  const unsigned which = code - kCodeHalf;
  if (type == Value::F16 || type == Value::F16x2) return kHalves[which];
  const bool reciprocal = which == 8;
  if (is_wide(type) && !is_pair32(type)) return reciprocal ? 0x3fc45f306dc9c882ULL : std::bit_cast<uint64_t>(kNumbers[which]);
  const uint32_t single = reciprocal ? 0x3e22f983U : std::bit_cast<uint32_t>(static_cast<float>(kNumbers[which]));
  return type == Value::BF16 ? single >> 16 : single;
}

uint64_t literal_value(uint32_t literal, Value type) {
  if (type == Value::F64) return static_cast<uint64_t>(literal) << 32; // the high word of the number
  if (type == Value::I64) return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(literal)));
  return literal;
}

uint64_t sign_bit(Value type) {
  if (type == Value::F64) return 1ULL << 63;
  return is_short(type) ? 1ULL << 15 : 1ULL << 31;
}

uint32_t selected(uint32_t value, unsigned select, bool sign) {
  if (select == 6) return value;
  const unsigned width = select < 4 ? 8 : 16, shift = select < 4 ? 8 * select : 16 * (select - 4);
  uint32_t part = value >> shift & ((1U << width) - 1);
  if (sign && (part >> (width - 1))) part |= ~0U << width;
  return part;
}

// What is too large rounds by the mode: 0 to nearest, 1 upward, 2 downward, 3 toward zero.
bool overflow_is_infinite(unsigned round, bool negative) { return round == 0 || round == (negative ? 2U : 1U); }
template <class T> T scaled(T value, unsigned omod, unsigned round) {
  static constexpr T kFactor[] = {1, 2, 4, T(0.5)}, kLeast = std::numeric_limits<T>::min(), kLargest = std::numeric_limits<T>::max();
  if (value != value || std::fabs(value) > kLargest) return value;
  if (std::fabs(value) < kLeast) return T(0); // a zero or denormal
  if (omod == 3 && std::fabs(value) < 2 * kLeast) return std::copysign(T(0), value); // before a half could round upward
  const T result = value * kFactor[omod];
  const bool too_large = std::fabs(result) > kLargest && !overflow_is_infinite(round, value < 0);
  return too_large ? std::copysign(kLargest, value) : result;
}
template <class T> T clamped(T value, bool nan_is_zero) {
  if (value != value) return nan_is_zero ? T(0) : value;
  return value > T(1) ? T(1) : value > T(0) ? value : T(0);
}

double half_value(uint32_t bits) { // numbers, not NaNs or infinities
  const double size = (bits >> 10 & 31U) ? (1024 + (bits & 0x3ffU)) * std::bit_cast<double>(uint64_t{(bits >> 10 & 31U) + 1023 - 25} << 52)
                                         : (bits & 0x3ffU) * 0x1p-24;
  return bits & 0x8000U ? -size : size;
}

// omod only moves the exponent of a half: exact, but for what becomes too large or too small.
uint32_t scaled_half(uint32_t bits, unsigned omod, unsigned round) {
  if ((bits & 0x7c00U) == 0x7c00U) return bits;
  if ((bits & 0x7c00U) == 0) return 0;
  static constexpr double kFactor[] = {1, 2, 4, 0.5};
  const double value = half_value(bits) * kFactor[omod];
  if (value > -0x1p-14 && value < 0x1p-14) return bits & 0x8000U;
  if (value >= 65536.0 || value <= -65536.0) return (bits & 0x8000U) | (overflow_is_infinite(round, value < 0) ? 0x7c00U : 0x7bffU);
  const uint64_t wide = std::bit_cast<uint64_t>(value);
  return (bits & 0x8000U) | static_cast<uint32_t>((wide >> 52 & 0x7ffU) - 1023 + 15) << 10 | static_cast<uint32_t>(wide >> 42 & 0x3ffU);
}
uint32_t clamped_half(uint32_t bits, bool nan_is_zero) {
  if ((bits & 0x7fffU) > 0x7c00U) return nan_is_zero ? 0 : bits;
  if (bits & 0x8000U) return 0;
  return bits > 0x3c00U ? 0x3c00U : bits;
}

float float_of_half(uint32_t bits) {
  if ((bits & 0x7c00U) != 0x7c00U) return static_cast<float>(half_value(bits));
  return std::bit_cast<float>((bits & 0x8000U) << 16 | 0x7f800000U | (bits & 0x3ffU) << 13);
}

} // namespace

bool is_cross_lane(const std::string& mnemonic) {
  return has(mnemonic, "lane") || has(mnemonic, "v_swap_b32") || has(mnemonic, "v_mbcnt_") || has(mnemonic, "v_movrel");
}

uint64_t Reference::exec() const {
  const uint64_t mask = static_cast<uint64_t>(before_.s[kExec + 1]) << 32 | before_.s[kExec];
  return machine_.lanes == 32 ? mask & 0xffffffffU : mask;
}

uint64_t Reference::mask_at(unsigned code) const {
  if (code >= kCodeZero && code <= 208) return fetch(Vop{}, code, Value::I64, 0);
  if (is_null(machine_, code)) return 0;
  const uint64_t low = before_.s[slot_of(machine_, code)];
  return machine_.lanes == 32 ? low : static_cast<uint64_t>(before_.s[slot_of(machine_, code) + 1]) << 32 | low;
}

uint32_t Reference::scalar(unsigned code) const {
  if (is_null(machine_, code)) return 0;
  if (code == kCodeVccz) return mask_at(kCodeVcc) == 0;
  if (code == kCodeExecz) return exec() == 0;
  if (code == kCodeScc) return before_.s[kScc];
  return before_.s[slot_of(machine_, code)];
}

// The operand as it is before modifiers.
uint64_t Reference::fetch(const Vop& vop, unsigned code, Value type, unsigned lane) const {
  const bool wide = is_wide(type);
  if (code >= kCodeVector) {
    const unsigned reg = code - kCodeVector;
    return old(reg, lane) | (wide ? static_cast<uint64_t>(old(reg + 1, lane)) << 32 : 0U);
  }
  if (code == kCodeLiteral) return literal_value(vop.literal, type);
  if (code >= kCodeHalf && code < kCodeSdwa) return inline_number(code, type);
  if (code >= kCodeZero && code <= 208) {
    const int64_t value = code <= 192 ? static_cast<int64_t>(code) - 128 : 192 - static_cast<int64_t>(code);
    return wide ? static_cast<uint64_t>(value) : static_cast<uint32_t>(value);
  }
  const uint64_t low = scalar(code);
  return wide && code < kCodeZero && !is_null(machine_, code) ? low | static_cast<uint64_t>(before_.s[slot_of(machine_, code) + 1]) << 32 : low;
}

// Where a lane's first source comes from; -1: out of bounds.
int Reference::source_lane(const Vop& vop, unsigned lane) const {
  const int self = static_cast<int>(lane), lanes = static_cast<int>(machine_.lanes);
  if (vop.form == Form::Dpp8) return self / 8 * 8 + static_cast<int>(vop.lane_select >> (lane % 8 * 3) & 7U);
  const int control = static_cast<int>(vop.dpp_ctrl), row = self / 16 * 16, at = self % 16, n = control & 15;
  if (control <= 0xff) return self / 4 * 4 + (control >> (self % 4 * 2) & 3); // quad_perm
  if (control >= 0x101 && control <= 0x10f) return at + n < 16 ? self + n : -1;       // row_shl
  if (control >= 0x111 && control <= 0x11f) return at >= n ? self - n : -1;           // row_shr
  if (control >= 0x121 && control <= 0x12f) return row + (at + 16 - n) % 16;          // row_ror
  if (control == 0x130) return self + 1 < lanes ? self + 1 : -1;                      // wave_shl
  if (control == 0x134) return (self + 1) % lanes;                                    // wave_rol
  if (control == 0x138) return self - 1;                                              // wave_shr
  if (control == 0x13c) return (self + lanes - 1) % lanes;                            // wave_ror
  if (control == 0x140) return row + 15 - at;                                         // row_mirror
  if (control == 0x141) return self / 8 * 8 + 7 - self % 8;                           // row_half_mirror
  if (control == 0x142) return row ? row - 1 : -1;                                    // row_bcast15: the row before
  if (control == 0x143) return self >= 32 ? 31 : -1;                                  // row_bcast31
  if (control >= 0x150 && control <= 0x15f) return row + n;                           // row_share, row_newbcast
  if (control >= 0x160 && control <= 0x16f) return row + (at ^ n);                    // row_xmask
  return -1;
}

bool Reference::lane_writes(const Vop& vop, unsigned lane) const {
  if (!(exec() >> lane & 1U)) return false;
  if (vop.form != Form::Dpp16) return true;
  if (!(vop.row_mask >> (lane / 16) & 1U) || !(vop.bank_mask >> (lane / 4 % 4) & 1U)) return false;
  const int from = source_lane(vop, lane);
  const bool valid = from >= 0 && (vop.fetch_inactive || (exec() >> from & 1U));
  return valid || vop.bound_ctrl;
}

uint64_t Reference::modified(const Vop& vop, const Opcode& opcode, unsigned index, uint64_t bits) const {
  const Value type = opcode.meaning->source[index];
  const bool neg = vop.neg >> index & 1U, abs = vop.abs >> index & 1U, neg_hi = vop.neg_hi >> index & 1U;
  const bool op_sel = vop.op_sel >> index & 1U, op_sel_hi = vop.op_sel_hi >> index & 1U;
  if (has(opcode.mnemonic, "_mix")) { // op_sel_hi: a half, op_sel: which; neg_hi is the absolute value
    uint32_t value = static_cast<uint32_t>(bits);
    if (op_sel_hi) value = std::bit_cast<uint32_t>(float_of_half(op_sel ? value >> 16 : value & 0xffffU));
    if (neg_hi) value &= 0x7fffffffU;
    return neg ? value ^ 0x80000000U : value;
  }
  if (vop.family == Family::Vop3p && is_pair16(type)) {
    const uint64_t low = (op_sel ? bits >> 16 : bits) & 0xffffU, high = (op_sel_hi ? bits >> 16 : bits) & 0xffffU;
    return (low ^ (neg ? 0x8000U : 0U)) | (high ^ (neg_hi ? 0x8000U : 0U)) << 16;
  }
  if (vop.family == Family::Vop3p && is_pair32(type)) {
    const uint64_t low = (op_sel ? bits >> 32 : bits) & 0xffffffffU, high = (op_sel_hi ? bits >> 32 : bits) & 0xffffffffU;
    return (low ^ (neg ? 0x80000000U : 0U)) | (high ^ (neg_hi ? 0x80000000U : 0U)) << 32;
  }
  if (vop.family == Family::Vop3p && (has(opcode.mnemonic, "iu8") || has(opcode.mnemonic, "iu4"))) return bits;
  if (vop.form == Form::Sdwa && index < 2) bits = selected(static_cast<uint32_t>(bits), vop.sel[index], vop.sext >> index & 1U);
  if (vop.family == Family::Vop3 && is_short(type) && op_sel) bits >>= 16;
  const uint64_t sign = sign_bit(type);
  if (abs) bits &= ~sign;
  return neg ? bits ^ sign : bits;
}

uint64_t Reference::source(const Vop& vop, const Opcode& opcode, unsigned index, unsigned lane) const {
  Value type = opcode.meaning->source[index];
  if (has(opcode.mnemonic, "_mix") && (vop.op_sel_hi >> index & 1U)) type = Value::F16x2; // inline numbers are halves
  uint64_t bits;
  if (index == 0 && (vop.form == Form::Dpp16 || vop.form == Form::Dpp8)) {
    const int from = source_lane(vop, lane);
    const bool valid = from >= 0 && (vop.fetch_inactive || (exec() >> from & 1U));
    bits = valid ? fetch(vop, vop.src[0], type, static_cast<unsigned>(from)) : 0;
  } else {
    bits = fetch(vop, vop.src[index], type, lane);
  }
  return modified(vop, opcode, index, bits);
}

// Output modifiers: omod needs denormals flushed and IEEE mode off, but on gfx12 (RDNA4 ISA, 7.2.3.1); then clamp.
uint64_t Reference::finish(const Vop& vop, Value type, uint64_t bits) const {
  const bool single = type == Value::F32 || type == Value::F32x2;
  const bool keeps_denormals = single ? mode_.f32_denorm_out : mode_.f64_f16_denorm_out;
  const bool scale = vop.omod && (machine_.generation >= 12 || (!keeps_denormals && !mode_.ieee));
  const unsigned round = static_cast<unsigned>(single ? mode_.f32_round : mode_.f64_f16_round);
  if (type == Value::F64) {
    double value = std::bit_cast<double>(bits);
    if (scale) value = scaled(value, vop.omod, round);
    if (vop.clamp) value = clamped(value, mode_.dx10_clamp);
    return std::bit_cast<uint64_t>(value);
  }
  if (type == Value::F16 || type == Value::F16x2) {
    uint32_t low = static_cast<uint32_t>(bits & 0xffffU), high = static_cast<uint32_t>(bits >> 16 & 0xffffU);
    if (scale) low = scaled_half(low, vop.omod, round);
    if (vop.clamp) low = clamped_half(low, mode_.dx10_clamp), high = clamped_half(high, mode_.dx10_clamp);
    return low | (type == Value::F16x2 ? high << 16 : 0U);
  }
  if (!single) return bits;
  uint64_t result = 0;
  for (unsigned shift = 0; shift < (type == Value::F32x2 ? 64U : 32U); shift += 32) {
    float value = std::bit_cast<float>(static_cast<uint32_t>(bits >> shift));
    if (scale) value = scaled(value, vop.omod, round);
    if (vop.clamp) value = clamped(value, mode_.dx10_clamp);
    result |= static_cast<uint64_t>(std::bit_cast<uint32_t>(value)) << shift;
  }
  return result;
}

void Reference::write_value(const Vop& vop, const Opcode& opcode, Value type, unsigned lane, uint64_t bits) {
  uint32_t& cell = v(vop.vdst, lane);
  const uint32_t low = static_cast<uint32_t>(bits), was = old(vop.vdst, lane);
  if (is_wide(type)) {
    cell = low;
    v(vop.vdst + 1, lane) = static_cast<uint32_t>(bits >> 32);
  } else if (vop.form == Form::Sdwa) {
    if (vop.dst_sel == 6) {
      cell = low;
      return;
    }
    const unsigned width = vop.dst_sel < 4 ? 8 : 16, shift = vop.dst_sel < 4 ? 8 * vop.dst_sel : 16 * (vop.dst_sel - 4);
    const uint32_t ones = (1U << width) - 1, part = (low & ones) << shift;
    const bool sign = low >> (width - 1) & 1U;
    if (vop.dst_unused == 0) cell = part;
    if (vop.dst_unused == 1) cell = part | (sign ? static_cast<uint32_t>(~uint64_t{0} << (shift + width)) : 0U);
    if (vop.dst_unused == 2) cell = part | (was & ~(ones << shift));
  } else if (has(opcode.mnemonic, "mixhi") || (vop.family == Family::Vop3 && is_short(type) && (vop.op_sel & 8U))) {
    cell = (was & 0xffffU) | low << 16;
  } else if (is_short(type) && opcode.short_result_keeps) {
    cell = (was & 0xffff0000U) | (low & 0xffffU);
  } else {
    cell = low;
  }
}

void Reference::write_scalar(unsigned code, uint32_t value) {
  if (!is_null(machine_, code)) state_.s[slot_of(machine_, code)] = value;
}

void Reference::write_mask(unsigned code, uint64_t mask) {
  write_scalar(code, static_cast<uint32_t>(mask));
  if (machine_.lanes == 64 && !is_null(machine_, code)) state_.s[slot_of(machine_, code) + 1] = static_cast<uint32_t>(mask >> 32);
}

void Reference::execute(const Vop& vop, const Opcode& opcode) {
  if (!opcode.meaning) {
    execute_cross_lane(vop, opcode.mnemonic);
    return;
  }
  const LaneMeaning& meaning = *opcode.meaning;
  const bool explicit_mask = vop.family == Family::Vop3 && meaning.takes_carry && !has(opcode.mnemonic, "v_div_fmas");
  const uint64_t carry_in = meaning.takes_carry ? mask_at(explicit_mask ? vop.src[meaning.sources] : kCodeVcc) : 0;
  uint64_t carry_out = 0;
  for (unsigned lane = 0; lane < machine_.lanes; ++lane) {
    if (!lane_writes(vop, lane)) continue;
    LaneInput in;
    in.mode = &mode_;
    in.carry = carry_in >> lane & 1U;
    for (unsigned i = 0; i < meaning.sources; ++i) in.src[i] = source(vop, opcode, i, lane);
    const LaneOutput out = meaning.call(in);
    if (out.carry) carry_out |= 1ULL << lane;
    Vop form = vop; // sums of products of floats have no clamp bit (RDNA3 ISA, 7.2.3.1)
    if (machine_.generation >= 11 && has(opcode.mnemonic, "v_dot")) form.clamp = false;
    if (meaning.result != Value::None)
      write_value(vop, opcode, meaning.result, lane, finish(form, meaning.result, out.value));
  }
  if (!meaning.gives_carry) return;
  const bool compares_to_exec = has(opcode.mnemonic, "v_cmpx_");
  unsigned to = kCodeVcc;
  if (vop.family == Family::Vop3) to = meaning.result == Value::None ? vop.vdst : vop.sdst;
  if (vop.sdwa_scalar_result) to = vop.sdst;
  if (!compares_to_exec || machine_.generation < 10) write_mask(to, carry_out);
  if (compares_to_exec) write_mask(kCodeExec, carry_out);
}

void Reference::execute_permlane(const Vop& vop, const std::string& mnemonic) {
  const bool other_row = has(mnemonic, "permlanex16"), by_lane = has(mnemonic, "_var_");
  for (unsigned lane = 0; lane < machine_.lanes; ++lane) {
    if (!(exec() >> lane & 1U)) continue;
    const unsigned word = lane % 16 < 8 ? 1 : 2, nibble = lane % 8 * 4;
    const unsigned select = by_lane ? old(vop.src[1] - kCodeVector, lane) & 15U
                                    : static_cast<unsigned>(fetch(vop, vop.src[word], Value::U32, 0)) >> nibble & 15U;
    const unsigned from = (lane / 16 * 16 ^ (other_row ? 16U : 0U)) + select;
    const bool fetch_inactive = vop.op_sel & 1U, bound = vop.op_sel & 2U;
    if (fetch_inactive || (exec() >> from & 1U))
      v(vop.vdst, lane) = old(vop.src[0] - kCodeVector, from);
    else if (bound)
      v(vop.vdst, lane) = 0;
  }
}

void Reference::execute_relative(const Vop& vop, const std::string& mnemonic) {
  const uint32_t m0 = before_.s[kM0];
  const bool two = has(mnemonic, "sd_2"), moves_source = !has(mnemonic, "reld"), moves_result = !has(mnemonic, "rels_");
  const unsigned from = moves_source ? (two ? m0 & 0x3ffU : m0) : 0, to = moves_result ? (two ? m0 >> 16 & 0x3ffU : m0) : 0;
  for (unsigned lane = 0; lane < machine_.lanes; ++lane)
    if (exec() >> lane & 1U)
      v(vop.vdst + to, lane) = static_cast<uint32_t>(fetch(vop, vop.src[0] + from, Value::U32, lane));
}

void Reference::execute_cross_lane(const Vop& vop, const std::string& mnemonic) {
  const unsigned lanes = machine_.lanes;
  const auto value = [&](unsigned index, unsigned lane) {
    return static_cast<uint32_t>(fetch(vop, vop.src[index], Value::U32, lane));
  };
  if (has(mnemonic, "readfirstlane")) {
    write_scalar(vop.vdst, value(0, exec() ? static_cast<unsigned>(std::countr_zero(exec())) : 0));
  } else if (has(mnemonic, "readlane")) {
    write_scalar(vop.vdst, value(0, value(1, 0) % lanes));
  } else if (has(mnemonic, "writelane")) {
    v(vop.vdst, value(1, 0) % lanes) = value(0, 0);
  } else if (has(mnemonic, "permlane64")) {
    for (unsigned lane = 0; lanes == 64 && lane < lanes; ++lane) // RDNA3 ISA 16.8: EXEC is that of the result
      if (exec() >> lane & 1U) v(vop.vdst, lane) = value(0, lane ^ 32U);
  } else if (has(mnemonic, "permlane")) {
    execute_permlane(vop, mnemonic);
  } else if (has(mnemonic, "v_movrel")) {
    execute_relative(vop, mnemonic);
  } else if (has(mnemonic, "v_swap_b32")) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (!(exec() >> lane & 1U)) continue;
      v(vop.src[0] - kCodeVector, lane) = old(vop.vdst, lane);
      v(vop.vdst, lane) = value(0, lane);
    }
  } else { // v_mbcnt
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const uint64_t below = (uint64_t{1} << lane) - 1;
      const uint32_t part = static_cast<uint32_t>(has(mnemonic, "_hi_") ? below >> 32 : below);
      if (exec() >> lane & 1U) v(vop.vdst, lane) = value(1, lane) + static_cast<uint32_t>(std::popcount(value(0, lane) & part));
    }
  }
}

} // namespace ptxshim::vgpu::check
