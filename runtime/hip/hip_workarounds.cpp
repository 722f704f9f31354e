// SPDX-License-Identifier: MIT
// Where HIP versions differ from each other or from what their manual says. Everything of this kind stands here.
#include "hip.h"

#include <cstring>
#include <memory>

#include "ptxshim/image.h"
#include "ptxshim/log.h"

namespace ptxshim::hip {

// The layout of hipDeviceProp_t changed with HIP 6 (its new form has the suffix R0600) and keeps growing. In all of them the
// architecture is the one string that begins with "gfx" behind the 256 bytes of the name.
std::string gfx_name(int device) {
  const auto buffer = std::make_unique<char[]>(kPropertiesBytes);
  const auto get = api.hipGetDevicePropertiesR0600 ? api.hipGetDevicePropertiesR0600 : api.hipGetDeviceProperties;
  if (get(buffer.get(), device) != kSuccess) return {};
  constexpr size_t kNameBytes = 256;
  for (size_t i = kNameBytes; i + 16 < kPropertiesBytes; ++i) {
    if (std::memcmp(buffer.get() + i, "gfx", 3) != 0) continue;
    std::string name(buffer.get() + i, strnlen(buffer.get() + i, 64));
    return name.substr(0, name.find(':')); // without ":sramecc+:xnack-"
  }
  return {};
}

// The comgr of HIP 5 refuses version 5 with "failed to get code object ISA name".
uint32_t code_object_version() { return code_object_version_for_hip(static_cast<uint32_t>(api.major())); }

// HIP before 5.5 has no cooperative launch of module functions. The caller has checked that all blocks fit on the device at
// once; an ordinary launch on an otherwise idle device then has them resident together, which is what grid-wide barriers need.
Error launch_cooperative(Function function, const unsigned (&grid)[3], const unsigned (&block)[3], unsigned shared_bytes, Stream stream,
                         void* arguments, size_t argument_bytes) {
  void* extra[] = {launch_param_buffer_pointer(), arguments, launch_param_buffer_size(), &argument_bytes, launch_param_end()};
  return api.hipModuleLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared_bytes, stream, nullptr,
                                   argument_bytes ? extra : nullptr);
}

namespace {

struct HostCall {
  HostFunction function;
  void* user_data;
};

void run_host_call(Stream, Error status, void* data) {
  const std::unique_ptr<HostCall> call(static_cast<HostCall*>(data));
  if (status == kSuccess) call->function(call->user_data);
}

} // namespace

// hipLaunchHostFunc came with HIP 5.3; before, the older callback does the same.
Error launch_host_function(Stream stream, HostFunction function, void* user_data) {
  if (api.hipLaunchHostFunc) return api.hipLaunchHostFunc(stream, function, user_data);
  auto call = std::make_unique<HostCall>(HostCall{function, user_data});
  const Error result = api.hipStreamAddCallback(stream, &run_host_call, call.get(), 0);
  if (result == kSuccess) static_cast<void>(call.release());
  return result;
}

} // namespace ptxshim::hip
