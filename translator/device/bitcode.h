// SPDX-License-Identifier: MIT
// The support library as LLVM bitcode, inside the program.
#pragma once

#include <cstddef>

extern "C" const unsigned char ptxshim_device_bitcode[];
extern "C" const unsigned char ptxshim_device_bitcode_end[];
