// SPDX-License-Identifier: MIT
// Besides the documented API, the CUDA runtime library uses tables of functions that it gets by UUID. Six of them are mandatory for CUDA 13: where
// one is refused, every runtime call fails. What stands in their slots is known from observing the calls; slots that were never seen in
// use hold a function that says so and refuses.
//
// Slot 0 is the table's size in bytes, apart from the context-local storage, which has none.
#include "export_tables.h"

#include "../api/bodies.h"
#include "../api/context.h"
#include "context_local.h"

#include <cstring>
#include <pthread.h>
#include <unistd.h>

namespace ptxshim::api {

namespace {

// Keeps a body inside the harness's promises: initialised, a context, nothing thrown.
#define PTXSHIM_TABLE_CALL(need, body, ...)                                                                            \
  enter<&body, Need::need, false>("export table: " #body __VA_OPT__(, ) __VA_ARGS__)

CUresult unknown_slot() noexcept {
  static constinit std::atomic<bool> warned{false};
  if (!warned.exchange(true)) PTXSHIM_LOG_LINE(api, warn, "a slot of an export table that is not known was called: CUDA_ERROR_NOT_SUPPORTED");
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult succeed() noexcept { return CUDA_SUCCESS; }

// --- CUDART_INTERFACE

CUresult primary_context(CUcontext* out, CUdevice ordinal) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  *out = contexts.handle(device->primary); // neither retained nor made current
  return CUDA_SUCCESS;
}

CUresult slot_primary_context(CUcontext* out, CUdevice ordinal) noexcept { return PTXSHIM_TABLE_CALL(Init, primary_context, out, ordinal); }

CUresult slot_load(CUmodule* out, const void* image) noexcept { return PTXSHIM_TABLE_CALL(Context, cuModuleLoadData, out, image); }

CUresult slot_load_options(CUmodule* out, const void* image, void*, void*, unsigned) noexcept {
  return PTXSHIM_TABLE_CALL(Context, cuModuleLoadData, out, image);
}

CUresult slot_ignore_size(size_t) noexcept { return CUDA_SUCCESS; }

CUresult slot_load_header(const void* image, CUmodule* out, void*, void*, unsigned) noexcept {
  return PTXSHIM_TABLE_CALL(Context, cuModuleLoadData, out, image);
}

// --- TOOLS_RUNTIME_CALLBACK_HOOKS: arrays in which a profiler would switch on callbacks; all zero

constexpr size_t kFirstHooks = 4096;
constexpr size_t kSecondHooks = 256;
constinit uint32_t first_hooks[kFirstHooks] = {};
constinit uint32_t second_hooks[kSecondHooks] = {};

CUresult slot_first_hooks(void** buffer, size_t* entries) noexcept {
  if (!buffer || !entries) return CUDA_ERROR_INVALID_VALUE;
  *buffer = first_hooks;
  *entries = kFirstHooks;
  return CUDA_SUCCESS;
}

CUresult slot_second_hooks(void** buffer, size_t* entries) noexcept {
  if (!buffer || !entries) return CUDA_ERROR_INVALID_VALUE;
  *buffer = second_hooks;
  *entries = kSecondHooks;
  return CUDA_SUCCESS;
}

// --- CONTEXT_CHECKS

CUresult slot_check_context(CUcontext, uint32_t* result, void**) noexcept {
  if (result) *result = 0;
  return CUDA_SUCCESS;
}

// --- CTX_CREATE_BYPASS

CUresult slot_create_context(CUcontext* out, unsigned flags, CUdevice ordinal) noexcept {
  return PTXSHIM_TABLE_CALL(Init, cuCtxCreate_v2, out, flags, ordinal);
}

CUresult slot_integrity(uint32_t version, uint64_t seconds, uint64_t (*answer)[2]) noexcept;

template <class Function> constexpr Slot slot(Function* function) { return {.function = reinterpret_cast<TableFunction>(function)}; }

#define UNKNOWN slot(&unknown_slot)
// clang-format off
const Slot cudart_interface[] = {
    {.bytes = 13 * sizeof(Slot)}, slot(&slot_load), slot(&slot_primary_context), UNKNOWN, UNKNOWN, UNKNOWN, slot(&slot_load_options),
    slot(&slot_ignore_size), slot(&slot_load_header), UNKNOWN, UNKNOWN, UNKNOWN, slot(&succeed)};
const Slot tools_hooks[] = {
    {.bytes = 7 * sizeof(Slot)}, UNKNOWN, slot(&slot_first_hooks), UNKNOWN, UNKNOWN, UNKNOWN, slot(&slot_second_hooks)};
const Slot tools_tls[] = {{.bytes = 4 * sizeof(Slot)}, UNKNOWN, UNKNOWN, UNKNOWN};
const Slot context_local_storage[] = {slot(&local_put), slot(&local_delete), slot(&local_get), {.bytes = 0}};
const Slot context_checks[] = {{.bytes = 4 * sizeof(Slot)}, UNKNOWN, slot(&slot_check_context), slot(&succeed)};
const Slot integrity_check[] = {{.bytes = 3 * sizeof(Slot)}, slot(&slot_integrity), UNKNOWN};
const Slot context_create_bypass[] = {{.bytes = 2 * sizeof(Slot)}, slot(&slot_create_context)};

struct TableRow {
  uint8_t id[16];
  const Slot* table;
};

const TableRow kTables[] = {
    {{0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9}, cudart_interface},
    {{0xa0, 0x94, 0x79, 0x8c, 0x2e, 0x74, 0x2e, 0x74, 0x93, 0xf2, 0x08, 0x00, 0x20, 0x0c, 0x0a, 0x66}, tools_hooks},
    {{0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec, 0xdc}, tools_tls},
    {{0xc6, 0x93, 0x33, 0x6e, 0x11, 0x21, 0xdf, 0x11, 0xa8, 0xc3, 0x68, 0xf3, 0x55, 0xd8, 0x95, 0x93}, context_local_storage},
    {{0x26, 0x3e, 0x88, 0x60, 0x7c, 0xd2, 0x61, 0x43, 0x92, 0xf6, 0xbb, 0xd5, 0x00, 0x6d, 0xfa, 0x7e}, context_checks},
    {{0xd4, 0x08, 0x20, 0x55, 0xbd, 0xe6, 0x70, 0x4b, 0x8d, 0x34, 0xba, 0x12, 0x3c, 0x66, 0xe1, 0xf2}, integrity_check},
    {{0x0c, 0xa5, 0x0b, 0x8c, 0x10, 0x04, 0x92, 0x9a, 0x89, 0xa7, 0xd0, 0xdf, 0x10, 0xe7, 0x72, 0x86}, context_create_bypass},
};
// clang-format on
#undef UNKNOWN

CUresult integrity(uint32_t version, uint64_t seconds, uint64_t (*answer)[2]) {
  if (!answer) return CUDA_ERROR_INVALID_VALUE;
  const HandshakeInput input{
      .driver_version = PTXSHIM_CUDA_VERSION,
      .version = version,
      .process = static_cast<uint32_t>(getpid()),
      .thread = static_cast<uint32_t>(pthread_self()),
      .cudart_table = reinterpret_cast<uintptr_t>(cudart_interface),
      .integrity_table = reinterpret_cast<uintptr_t>(integrity_check),
      .integrity_function = reinterpret_cast<uintptr_t>(integrity_check[1].function),
      .seconds = seconds,
  };
  HandshakeDevice known[kMaxDevices] = {};
  const size_t count = static_cast<size_t>(devices->count);
  for (size_t i = 0; i < count; ++i) {
    const Device& device = devices->of[i];
    known[i].uuid = device.uuid;
    device_attribute(known[i].domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, device);
    device_attribute(known[i].bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device);
    device_attribute(known[i].device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device);
  }
  handshake_answer(*answer, input, known, count);
  return CUDA_SUCCESS;
}

CUresult slot_integrity(uint32_t version, uint64_t seconds, uint64_t (*answer)[2]) noexcept {
  return PTXSHIM_TABLE_CALL(Init, integrity, version, seconds, answer);
}

} // namespace

const void* find_export_table(const CUuuid& id) noexcept {
  for (const TableRow& row : kTables)
    if (std::memcmp(row.id, id.bytes, sizeof row.id) == 0) return row.table;
  return nullptr;
}

CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
  *table = find_export_table(*id);
  return *table ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace ptxshim::api
