// SPDX-License-Identifier: MIT
// From spelling to enumerator: mnemonics, modifiers, types, directives, special registers, each a hash table made from its rows.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/ast.h"

namespace ptxshim::ptx {

enum class Directive : uint8_t {
#define DIRECTIVE(name, spelling, ptx, sm) name,
#include "syntax/directives.def"
  Unknown
};

struct SpecialRegisterRow {
  std::string_view spelling;
  ScalarType type;
  uint8_t components;
  bool ready;
};
const SpecialRegisterRow& special_register(uint32_t index);
uint32_t special_register_count();

// A hash of the bytes, mixed with a number that differs from run to run: a text cannot be made to collide.
uint64_t hash_seed();
inline uint64_t mix_hash(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xe7037ed1a0b428dbu);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}
inline uint64_t load_bytes(const char* p, size_t count) {
  uint64_t word = 0;
  std::memcpy(&word, p, count);
  return word;
}
inline uint32_t hash_text(std::string_view text, uint64_t seed) {
  const char* p = text.data();
  size_t n = text.size();
  uint64_t h = seed ^ n;
  for (; n > 16; p += 8, n -= 8) h = mix_hash(h, load_bytes(p, 8));
  uint64_t a = 0;
  uint64_t b = 0;
  if (n >= 8) {
    a = load_bytes(p, 8);
    b = load_bytes(p + n - 8, 8);
  } else if (n >= 4) {
    a = load_bytes(p, 4);
    b = load_bytes(p + n - 4, 4);
  } else if (n > 0) {
    a = static_cast<uint64_t>(static_cast<unsigned char>(p[0])) | static_cast<uint64_t>(static_cast<unsigned char>(p[n / 2])) << 8 |
        static_cast<uint64_t>(static_cast<unsigned char>(p[n - 1])) << 16;
  }
  h = mix_hash(h ^ a, b ^ seed);
  return static_cast<uint32_t>(h ^ (h >> 32));
}

// Fixed set of words -> number. Open addressing at most half full.
class WordTable {
public:
  static constexpr uint32_t kMissing = 0xffffffffu;
  WordTable(const std::string_view* words, size_t count);
  uint32_t find(std::string_view word) const {
    for (uint32_t slot = hash_text(word, kWordSeed) & mask_;; slot = (slot + 1) & mask_) {
      const uint32_t index = slots_[slot];
      if (index == kMissing || words_[index] == word) return index;
    }
  }
  // The word nearest to a misspelt one, empty when none is near.
  std::string_view nearest(std::string_view word) const;

private:
  static constexpr uint64_t kWordSeed = 0x8ebc6af09c88c6e3u; // the words are ours: nobody can make them collide
  const std::string_view* words_;
  size_t count_;
  uint32_t mask_;
  std::vector<uint32_t> slots_;
};

const WordTable& op_words();
const WordTable& modifier_words();
const WordTable& directive_words();
const WordTable& type_words();
const WordTable& special_register_words();

inline Op find_op(std::string_view word) {
  const uint32_t index = op_words().find(word);
  return index == WordTable::kMissing ? Op::kInvalid : static_cast<Op>(index);
}
inline Mod find_modifier(std::string_view word) {
  const uint32_t index = modifier_words().find(word);
  return index == WordTable::kMissing ? Mod::kInvalid : static_cast<Mod>(index);
}
inline Directive find_directive(std::string_view word) {
  const uint32_t index = directive_words().find(word);
  return index == WordTable::kMissing ? Directive::Unknown : static_cast<Directive>(index);
}
inline ScalarType find_type(std::string_view word) {
  const uint32_t index = type_words().find(word);
  return index == WordTable::kMissing ? ScalarType::None : static_cast<ScalarType>(index + 1);
}

std::string version_text(unsigned version); // 85 -> "8.5"
// Number of single-character edits (swaps of neighbours count one) between two words, or limit + 1 when there are more.
unsigned edit_distance(std::string_view a, std::string_view b, unsigned limit);
// " (did you mean 'x'?)" or nothing.
std::string did_you_mean(std::string_view candidate, std::string_view prefix = {});

} // namespace ptxshim::ptx
