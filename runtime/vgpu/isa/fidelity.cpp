// SPDX-License-Identifier: MIT
#include "fidelity.h"

#include <cstdlib>
#include <map>
#include <string>

#include "ptxshim/log.h"
#include "rows.h"

namespace ptxshim::vgpu {

void report_fidelity() {
  std::map<std::string, const Row*> used;
  for_each_row(
      [](void* context, std::string_view name, const Row& row) {
        if (row.decoded.load(std::memory_order_relaxed))
          static_cast<std::map<std::string, const Row*>*>(context)->emplace(name, &row);
      },
      &used);
  unsigned exact = 0, approximate = 0, refused = 0;
  for (const auto& [name, row] : used) {
    const unsigned seen = row->decoded.load(std::memory_order_relaxed), without = row->refused.load(std::memory_order_relaxed);
    if (without) {
      ++refused;
      log_detail::write_line(LogArea::vgpu, "%s: not supported (%u of %u in the code)", name.c_str(), without, seen);
    } else if (row->fidelity == Fidelity::Approximate) {
      ++approximate;
      log_detail::write_line(LogArea::vgpu, "%s: approximate, %s (%u in the code)", name.c_str(), row->note, seen);
    } else {
      ++exact;
    }
  }
  log_detail::write_line(LogArea::vgpu, "opcodes used: %u exact, %u approximate, %u unsupported", exact, approximate, refused);
}

void report_fidelity_at_exit() {
  static const int kRegistered = std::atexit(report_fidelity);
  (void)kRegistered;
}

} // namespace ptxshim::vgpu
