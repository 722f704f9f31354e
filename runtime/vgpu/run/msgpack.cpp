// SPDX-License-Identifier: MIT
#include "msgpack.h"

namespace ptxshim::vgpu {
namespace {

constexpr unsigned kDeepest = 16;
constexpr size_t kMostValues = 1U << 20;

class Reader {
public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool read(PackedValue& out, unsigned depth) {
    uint64_t tag;
    if (depth > kDeepest || ++values_ > kMostValues || !number(1, tag)) return false;
    const uint8_t t = static_cast<uint8_t>(tag);
    if (t < 0x80) return integer(out, t);
    if (t < 0x90) return children(out, PackedValue::Kind::Map, (t & 15U) * 2ULL, depth);
    if (t < 0xa0) return children(out, PackedValue::Kind::Array, t & 15U, depth);
    if (t < 0xc0) return text(out, t & 31U);
    if (t >= 0xe0) return integer(out, static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(t))));
    return tagged(out, t, depth);
  }

private:
  bool tagged(PackedValue& out, uint8_t t, unsigned depth) {
    uint64_t n = 0;
    switch (t) {
    case 0xc0: out.kind = PackedValue::Kind::Nil; return true;
    case 0xc2:
    case 0xc3:
      out.kind = PackedValue::Kind::Bool;
      out.integer = t & 1U;
      return true;
    case 0xc4:
    case 0xc5:
    case 0xc6: return number(1U << (t - 0xc4), n) && skip(out, n);
    case 0xca: return skip(out, 4);
    case 0xcb: return skip(out, 8);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: return number(1U << (t - 0xcc), n) && integer(out, n);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: {
      const unsigned size = 1U << (t - 0xd0);
      if (!number(size, n)) return false;
      const unsigned shift = 64 - 8 * size;
      return integer(out, static_cast<uint64_t>(static_cast<int64_t>(n << shift) >> shift));
    }
    case 0xd9:
    case 0xda:
    case 0xdb: return number(1U << (t - 0xd9), n) && text(out, n);
    case 0xdc: return number(2, n) && children(out, PackedValue::Kind::Array, n, depth);
    case 0xdd: return number(4, n) && children(out, PackedValue::Kind::Array, n, depth);
    case 0xde: return number(2, n) && children(out, PackedValue::Kind::Map, n * 2, depth);
    case 0xdf: return number(4, n) && children(out, PackedValue::Kind::Map, n * 2, depth);
    default: return false;
    }
  }
  bool number(unsigned size, uint64_t& out) { // big-endian
    if (bytes_.size() - at_ < size) return false;
    out = 0;
    for (unsigned i = 0; i < size; ++i) out = out << 8 | static_cast<uint64_t>(bytes_[at_++]);
    return true;
  }
  static bool integer(PackedValue& out, uint64_t value) {
    out.kind = PackedValue::Kind::Integer;
    out.integer = value;
    return true;
  }
  bool text(PackedValue& out, uint64_t size) {
    if (bytes_.size() - at_ < size) return false;
    out.kind = PackedValue::Kind::Text;
    out.text = std::string_view(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
    at_ += size;
    return true;
  }
  bool skip(PackedValue& out, uint64_t size) {
    if (bytes_.size() - at_ < size) return false;
    out.kind = PackedValue::Kind::Other;
    at_ += size;
    return true;
  }
  bool children(PackedValue& out, PackedValue::Kind kind, uint64_t count, unsigned depth) {
    if (count > bytes_.size() - at_) return false; // each takes at least a byte
    out.kind = kind;
    out.items.resize(count);
    for (PackedValue& item : out.items)
      if (!read(item, depth + 1)) return false;
    return true;
  }

  std::span<const std::byte> bytes_;
  size_t at_ = 0, values_ = 0;
};

} // namespace

std::optional<PackedValue> read_msgpack(std::span<const std::byte> bytes) {
  PackedValue value;
  if (!Reader(bytes).read(value, 0)) return std::nullopt;
  return value;
}

} // namespace ptxshim::vgpu
