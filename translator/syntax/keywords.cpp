// SPDX-License-Identifier: MIT
#include "syntax/keywords.h"

#include <algorithm>
#include <array>
#include <random>

#include "syntax/ops.h"

namespace ptxshim::ptx {
namespace {

constexpr std::string_view kOps[] = {
#define OP(name, spelling, traits, status) spelling,
#include "ops.def"
};
constexpr uint8_t kOpTraits[] = {
#define OP(name, spelling, traits, status) traits,
#include "ops.def"
};
constexpr OpStatus kOpStatus[] = {
#define OP(name, spelling, traits, status) OpStatus::status,
#include "ops.def"
};
constexpr std::string_view kModifiers[] = {
#define MOD(name, spelling, kind) spelling,
#include "syntax/modifiers.def"
};
constexpr std::string_view kDirectives[] = {
#define DIRECTIVE(name, spelling, ptx, sm) spelling,
#include "syntax/directives.def"
};
constexpr std::string_view kTypes[] = {
#define PTXSHIM_X(name, spelling, bits, kind) spelling,
    PTXSHIM_PTX_TYPES(PTXSHIM_X)
#undef PTXSHIM_X
};
enum class RegisterStatus : uint8_t { Ready, Later };
constexpr SpecialRegisterRow kSpecialRegisters[] = {
#define ROW(name, spelling, type, components, status)                                                                 \
  {spelling, ScalarType::type, components, RegisterStatus::status == RegisterStatus::Ready},
#include "special_registers.def"
};
constexpr size_t kSpecialRegisterCount = std::size(kSpecialRegisters);
constexpr std::array<std::string_view, kSpecialRegisterCount> special_register_spellings() {
  std::array<std::string_view, kSpecialRegisterCount> words{};
  for (size_t i = 0; i < kSpecialRegisterCount; ++i) words[i] = kSpecialRegisters[i].spelling;
  return words;
}
constexpr std::array<std::string_view, kSpecialRegisterCount> kSpecialRegisterWords = special_register_spellings();

enum class ModKind : uint8_t { Type, Space, Other };
constexpr ModKind kModifierKinds[] = {
#define MOD(name, spelling, kind) ModKind::kind,
#include "syntax/modifiers.def"
};
constexpr size_t kModifierCount = std::size(kModifiers);

constexpr std::array<ScalarType, kModifierCount> modifier_types() {
  std::array<ScalarType, kModifierCount> types{};
  for (size_t i = 0; i < kModifierCount; ++i)
    for (size_t t = 0; t < std::size(kTypes) && kModifierKinds[i] == ModKind::Type; ++t)
      if (kTypes[t] == kModifiers[i]) types[i] = static_cast<ScalarType>(t + 1);
  return types;
}
constexpr std::array<ScalarType, kModifierCount> kModifierTypes = modifier_types();

constexpr StateSpace space_named(std::string_view word) {
  const std::string_view base = word.substr(0, word.find(':'));
  if (base == "reg") return StateSpace::Reg;
  if (base == "const") return StateSpace::Const;
  if (base == "global") return StateSpace::Global;
  if (base == "local") return StateSpace::Local;
  if (base == "param") return StateSpace::Param;
  if (base == "shared") return StateSpace::Shared;
  if (base == "tex") return StateSpace::Tex;
  return StateSpace::None;
}
constexpr std::array<StateSpace, kModifierCount> modifier_spaces() {
  std::array<StateSpace, kModifierCount> spaces{};
  for (size_t i = 0; i < kModifierCount; ++i)
    if (kModifierKinds[i] == ModKind::Space) spaces[i] = space_named(kModifiers[i]);
  return spaces;
}
constexpr std::array<StateSpace, kModifierCount> kModifierSpaces = modifier_spaces();

} // namespace

uint8_t traits(Op op) {
  const size_t index = static_cast<size_t>(op);
  return index < std::size(kOpTraits) ? kOpTraits[index] : static_cast<uint8_t>(kPlain);
}
OpStatus status(Op op) {
  const size_t index = static_cast<size_t>(op);
  return index < std::size(kOpStatus) ? kOpStatus[index] : OpStatus::Ready;
}
std::string_view spelling(Op op) {
  const size_t index = static_cast<size_t>(op);
  return index < std::size(kOps) ? kOps[index] : std::string_view{};
}
std::string_view spelling(Mod modifier) {
  const size_t index = static_cast<size_t>(modifier);
  return index < kModifierCount ? kModifiers[index] : std::string_view{};
}
std::string_view spelling(ScalarType type) {
  return type == ScalarType::None ? std::string_view{} : kTypes[static_cast<size_t>(type) - 1];
}
ScalarType type_of(Mod modifier) {
  const size_t index = static_cast<size_t>(modifier);
  return index < kModifierCount ? kModifierTypes[index] : ScalarType::None;
}
StateSpace space_of(Mod modifier) {
  const size_t index = static_cast<size_t>(modifier);
  return index < kModifierCount ? kModifierSpaces[index] : StateSpace::None;
}
const SpecialRegisterRow& special_register(uint32_t index) { return kSpecialRegisters[index]; }
uint32_t special_register_count() { return static_cast<uint32_t>(kSpecialRegisterCount); }

uint64_t hash_seed() {
  static const uint64_t kSeed = [] {
    std::random_device device;
    return static_cast<uint64_t>(device()) << 32 | device();
  }();
  return kSeed;
}

WordTable::WordTable(const std::string_view* words, size_t count) : words_(words), count_(count) {
  uint32_t size = 4;
  while (size < count * 2) size *= 2;
  mask_ = size - 1;
  slots_.assign(size, kMissing);
  for (size_t i = 0; i < count; ++i) {
    uint32_t slot = hash_text(words[i], kWordSeed) & mask_;
    while (slots_[slot] != kMissing) slot = (slot + 1) & mask_;
    slots_[slot] = static_cast<uint32_t>(i);
  }
}

std::string_view WordTable::nearest(std::string_view word) const {
  const unsigned limit = word.size() <= 3 ? 1 : 2;
  unsigned best = limit + 1;
  std::string_view found;
  for (size_t i = 0; i < count_; ++i) {
    const unsigned distance = edit_distance(word, words_[i], limit);
    if (distance < best) {
      best = distance;
      found = words_[i];
    }
  }
  return found;
}

const WordTable& op_words() {
  static const WordTable kTable(kOps, std::size(kOps));
  return kTable;
}
const WordTable& modifier_words() {
  static const WordTable kTable(kModifiers, kModifierCount);
  return kTable;
}
const WordTable& directive_words() {
  static const WordTable kTable(kDirectives, std::size(kDirectives));
  return kTable;
}
const WordTable& type_words() {
  static const WordTable kTable(kTypes, std::size(kTypes));
  return kTable;
}
const WordTable& special_register_words() {
  static const WordTable kTable(kSpecialRegisterWords.data(), kSpecialRegisterWords.size());
  return kTable;
}

unsigned edit_distance(std::string_view a, std::string_view b, unsigned limit) {
  constexpr size_t kLongest = 64;
  if (a.size() > kLongest || b.size() > kLongest) return limit + 1;
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::array<std::array<unsigned, kLongest + 1>, 3> rows{};
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = static_cast<unsigned>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    std::array<unsigned, kLongest + 1>& now = rows[i % 3];
    const std::array<unsigned, kLongest + 1>& last = rows[(i + 2) % 3];
    const std::array<unsigned, kLongest + 1>& before = rows[(i + 1) % 3];
    now[0] = static_cast<unsigned>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const unsigned change = a[i - 1] == b[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
  }
  return std::min(rows[a.size() % 3][b.size()], limit + 1);
}

std::string did_you_mean(std::string_view candidate, std::string_view prefix) {
  if (candidate.empty()) return {};
  return " (did you mean '" + std::string(prefix) + std::string(candidate) + "'?)";
}

std::string version_text(unsigned version) { return std::to_string(version / 10) + "." + std::to_string(version % 10); }

} // namespace ptxshim::ptx
