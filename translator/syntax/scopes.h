// SPDX-License-Identifier: MIT
// Interned names and what they mean where the parser stands.
//
// Every distinct name has a number; what it is bound to is one array read away. Scopes are a log of bindings that is undone when
// the scope ends. A parameterised declaration (%r<100>) binds its prefix once; `%r7` is found by its prefix and its number, so that
// a hundred thousand registers cost nothing until they are used.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "syntax/ast.h"
#include "syntax/keywords.h"

namespace ptxshim::ptx {

class Names {
public:
  explicit Names(std::vector<std::string_view>& names) : names_(names), slots_(1024) {}

  NameId intern(std::string_view text) {
    const uint32_t hash = hash_text(text, seed_);
    for (size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
      Slot& entry = slots_[slot];
      if (entry.name == kNone) return insert(slot, text, hash);
      if (entry.hash == hash && names_[entry.name] == text) return entry.name;
    }
  }
  NameId find(std::string_view text) const {
    const uint32_t hash = hash_text(text, seed_);
    for (size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
      const Slot& entry = slots_[slot];
      if (entry.name == kNone || (entry.hash == hash && names_[entry.name] == text)) return entry.name;
    }
  }

private:
  struct Slot {
    uint32_t hash = 0;
    NameId name = kNone;
  };
  size_t mask() const { return slots_.size() - 1; }
  NameId insert(size_t slot, std::string_view text, uint32_t hash) {
    const NameId name = static_cast<NameId>(names_.size());
    names_.push_back(text);
    slots_[slot] = {hash, name};
    if (names_.size() * 2 > slots_.size()) grow();
    return name;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& entry : old) {
      if (entry.name == kNone) continue;
      size_t slot = entry.hash & mask();
      while (slots_[slot].name != kNone) slot = (slot + 1) & mask();
      slots_[slot] = entry;
    }
  }

  std::vector<std::string_view>& names_;
  std::vector<Slot> slots_;
  uint64_t seed_ = hash_seed();
};

enum class Meaning : uint8_t { None, Register, Range, Symbol, Label, Table };

struct Binding {
  Meaning meaning = Meaning::None;
  uint32_t depth = 0;
  uint32_t index = kNone;    // register, range, symbol, label or table
  uint32_t previous = kNone; // the binding this one hides
  uint32_t key = 0;
};

class Scopes {
public:
  static constexpr uint32_t kDeepest = 1000;

  uint32_t depth() const { return static_cast<uint32_t>(marks_.size()); }
  void open() { marks_.push_back(static_cast<uint32_t>(log_.size())); }
  void close() {
    for (; log_.size() > marks_.back(); log_.pop_back()) heads_[log_.back().key] = log_.back().previous;
    marks_.pop_back();
  }
  // Ranges and plain names are looked up apart: `%r` and the prefix of `%r<4>` are different names.
  const Binding* find(NameId name, bool range = false) const {
    const uint32_t key = name * 2 + (range ? 1 : 0);
    if (key >= heads_.size() || heads_[key] == kNone) return nullptr;
    return &log_[heads_[key]];
  }
  void bind(NameId name, Meaning meaning, uint32_t index) {
    const uint32_t key = name * 2 + (meaning == Meaning::Range ? 1 : 0);
    if (key >= heads_.size()) heads_.resize(std::max<size_t>(key + 2, heads_.size() * 2), kNone);
    log_.push_back({meaning, depth(), index, heads_[key], key});
    heads_[key] = static_cast<uint32_t>(log_.size() - 1);
  }
  const std::vector<Binding>& bindings() const { return log_; }

private:
  std::vector<uint32_t> heads_;
  std::vector<Binding> log_;
  std::vector<uint32_t> marks_;
};

// The registers of one parameterised declaration that have been used so far: number -> register of the function.
struct RegisterRange {
  NameId prefix = kNone;
  ScalarType type = ScalarType::None;
  uint8_t vector = 1;
  uint32_t count = 0;
  std::vector<uint32_t> dense;
  std::unordered_map<uint32_t, uint32_t> sparse;
};

} // namespace ptxshim::ptx
