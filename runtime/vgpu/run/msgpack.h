// SPDX-License-Identifier: MIT
// The part of MessagePack that code object metadata uses, read into a tree. Bounds, depth and size are limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxshim::vgpu {

struct PackedValue {
  enum class Kind : uint8_t { Nil, Bool, Integer, Text, Array, Map, Other };
  Kind kind = Kind::Nil;
  uint64_t integer = 0; // negative ones as two's complement
  std::string_view text;
  std::vector<PackedValue> items; // of a map: key, value, key, value ...

  const PackedValue* find(std::string_view key) const {
    if (kind != Kind::Map) return nullptr;
    for (size_t i = 0; i + 1 < items.size(); i += 2)
      if (items[i].kind == Kind::Text && items[i].text == key) return &items[i + 1];
    return nullptr;
  }
  uint64_t integer_at(std::string_view key, uint64_t otherwise = 0) const {
    const PackedValue* const value = find(key);
    return value && value->kind == Kind::Integer ? value->integer : otherwise;
  }
  std::string_view text_at(std::string_view key) const {
    const PackedValue* const value = find(key);
    return value && value->kind == Kind::Text ? value->text : std::string_view();
  }
};

// Nothing when the bytes are not one well-formed value.
std::optional<PackedValue> read_msgpack(std::span<const std::byte> bytes);

} // namespace ptxshim::vgpu
