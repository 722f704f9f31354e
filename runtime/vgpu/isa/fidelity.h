// SPDX-License-Identifier: MIT
#pragma once

namespace ptxshim::vgpu {

// PTXSHIM_VIRTUAL_GPU_REPORT: when the process ends, one line on stderr for every opcode that kernels arrived at and that
// is not exact, and a summary.
void report_fidelity_at_exit();
void report_fidelity();

} // namespace ptxshim::vgpu
