// SPDX-License-Identifier: MIT
// cuGetProcAddress: a name without suffix and a version give the newest form that the version knows. cuMemAlloc asked with 3020 or later
// is cuMemAlloc_v2. The flag PER_THREAD_DEFAULT_STREAM asks for the _ptsz or _ptds form where there is one.
//
// A program of the CUDA runtime asks for 345 names at its start: they are found through a hash table that is built once.
#include "bodies.h"
#include "exports.h"

#include <string_view>

namespace ptxshim::api {

namespace {

// "cuMemAlloc_v2" -> "cuMemAlloc"
std::string_view base_name(std::string_view name) {
  const size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return name;
  for (const char c : name.substr(at + 2))
    if (c < '0' || c > '9') return name;
  return name.substr(0, at);
}

class Index {
public:
  Index() {
    for (uint16_t i = 0; i < kExportedRows; ++i) {
      const std::string_view base = base_name(exported_rows[i].name);
      next_[i] = kEnd;
      uint16_t& head = heads_.try_emplace(base, kEnd).first->second;
      next_[i] = head;
      head = i;
    }
  }

  // The newest form of a name up to a version; `known` says whether there is any form at all.
  const ExportedRow* find(std::string_view base, int version, bool& known) const {
    const auto found = heads_.find(base);
    known = found != heads_.end();
    const ExportedRow* best = nullptr;
    for (uint16_t i = known ? found->second : kEnd; i != kEnd; i = next_[i]) {
      const ExportedRow& row = exported_rows[i];
      if (row.since <= version && (!best || row.since > best->since)) best = &row;
    }
    return best;
  }

private:
  static constexpr uint16_t kEnd = 0xffff;
  std::unordered_map<std::string_view, uint16_t> heads_; // base name -> first of a chain of rows
  uint16_t next_[kExportedRows];
};

const Index& index() {
  static const Index* const kIndex = new Index;
  return *kIndex;
}

// Real ABI names are understood as well: some programs ask for cuMemAlloc_v2.
const ExportedRow* find_exact(std::string_view name) {
  for (const ExportedRow& row : exported_rows)
    if (name == row.name) return &row;
  return nullptr;
}

} // namespace

CUresult cuGetProcAddress_v2(const char* symbol, void** address, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  constexpr cuuint64_t kKnownFlags = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (!symbol || !address || (flags & ~kKnownFlags) || flags == kKnownFlags) return CUDA_ERROR_INVALID_VALUE;
  *address = nullptr;
  bool known = false;
  const ExportedRow* row = index().find(symbol, version, known);
  if (!row && !known) row = find_exact(symbol);
  if (status)
    *status = row     ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (!row) return CUDA_ERROR_NOT_FOUND;
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  *address = per_thread && row->per_thread ? row->per_thread : row->address;
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char* symbol, void** address, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, address, version, flags, nullptr);
}

} // namespace ptxshim::api
