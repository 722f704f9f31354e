// SPDX-License-Identifier: MIT
// Containers of device code: PTX text, fat binaries, ELF files with fat binaries in them, static archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptxshim/cache.h"
#include "ptxshim/result.h"

namespace ptxshim {

// One module as a container holds it.
struct PtxImage {
  std::string text;         // decompressed, without trailing NULs
  uint32_t sm = 0;          // 80 for sm_80; 0 when the container does not say (plain PTX text)
  uint32_t ptx_version = 0; // major * 10 + minor, 0 when the container does not say
  std::string identifier;   // source file name, where recorded
};

// Chooses the PTX for a reported compute capability (80 for 8.0): the highest SM not above it, else the lowest above.
// Errors: CUDA_ERROR_NO_BINARY_FOR_GPU with advice when there are only cubins; CUDA_ERROR_INVALID_IMAGE when damaged.

// The modules of an image as cuModuleLoadData and cuLibraryLoadData take it: a pointer without a length. PTX text ends at
// its NUL; a fatbin, a fatbin wrapper and an ELF state their size. Usually one module; several must be linked together
// (a version 2 wrapper, -rdc=true).
Result<std::vector<PtxImage>> read_image(const void* image, uint32_t compute_capability);
// The same with a known size (files).
Result<std::vector<PtxImage>> read_image(std::span<const std::byte> bytes, uint32_t compute_capability);

// Every link unit in a file (executable, shared library, object, archive, .ptx, .fatbin): what a program that consists of
// it will ask to be loaded. Each unit is what read_image would give for one module load.
Result<std::vector<std::vector<PtxImage>>> read_file(const std::string& path, uint32_t compute_capability);

// The result of a request, from the cache or from a worker process, with where it came from.
struct Translation {
  CodeObject code_object;
  bool from_cache = false;
  uint64_t elapsed_ns = 0; // of this call: look-up or translation
};

// Cache look-up, else one translation per key (also across threads and processes) by a worker, then publication.
// Worker crashes, time-outs and memory limits come back as CUDA_ERROR_INVALID_PTX or CUDA_ERROR_JIT_COMPILER_NOT_FOUND
// with a message; they never harm the caller.
Result<Translation> translate_cached(Cache& cache, const TranslateRequest& request);

} // namespace ptxshim
