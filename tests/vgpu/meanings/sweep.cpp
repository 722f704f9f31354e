// SPDX-License-Identifier: MIT
//
// Runs every meaning over corner values and random ones in lane loops, as the executor does, and prints a hash of the
// results for each. Built once per host ISA; the outputs must be the same. SWEEP_LIST is made from the headers.
#include <array>
#include <cstdio>
#include <tuple>
#include <utility>

#include "meanings/host_float_state.h"
#include "meanings/meanings.h"

void sweep();

namespace ptxshim::vgpu::meaning {
namespace {

constexpr int kLanes = 512;

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}
// Corner bits in every third lane, exponents near one in every third, any bits in the others.
template <class B, int Fraction, int Bias> B float_bits(uint64_t r) {
  constexpr B kOne = static_cast<B>(B{Bias} << Fraction), kTop = static_cast<B>((B{2} * Bias + 1) << Fraction);
  constexpr B kUnit = static_cast<B>(B{1} << Fraction);
  constexpr B kCorners[] = {0, 1, kUnit / 2, kUnit - 1, kUnit, kOne, kOne + 1, kOne - 1, kOne + kUnit / 2,
                            kTop - 1, kTop, kTop + 1, kTop + kUnit / 2, kTop + kUnit / 2 + 5, kUnit + 1, kOne + kUnit};
  const B sign = static_cast<B>(static_cast<B>(r & 1U) << (sizeof(B) * 8 - 1));
  const uint64_t more = mix(r + 1);
  switch (r % 3) {
  case 0: return static_cast<B>(kCorners[(r >> 8) % 16] | sign);
  case 1: return static_cast<B>((kOne + ((more >> 40) % 24) * kUnit - 12 * kUnit) | sign | (more & (kUnit - 1)));
  default: return static_cast<B>(more);
  }
}
uint64_t integer_bits(uint64_t r) {
  constexpr uint64_t kCorners[] = {0, 1, 2, 31, 32, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
                                   0xffffffff, 0x7fffffffffffffff, 0x8000000000000000};
  return r % 2 == 0 ? kCorners[(r >> 8) % 16] * ((r & 4U) != 0 ? 1 : ~uint64_t{0}) : mix(r + 1);
}
template <class T> T sample(uint64_t r) { return static_cast<T>(integer_bits(r)); }
template <> bool sample(uint64_t r) { return (r >> 20) % 2 != 0; }
template <> float sample(uint64_t r) { return from_bits<float>(float_bits<uint32_t, 23, 127>(r)); }
template <> double sample(uint64_t r) { return from_bits<double>(float_bits<uint64_t, 52, 1023>(r)); }
template <> F16 sample(uint64_t r) { return {float_bits<uint16_t, 10, 15>(r)}; }
template <> BF16 sample(uint64_t r) { return {float_bits<uint16_t, 7, 127>(r)}; }
template <> F16x2 sample(uint64_t r) { return {sample<F16>(r), sample<F16>(mix(r))}; }
template <> U16x2 sample(uint64_t r) { return unpack_u16(sample<uint32_t>(r)); }
template <> I16x2 sample(uint64_t r) { return unpack_i16(sample<uint32_t>(r)); }
template <> U32x2 sample(uint64_t r) { return {sample<uint32_t>(r), sample<uint32_t>(mix(r))}; }
template <> F32x2 sample(uint64_t r) { return {sample<float>(r), sample<float>(mix(r))}; }
template <> U32x4 sample(uint64_t r) { return {{sample<uint32_t>(r), sample<uint32_t>(mix(r)), 3, 4}}; }

// The operands of one type in one place, for all meanings.
template <class T, size_t Place> struct Operand {
  static const T* lanes() {
    static const auto values = [] {
      std::array<T, kLanes> v;
      for (size_t i = 0; i < v.size(); ++i) v[i] = sample<T>(mix(Place * 1000003 + i));
      return v;
    }();
    return values.data();
  }
  static const T& at(const T* lanes, int i, const FloatMode&) { return lanes[i]; }
};
template <size_t Place> struct Operand<const FloatMode&, Place> {
  static int lanes() { return 0; }
  static const FloatMode& at(int, int, const FloatMode& m) { return m; }
};

uint64_t hash_bytes(uint64_t h, const void* data, size_t size) {
  const auto* p = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < size; ++i) h = (h ^ p[i]) * 0x100000001b3U;
  return h;
}
template <class T> uint64_t hash(uint64_t h, const T& v) { return hash_bytes(h, &v, sizeof v); }
template <class T> uint64_t hash(uint64_t h, const WithCarry<T>& v) { return hash(hash(h, v.value), v.carry); }
template <class T> uint64_t hash(uint64_t h, const WithScc<T>& v) { return hash(hash(h, v.value), v.scc); }

template <class R> [[gnu::noinline]] uint64_t hash_all(uint64_t h, const R* results) {
  for (int i = 0; i < kLanes; ++i) h = hash(h, results[i]);
  return h;
}

template <auto F> struct Sweep;
template <class R, class... A, R (*F)(A...)> struct Sweep<F> {
  static constexpr bool kMode = (std::is_same_v<A, const FloatMode&> || ...);
  template <size_t... I> static void lanes(R* out, const FloatMode& m, std::index_sequence<I...>) {
    const std::tuple operands{Operand<A, I + 1>::lanes()...};
    for (int i = 0; i < kLanes; ++i) out[i] = F(Operand<A, I + 1>::at(std::get<I>(operands), i, m)...);
  }
  static uint64_t run(uint64_t h, const FloatMode& m) {
    R out[kLanes];
    lanes(out, m, std::index_sequence_for<A...>{});
    return hash_all(h, out);
  }
  static void print(const char* name) {
    uint64_t h = run(0xcbf29ce484222325U, kKeepDenormals);
    if (kMode) {
      for (const uint32_t mode : {0x300U, 0x3f5U, 0x1faU, 0x0cfU}) h = run(h, FloatMode::from_register(mode));
    }
    std::printf("%s %016llx\n", name, static_cast<unsigned long long>(h));
  }
};

} // namespace
} // namespace ptxshim::vgpu::meaning

void sweep() {
  using namespace ptxshim::vgpu::meaning;
  const HostFloatState state;
#define MEANING(name) Sweep<name>::print(#name);
#include SWEEP_LIST
#undef MEANING
}
