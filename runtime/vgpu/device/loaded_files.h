// SPDX-License-Identifier: MIT
#pragma once

#include "dispatch.h"

namespace ptxshim::vgpu {

// `list` is ROCr's _amdgpu_r_debug, null when it has none.
void use_loaded_files(const void* list);
// The code object that ROCr has loaded at the address.
LoadedFile find_loaded_file(uint64_t gpu_address);

} // namespace ptxshim::vgpu
