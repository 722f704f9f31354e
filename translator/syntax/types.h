// SPDX-License-Identifier: MIT
// The fundamental types and state spaces of PTX (PTX ISA, "State Spaces, Types, and Variables").
#pragma once

#include <cstdint>

namespace ptxshim::ptx {

enum class TypeKind : uint8_t { None, Untyped, Unsigned, Signed, Float, BFloat, Predicate, Opaque, Other };

// clang-format off
// X(enumerator, spelling without dot, bits, kind)      packed types count all their bits
#define PTXSHIM_PTX_TYPES(X)                                                                                    \
  X(B8, "b8", 8, Untyped)       X(B16, "b16", 16, Untyped)   X(B32, "b32", 32, Untyped)  X(B64, "b64", 64, Untyped) \
  X(B128, "b128", 128, Untyped)                                                                                     \
  X(U8, "u8", 8, Unsigned)      X(U16, "u16", 16, Unsigned)  X(U32, "u32", 32, Unsigned) X(U64, "u64", 64, Unsigned)\
  X(S8, "s8", 8, Signed)        X(S16, "s16", 16, Signed)    X(S32, "s32", 32, Signed)   X(S64, "s64", 64, Signed)  \
  X(F16, "f16", 16, Float)      X(F32, "f32", 32, Float)     X(F64, "f64", 64, Float)    X(F16x2, "f16x2", 32, Float) \
  X(F32x2, "f32x2", 64, Float)  X(BF16, "bf16", 16, BFloat)  X(BF16x2, "bf16x2", 32, BFloat)                         \
  X(TF32, "tf32", 32, Other)    X(U16x2, "u16x2", 32, Unsigned) X(S16x2, "s16x2", 32, Signed)                        \
  X(Pred, "pred", 1, Predicate)                                                                                     \
  X(TexRef, "texref", 64, Opaque) X(SamplerRef, "samplerref", 64, Opaque) X(SurfRef, "surfref", 64, Opaque)
// clang-format on

enum class ScalarType : uint8_t {
  None,
#define PTXSHIM_X(name, spelling, bits, kind) name,
  PTXSHIM_PTX_TYPES(PTXSHIM_X)
#undef PTXSHIM_X
};

constexpr uint32_t bits_of(ScalarType type) {
  switch (type) {
  case ScalarType::None: return 0;
#define PTXSHIM_X(name, spelling, bits, kind)                                                                         \
  case ScalarType::name: return bits;
    PTXSHIM_PTX_TYPES(PTXSHIM_X)
#undef PTXSHIM_X
  }
  return 0;
}

constexpr TypeKind kind_of(ScalarType type) {
  switch (type) {
  case ScalarType::None: return TypeKind::None;
#define PTXSHIM_X(name, spelling, bits, kind)                                                                         \
  case ScalarType::name: return TypeKind::kind;
    PTXSHIM_PTX_TYPES(PTXSHIM_X)
#undef PTXSHIM_X
  }
  return TypeKind::None;
}

// None stands for generic addresses and for "not stated".
enum class StateSpace : uint8_t { None, Reg, Const, Global, Local, Param, Shared, Tex };

} // namespace ptxshim::ptx
