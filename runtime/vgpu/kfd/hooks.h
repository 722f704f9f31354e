// SPDX-License-Identifier: MIT
// The functions that the ROCm libraries call in place of libc's and libdrm's.
#pragma once

namespace ptxshim::vgpu {

class Machine;
class KernelInterface;
class Topology;

// Redirects the imports of the ROCm libraries in this process. The objects must live for ever. False: none is
// loaded.
bool install_hooks(Machine& machine, KernelInterface& kernel, const Topology& topology);

} // namespace ptxshim::vgpu
