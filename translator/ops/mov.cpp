// SPDX-License-Identifier: MIT
// A copy, the address of a variable or function in its own state space, or packing and unpacking of a
// register.
#include "ops/op.h"

namespace ptxshim::ptx {

// {a, b, …} with the first element in the low bits.
static Value* mov_pack(Emitter& e, unsigned n, unsigned bits) {
  const std::span<const Operand> parts = e.elements(n);
  const unsigned part_bits = bits / static_cast<unsigned>(parts.size());
  const ScalarType part = part_bits == 8    ? ScalarType::B8
                          : part_bits == 16 ? ScalarType::B16
                          : part_bits == 32 ? ScalarType::B32
                                            : ScalarType::B64;
  llvm::Type* whole = e.ir.getIntNTy(bits);
  Value* result = e.ir.getIntN(bits, 0);
  for (unsigned k = 0; k < parts.size(); ++k)
    result =
        e.ir.CreateOr(result, e.ir.CreateShl(e.ir.CreateZExt(e.read(parts[k], part), whole), k * part_bits));
  return result;
}

static void mov_unpack(Emitter& e, unsigned n, Value* whole, unsigned bits) {
  const std::span<const Operand> parts = e.elements(n);
  const unsigned part_bits = bits / static_cast<unsigned>(parts.size());
  for (unsigned k = 0; k < parts.size(); ++k)
    e.write(parts[k], e.ir.CreateTrunc(e.ir.CreateLShr(whole, k * part_bits), e.ir.getIntNTy(part_bits)));
}

} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(mov,
    {"mov<t> d, a",      "t=.pred|.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64"},
    {"mov<t> d, {a..}",  "t=.b16|.b32|.b64|.b128", "d:t"},
    {"mov<t> {d..}, a",  "t=.b16|.b32|.b64|.b128", "a:t"},
    {"mov.b128 d, a",    "", "", 83, 70},
    {"mov<v><t> {d..}, {a..}", "v=.v2|.v4; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64"}) {
  // clang-format on
  const ScalarType type = e.type();
  if (e.has(Mod::v2) || e.has(Mod::v4)) {
    llvm::SmallVector<Value*> values; // all are read before one is written
    for (const Operand& part : e.elements(1)) values.push_back(e.read(part, type));
    for (size_t k = 0; k < values.size(); ++k) e.write(e.elements(0)[k], values[k], type);
    return {};
  }
  const unsigned bits = bits_of(type);
  if (e.is_vector(0)) {
    Value* whole = e.is_vector(1) ? mov_pack(e, 1, bits) : e.read(1, type);
    mov_unpack(e, 0, e.reinterpret(whole, e.ir.getIntNTy(bits)), bits);
  } else if (e.is_vector(1)) {
    e.write(0, mov_pack(e, 1, bits), type);
  } else {
    e.write(0, e.read(1, type), type);
  }
  return {};
}
