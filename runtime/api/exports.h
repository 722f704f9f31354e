// SPDX-License-Identifier: MIT
// The rows of driver_api.def with their addresses.
#pragma once

#include <cstddef>

#include "harness.h"

namespace ptxshim::api {

struct ExportedRow {
  const char* name;   // real ABI name
  int since;          // driver version
  void* address;
  void* per_thread;   // the _ptsz or _ptds form, or null
};

inline constexpr size_t kExportedRows = static_cast<size_t>(Row::kCount);
extern const ExportedRow exported_rows[kExportedRows];

} // namespace ptxshim::api
