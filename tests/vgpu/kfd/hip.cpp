// SPDX-License-Identifier: MIT
#include "hip.h"

#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <map>

namespace hip {

namespace {

void* runtime = nullptr;

template <class T> bool find(void* library, const char* name, T& function) {
  function = reinterpret_cast<T>(dlsym(library, name));
  return function != nullptr;
}

std::string load_all(uint32_t flags, const char* gfx) {
  for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"})
    if (!runtime) runtime = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!runtime) return std::string("absent: ") + dlerror();
  void* device = dlopen(PTXSHIM_VGPU_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!device) return dlerror();
  ptxshim_vgpu_activate_t activate = nullptr;
  if (!find(device, "ptxshim_vgpu_activate", activate) ||
      !find(device, "ptxshim_vgpu_last_fault", last_fault_of) ||
      !find(device, "ptxshim_vgpu_clear_fault", clear_fault_of))
    return "the library lacks an entrance";
#define F(name, parameters)                                                                                  \
  if (!find(runtime, #name, name)) return "HIP has no " #name;
  PTXSHIM_HIP_FUNCTIONS(F)
#undef F
  ptxshim_vgpu_options options{};
  options.size = sizeof options;
  options.gfx = gfx;
  options.flags = flags;
  if (const int error = activate(&options)) return "activation: errno " + std::to_string(error);
  if (const int error = hipInit(0)) return "hipInit: " + std::to_string(error);
  return {};
}

} // namespace

void* find_symbol(const char* name) { return runtime ? dlsym(runtime, name) : nullptr; }

const std::string& load(uint32_t flags, const char* gfx) {
  static const std::string* const kProblem = new std::string(load_all(flags, gfx));
  return *kProblem;
}

const std::vector<char>& code_object(const std::string& gfx) {
  static std::map<std::string, std::vector<char>>* const kObjects = new std::map<std::string, std::vector<char>>;
  std::vector<char>& bytes = (*kObjects)[gfx];
  if (bytes.empty()) {
    std::ifstream file(PTXSHIM_KERNELS_DIR "/kernels_" + gfx + ".co", std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  return bytes;
}

} // namespace hip
