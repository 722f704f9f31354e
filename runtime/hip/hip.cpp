// SPDX-License-Identifier: MIT
// HIP is loaded at cuInit and not before: libptxshim.so is preloaded into every child process of a CUDA program, where it
// must cost nothing. RTLD_LOCAL keeps the dependencies of HIP (comgr with its own LLVM) out of the application's name space.
//
// Where there is no AMD GPU, or when asked to, libptxshim_vgpu.so beside this library puts a virtual one below HIP. That has to happen
// after HIP is loaded and before hipInit, which looks for devices.
#include "hip.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

#include "ptxshim/config.h"
#include "ptxshim/log.h"

namespace ptxshim::hip {

constinit Api api;
constinit VirtualGpu virtual_gpu;

namespace {

void* open_library(std::string& tried) {
  const char* const kNames[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  if (const std::string& chosen = config().hip_library; !chosen.empty()) {
    void* const handle = dlopen(chosen.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) tried = dlerror();
    return handle;
  }
  for (const char* name : kNames) {
    if (void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
    tried += tried.empty() ? "" : "; ";
    tried += dlerror();
  }
  return nullptr;
}

// True when all required functions are there.
bool fill_table(void* library, std::string& missing) {
  constexpr bool required = true;
  constexpr bool optional = false;
#define HIP(need, name, parameters)                                                                                    \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, #name));                                              \
  if (need && !api.name) missing += std::string(missing.empty() ? "" : " ") + #name;
#include "hip_api.def"
  static_cast<void>(required), static_cast<void>(optional);
  return missing.empty();
}

// The folder of this library, with the slash.
std::string own_folder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&api), &info) || !info.dli_fname) return {};
  const char* const slash = std::strrchr(info.dli_fname, '/');
  return slash ? std::string(info.dli_fname, slash + 1) : std::string();
}

bool have_amd_gpu() { return access("/dev/kfd", R_OK | W_OK) == 0; }

Result<void> activate_virtual_gpu() {
  const std::string& wanted = config().virtual_gpu;
  const bool forced = !wanted.empty();
  const std::string path = own_folder() + "libptxshim_vgpu.so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return ptxshim::Error{CUDA_ERROR_NO_DEVICE, std::string("no AMD GPU, and the virtual one cannot be loaded: ") + dlerror()};
  const auto activate = reinterpret_cast<ptxshim_vgpu_activate_t>(dlsym(library, "ptxshim_vgpu_activate"));
  virtual_gpu.last_fault = reinterpret_cast<ptxshim_vgpu_last_fault_t>(dlsym(library, "ptxshim_vgpu_last_fault"));
  virtual_gpu.clear_fault = reinterpret_cast<ptxshim_vgpu_clear_fault_t>(dlsym(library, "ptxshim_vgpu_clear_fault"));
  if (!activate || !virtual_gpu.last_fault || !virtual_gpu.clear_fault)
    return ptxshim::Error{CUDA_ERROR_NO_DEVICE, path + " lacks its entrances: not of this version"};
  ptxshim_vgpu_options options{};
  options.size = sizeof options;
  options.flags = forced ? PTXSHIM_VGPU_FORCED : 0;
  options.gfx = forced ? wanted.c_str() : nullptr;
  options.compute_units = static_cast<uint32_t>(std::min<uint64_t>(config().virtual_gpu_cus, UINT32_MAX));
  options.threads = static_cast<uint32_t>(std::min<uint64_t>(config().virtual_gpu_threads, UINT32_MAX));
  options.memory_bytes = bytes_of_mebibytes(config().virtual_gpu_mem);
  char why[1024] = {};
  options.why = why;
  options.why_bytes = sizeof why;
  if (const int failed = activate(&options))
    return ptxshim::Error{CUDA_ERROR_NO_DEVICE, std::string("the virtual GPU cannot be activated: ") +
                                                    (why[0] ? why : std::strerror(failed))};
  return {};
}

// A HIP runtime passes over GPUs that are newer than it is.
Result<void> expect_virtual_devices() {
  const std::string names = config().virtual_gpu.empty() ? "gfx1030" : config().virtual_gpu;
  const int wanted = static_cast<int>(std::count(names.begin(), names.end(), ',')) + 1;
  int found = 0;
  if (api.hipGetDeviceCount(&found) != kSuccess) found = 0;
  if (found == 0)
    return ptxshim::Error{CUDA_ERROR_NO_DEVICE, "the HIP runtime (version " + std::to_string(api.version) + ") knows no GPU of those in PTXSHIM_VIRTUAL_GPU=" +
                                                    names + ", or was told to show none; ptxshim-run runs code of such a GPU without HIP"};
  if (found < wanted)
    PTXSHIM_LOG_LINE(hip, warn, "the HIP runtime shows %d of the %d GPUs in PTXSHIM_VIRTUAL_GPU=%s: it knows no more, or was told so", found, wanted, names.c_str());
  return {};
}

} // namespace

Result<void> load() {
  std::string detail;
  void* const library = open_library(detail);
  if (!library)
    return ptxshim::Error{CUDA_ERROR_NO_DEVICE, "the HIP runtime (libamdhip64) cannot be loaded: " + detail};
  if (std::string missing; !fill_table(library, missing))
    return ptxshim::Error{CUDA_ERROR_NO_DEVICE, "this libamdhip64 lacks " + missing};
  const bool wanted = config().virtual_gpu != "0" && (!config().virtual_gpu.empty() || !have_amd_gpu());
  if (wanted) {
    Result<void> activated = activate_virtual_gpu();
    if (!activated) return activated;
  }
  if (const Error failed = api.hipInit(0)) {
    constexpr Error kInvalidDevice = 101; // what HIP says where there is none; CUDA has a code for that
    const CUresult code = failed == kInvalidDevice ? CUDA_ERROR_NO_DEVICE : to_cuda(failed);
    return ptxshim::Error{code, (code == CUDA_ERROR_NO_DEVICE ? "there is no AMD GPU: hipInit failed with " : "hipInit failed with ") +
                                    std::to_string(failed)};
  }
  if (api.hipRuntimeGetVersion(&api.version) != kSuccess) api.version = 0;
  PTXSHIM_LOG_LINE(hip, info, "HIP runtime version %d%s", api.version, wanted ? ", virtual GPU" : "");
  return wanted ? expect_virtual_devices() : Result<void>{};
}

} // namespace ptxshim::hip
