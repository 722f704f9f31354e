// SPDX-License-Identifier: MIT
// How the opcodes of each target are covered by rows.
#include "coverage.h"

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "opcodes.h"
#include "rows.h"

namespace ptxshim::vgpu {
namespace {

constexpr const char* kTargets[] = {"gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1150", "gfx1200"};

// One line of counts, then what is approximate by its error, and what is missing.
bool print_one(const std::string& target) {
  const std::unique_ptr<Decoder> decoder = Decoder::create(target, target.size() > 6 ? 32 : 64);
  if (!decoder) return false;
  unsigned counts[kFidelities + 1] = {};
  std::map<std::string, std::string> approximate;
  std::string missing;
  for (const std::string& mnemonic : opcodes_of(*decoder)) {
    const Row* const row = find_row(mnemonic);
    ++counts[row ? static_cast<unsigned>(row->fidelity) : kFidelities];
    if (!row) missing += " " + mnemonic;
    if (row && row->fidelity == Fidelity::Approximate) approximate[row->note] += " " + mnemonic;
  }
  std::printf("%s: %u exact, %u approximate, %u later, %u graphics, %u privileged, %u missing\n", target.c_str(), counts[0],
              counts[1], counts[2], counts[3], counts[4], counts[kFidelities]);
  for (const auto& [error, mnemonics] : approximate) std::printf("  %s:%s\n", error.c_str(), mnemonics.c_str());
  if (!missing.empty()) std::printf("  missing:%s\n", missing.c_str());
  return true;
}

} // namespace

int print_coverage(const std::string& target) {
  std::vector<std::string> targets;
  if (target.empty())
    targets.assign(std::begin(kTargets), std::end(kTargets));
  else
    targets.push_back(target);
  for (const std::string& each : targets)
    if (!print_one(each)) {
      std::fprintf(stderr, "ptxshim-run: LLVM does not know the target %s\n", each.c_str());
      return 2;
    }
  return 0;
}

} // namespace ptxshim::vgpu
