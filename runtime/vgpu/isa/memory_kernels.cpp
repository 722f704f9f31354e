// SPDX-License-Identifier: MIT
// Copies between memory and registers for all lanes of a wave, wherever these are. Compiled once per host ISA; the build defines
// PTXSHIM_ISA. Everything but the table has internal linkage, so that the linker cannot mix the builds.

#include "memory_kernels.h"

#include "memory_apart.h"

namespace ptxshim::vgpu {
namespace {

using namespace meaning::apart;
using meaning::first_lane;
using meaning::is_full;
using meaning::read;
using meaning::write;
using Apart = Places<int32_t>;

// Spans -------------------------------------------------------------------------------------------------------------

// The usual case by itself: all lanes on, and one after the other.
template <AddressForm Form, unsigned Lanes> PTXSHIM_INLINE bool is_row(const LaneAddresses& a) {
  const Words low0 = all(a.low[0]);
  Words apart = {}, expected = low0 + kLanes * a.bytes;
  PTXSHIM_UNROLL for (unsigned i = 0; i < Lanes / kWords; ++i) {
    apart |= read<Words>(a.low + i * kWords) ^ expected;
    if constexpr (Form == AddressForm::Full64) apart |= read<Words>(a.high + i * kWords) ^ all(a.high[0]);
    expected += kWords * a.bytes;
  }
  return !any(apart) && (Form == AddressForm::Wrapping32 || a.low[0] + (Lanes - 1) * a.bytes >= a.low[0]);
}

template <AddressForm Form, unsigned Lanes, bool Full> PTXSHIM_INLINE void measure(const LaneAddresses& a, LaneSpan& out) {
  const unsigned first = Full ? 0 : first_lane(a.exec), last = Full ? Lanes - 1 : 63U - static_cast<unsigned>(__builtin_clzll(a.exec));
  const Words low0 = all(a.low[first]);
  [[maybe_unused]] const Words high0 = all(Form == AddressForm::Full64 ? a.high[first] : 0U);
  Words apart = {}, far = {}, expected = (kLanes - first) * a.bytes;
  Ints lowest = {}, highest = {};
  PTXSHIM_UNROLL for (unsigned i = 0; i < Lanes / kWords; ++i) {
    const Words on = Full ? all(~0U) : mask_of(a.exec, i * kWords), low = read<Words>(a.low + i * kWords);
    const Words offset = (low - low0) & on;
    if constexpr (Form != AddressForm::Wrapping32) {
      Words high = reinterpret_cast<Words>(low < low0); // -1: borrowed
      if constexpr (Form == AddressForm::Full64) high += read<Words>(a.high + i * kWords) - high0;
      far |= (high ^ reinterpret_cast<Words>(reinterpret_cast<Ints>(offset) >> 31)) & on;
    }
    apart |= (offset ^ expected) & on;
    expected += kWords * a.bytes;
    const Ints distance = reinterpret_cast<Ints>(offset);
    write(out.offset + i * kWords, distance);
    lowest = distance < lowest ? distance : lowest;
    highest = distance > highest ? distance : highest;
  }
  out.near = !any(far);
  out.contiguous = !any(apart);
  out.lowest = 0;
  out.highest = static_cast<int32_t>((last - first) * a.bytes);
  if (out.contiguous) return;
  out.highest = 0;
  PTXSHIM_UNROLL for (unsigned i = 0; i < kWords; ++i) {
    out.lowest = lowest[i] < out.lowest ? lowest[i] : out.lowest;
    out.highest = highest[i] > out.highest ? highest[i] : out.highest;
  }
}

template <AddressForm Form, unsigned Lanes> void span(const LaneAddresses& in, LaneSpan& out) {
  const LaneAddresses a = in;
  if (!is_full<Lanes>(a.exec)) return measure<Form, Lanes, false>(a, out);
  if (a.want_offsets || !is_row<Form, Lanes>(a)) return measure<Form, Lanes, true>(a, out);
  out.lowest = 0;
  out.highest = static_cast<int32_t>((Lanes - 1) * a.bytes);
  out.contiguous = out.near = true;
}

// Loads -------------------------------------------------------------------------------------------------------------

// Where lane 0 is, or would be, if lanes of so many bytes lie one after the other.
std::byte* row_begin(const LaneCopy& c, unsigned bytes) { return c.base - static_cast<ptrdiff_t>(bytes * first_lane(c.exec)); }

// Lanes of three words that lie one after the other, all on.
struct Triples {
  int32_t offset[64];
  constexpr Triples() : offset{} {
    for (int lane = 0; lane < 64; ++lane) offset[lane] = 12 * lane;
  }
};
constexpr Triples kTriples;

template <unsigned N, unsigned Lanes> void load_lanes(const LaneCopy& copy) {
  const LaneCopy c = copy;
  const bool full = is_full<Lanes>(c.exec);
  if constexpr (N != 3)
    if (c.span->contiguous)
      return full ? meaning::load_words_row<N, Lanes, true>(c.base, c.exec, c.row)
                  : meaning::load_words_row<N, Lanes, false>(row_begin(c, 4 * N), c.exec, c.row);
  if (c.span->lowest == c.span->highest) return meaning::spread_words<N, Lanes, false>(c.base, c.exec, c.row);
  if (!full) return load<N, Lanes, false>({c.base}, c.span->offset, c.exec, c.row);
  load<N, Lanes, true>({c.base}, N == 3 && c.span->contiguous ? kTriples.offset : c.span->offset, c.exec, c.row);
}

template <class T, unsigned Lanes> void load_small_lanes(const LaneCopy& copy) {
  const LaneCopy c = copy;
  const meaning::HalfRow half{c.shift, c.keep};
  if (c.span->contiguous) return meaning::load_small_row<T, Lanes, false>(row_begin(c, sizeof(T)), c.exec, c.row, half);
  load_small<T, Lanes, false, false>(Apart{c.base, c.span->offset}, c.exec, c.row, half);
}

// Stores ------------------------------------------------------------------------------------------------------------

template <unsigned N, unsigned Lanes> void store_lanes(const LaneCopy& copy) {
  const LaneCopy c = copy;
  const bool full = is_full<Lanes>(c.exec);
  if constexpr (N != 3)
    if (c.span->contiguous)
      return full ? store_row<N, Lanes, true>(c.base, c.exec, c.row)
                  : store_row<N, Lanes, false>(row_begin(c, 4 * N), c.exec, c.row);
  if (!full) return store<N, Lanes, false>(Apart{c.base, c.span->offset}, c.exec, c.row);
  store<N, Lanes, true>(Apart{c.base, N == 3 && c.span->contiguous ? kTriples.offset : c.span->offset}, c.exec, c.row);
}

template <class T, unsigned Lanes> void store_small_lanes(const LaneCopy& copy) {
  const LaneCopy c = copy;
  const meaning::HalfRow half{c.shift, 0};
  if (c.span->contiguous) return meaning::store_small_row<T, Lanes, false>(row_begin(c, sizeof(T)), c.exec, c.row, half);
  store_each<T, Lanes, false>(Apart{c.base, c.span->offset}, c.exec, c.row, c.shift);
}

template <unsigned L> constexpr MemoryKernels make_kernels() {
  return {
      {span<AddressForm::Wrapping32, L>, span<AddressForm::Extended32, L>, span<AddressForm::Full64, L>},
      {load_small_lanes<uint8_t, L>, load_small_lanes<int8_t, L>, load_small_lanes<uint16_t, L>, load_small_lanes<int16_t, L>,
       load_lanes<1, L>, load_lanes<2, L>, load_lanes<3, L>, load_lanes<4, L>},
      {store_small_lanes<uint8_t, L>, store_small_lanes<uint8_t, L>, store_small_lanes<uint16_t, L>, store_small_lanes<uint16_t, L>,
       store_lanes<1, L>, store_lanes<2, L>, store_lanes<3, L>, store_lanes<4, L>},
  };
}

} // namespace

#define PTXSHIM_JOIN2(a, b) a##b
#define PTXSHIM_JOIN(a, b) PTXSHIM_JOIN2(a, b)
const MemoryKernels PTXSHIM_JOIN(kMemory_, PTXSHIM_ISA)[2] = {make_kernels<32>(), make_kernels<64>()};

} // namespace ptxshim::vgpu
