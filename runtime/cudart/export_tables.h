// SPDX-License-Identifier: MIT
// The tables behind cuGetExportTable, which the CUDA runtime library asks its driver for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../api/objects.h"

namespace ptxshim::api {

using TableFunction = void (*)();

// A slot holds a size, an address or nothing.
union Slot {
  size_t bytes;
  TableFunction function;
};

// The table of a UUID, or null.
const void* find_export_table(const CUuuid& id) noexcept;

// What the handshake covers (integrity.cpp).
struct HandshakeInput {
  uint32_t driver_version;
  uint32_t version;
  uint32_t process;
  uint32_t thread;
  uint64_t cudart_table;
  uint64_t integrity_table;
  uint64_t integrity_function;
  uint64_t seconds;
};
struct HandshakeDevice {
  CUuuid uuid;
  int32_t domain, bus, device;
};
void handshake_answer(uint64_t (&answer)[2], const HandshakeInput& input, const HandshakeDevice* devices, size_t count);

} // namespace ptxshim::api
