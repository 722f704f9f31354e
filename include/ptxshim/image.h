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
// its NUL; a fatbin and a fatbin wrapper state their size; an ELF image can only be a cubin, an error with advice. Usually
// one module; several must be linked together (a version 2 wrapper, -rdc=true).
Result<std::vector<PtxImage>> read_image(const void* image, uint32_t compute_capability);
// The same with a known size (files).
Result<std::vector<PtxImage>> read_image(std::span<const std::byte> bytes, uint32_t compute_capability);

// The same of object files and static libraries, which cuLinkAddData takes: the PTX of every fat binary in them, to be linked.
Result<std::vector<PtxImage>> read_objects(std::span<const std::byte> bytes, uint32_t compute_capability);
// Takes NVIDIA's device runtime library out of modules that are linked together, where no other one uses it.
void drop_unused_device_runtime(std::vector<PtxImage>& modules);

// Every link unit in a file (executable, shared library, object, archive, .ptx, .fatbin): what a program that consists of
// it will ask to be loaded. Each unit is what read_image would give for one module load. Static library ptxshim_files (it
// needs libelf, whose archive cannot go into a shared library); everything else here is in ptxshim_loader.
Result<std::vector<std::vector<PtxImage>>> read_file(const std::string& path, uint32_t compute_capability);

// The capability (8.6) that our devices report, and for which PTX is chosen: the runtime and cache warming must agree.
inline constexpr uint32_t kComputeCapability = 86;

// What a loader call may say about code generation (CU_JIT_*), as far as it reaches code.
struct JitOptions {
  uint32_t optimisation = 4;  // CU_JIT_OPTIMIZATION_LEVEL, 0 to 4
  bool debug_info = false;    // CU_JIT_GENERATE_DEBUG_INFO
  uint32_t max_registers = 0; // CU_JIT_MAX_REGISTERS, 0: no limit
};

// HIP 5 loads code objects of version 4 at most; `hip_major` as in libamdhip64.so.5.
inline constexpr uint32_t code_object_version_for_hip(uint32_t hip_major) { return hip_major < 6 ? 4 : 5; }

// The one way from the modules of a link unit to a request, for the runtime and cache warming alike: equal inputs give equal
// cache keys.
TranslateRequest make_request(std::vector<PtxImage> modules, const std::string& target, uint32_t code_object_version,
                              const JitOptions& options = {});

// What make_request and translate_cached bring a request to: modules in a fixed order (nothing of linking depends on it, and
// the order in which a program registers them is not visible in its file), a target without features (gfx90a:xnack- is
// gfx90a), a level of optimisation that exists. False: it was so already.
bool canonicalise(TranslateRequest& request);

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
