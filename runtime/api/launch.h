// SPDX-License-Identifier: MIT
// A launch with its arguments packed: what a graph keeps of it.
#pragma once

#include "harness.h"

namespace ptxshim::api {

struct Shape {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
};

struct KernelWork {
  CUfunction function = nullptr; // checked again when it runs: its module may be gone
  Shape shape{};
  bool cooperative = false;
  std::vector<char> arguments;
  std::vector<void*> pointers; // to the arguments, as cuGraphKernelNodeGetParams gives them
};

CUresult make_kernel_work(KernelWork& work, CUfunction function, const Shape& shape, void** parameters, void** extra, bool cooperative);
CUresult run_kernel(const KernelWork& work, hip::Stream stream);

} // namespace ptxshim::api
