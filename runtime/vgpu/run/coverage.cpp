// SPDX-License-Identifier: MIT
// Which opcodes the rows lack. LLVM's names end in the generation that they are encoded for.
#include "coverage.h"

#include <cstdio>
#include <set>
#include <string_view>
#include <vector>

#include "rows.h"

namespace ptxshim::vgpu {
namespace {

struct Generation {
  const char* target;
  std::vector<std::string_view> suffixes;
};

const std::vector<Generation>& generations() {
  static const std::vector<Generation> kGenerations = {
      {"gfx90a", {"_vi", "_gfx9", "_gfx90a", "_gfx9_gfx90a"}},
      {"gfx942", {"_vi", "_gfx9", "_gfx90a", "_gfx940"}},
      {"gfx1030", {"_gfx10", "_gfx1030"}},
      {"gfx1100", {"_gfx11", "_gfx11_FULL"}},
      {"gfx1200", {"_gfx12", "_gfx11_gfx12"}},
  };
  return kGenerations;
}

struct Collector {
  const Generation* generation;
  std::set<std::string> mnemonics;
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

void print_one(const Generation& generation) {
  Collector collector{&generation, {}};
  for_each_mnemonic(
      [](void* context, std::string_view mnemonic, std::string_view name, uint64_t) {
        Collector& c = *static_cast<Collector*>(context);
        if (mnemonic.size() < 2 || (mnemonic[1] != '_' && mnemonic.substr(0, 3) != "ds_" && mnemonic.find('_') == std::string_view::npos)) return;
        for (std::string_view suffix : c.generation->suffixes)
          if (ends_with(name, suffix)) c.mnemonics.emplace(mnemonic);
      },
      &collector);
  unsigned counts[5] = {};
  std::string missing;
  for (const std::string& mnemonic : collector.mnemonics) {
    if (ends_with(mnemonic, "_pad_s_nop")) continue; // the assembler's own
    const Row* const row = find_row(mnemonic);
    ++counts[row ? static_cast<unsigned>(row->fidelity) : 4];
    if (!row) missing += " " + mnemonic;
  }
  std::printf("%s: %u exact, %u approximate, %u later, %u graphics, %u missing\n", generation.target, counts[0], counts[1],
              counts[2], counts[3], counts[4]);
  if (!missing.empty()) std::printf("  missing:%s\n", missing.c_str());
}

} // namespace

int print_coverage(const std::string& target) {
  bool found = false;
  for (const Generation& generation : generations())
    if (target.empty() || target == generation.target) {
      print_one(generation);
      found = true;
    }
  if (!found) std::fprintf(stderr, "ptxshim-run: no table of opcodes for %s\n", target.c_str());
  return found ? 0 : 2;
}

} // namespace ptxshim::vgpu
