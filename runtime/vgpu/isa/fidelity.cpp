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
    switch (row->fidelity) {
    case Fidelity::Exact: ++exact; break;
    case Fidelity::Approximate:
      ++approximate;
      log_detail::write_line(LogArea::vgpu, "%s: approximate, %s", name.c_str(), row->note);
      break;
    case Fidelity::Later:
    case Fidelity::Graphics:
    case Fidelity::Privileged:
      ++refused;
      log_detail::write_line(LogArea::vgpu, "%s: not supported", name.c_str());
      break;
    }
  }
  log_detail::write_line(LogArea::vgpu, "opcodes used: %u exact, %u approximate, %u unsupported", exact, approximate, refused);
}

void report_fidelity_at_exit() {
  static const int kRegistered = std::atexit(report_fidelity);
  (void)kRegistered;
}

} // namespace ptxshim::vgpu
