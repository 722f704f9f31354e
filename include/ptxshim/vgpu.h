// SPDX-License-Identifier: MIT
// The C entrance of libptxshim_vgpu.so, the virtual AMD GPUs. libptxshim.so dlopens the library, finds these by dlsym and
// calls ptxshim_vgpu_activate after dlopen of libamdhip64 and before hipInit. From then on the ROCm libraries of this
// process see the virtual AMD GPUs (and no real one); the application's own system calls are not touched.
//
// A kernel that faults does not end the process: its dispatch completes, later dispatches are skipped, and the fault can
// be read here. Callers ask ptxshim_vgpu_last_fault after every synchronising HIP call and give the application its error;
// a context reset calls ptxshim_vgpu_clear_fault. Both are asked of one device: its number in the list of gfx names, which is
// also its PCI bus less 1 (HIP may leave out devices that it does not know, and be told to show some only).
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ptxshim_vgpu_flags {
  PTXSHIM_VGPU_FORCED = 1,         // asked for, not for want of a real GPU: changes the message only
  PTXSHIM_VGPU_QUIET = 2,          // no message on stderr (tests)
  PTXSHIM_VGPU_RAW_EXCEPTIONS = 4, // faults go to the ROCm runtime as hardware gives them; it then ends the process
};

struct ptxshim_vgpu_options {
  uint32_t size;          // sizeof(struct ptxshim_vgpu_options)
  uint32_t flags;         // enum ptxshim_vgpu_flags
  const char* gfx;        // one name for each device: "gfx1030", "gfx1030,gfx90a", at most 8; null: gfx1030
  uint32_t compute_units; // of each device; 0: 8
  uint32_t threads;       // host threads that execute work groups; 0: one per core
  uint64_t memory_bytes;  // memory of each device; 0: 4 GiB
  char* why;              // null, or where the reason of a refusal is written as text
  uint64_t why_bytes;     // there
};

enum ptxshim_vgpu_fault_kind {
  PTXSHIM_VGPU_FAULT_NONE = 0,
  PTXSHIM_VGPU_FAULT_PAGE = 1,                // CUDA 700
  PTXSHIM_VGPU_FAULT_ILLEGAL_INSTRUCTION = 2, // CUDA 715
  PTXSHIM_VGPU_FAULT_APERTURE = 3,            // CUDA 719
  PTXSHIM_VGPU_FAULT_MISALIGNED = 4,          // CUDA 716
  PTXSHIM_VGPU_FAULT_TRAP = 5,                // CUDA 719
  PTXSHIM_VGPU_FAULT_BAD_CODE_OBJECT = 6,     // CUDA 719
};

struct ptxshim_vgpu_fault {
  uint32_t size;       // in: sizeof(struct ptxshim_vgpu_fault)
  uint32_t kind;       // enum ptxshim_vgpu_fault_kind
  uint32_t cuda_error; // 0, 700, 715, 716 or 719
  uint32_t count;      // faults since activation
  uint64_t address;    // of a page fault or misaligned access
  char report[2048];   // what was printed on stderr: kernel, pc, instruction, address
};

// 0, or an errno value: ENOENT no ROCm runtime is loaded in the process, ENODEV a gfx name is not known, ENOMEM,
// EINVAL. A second call is harmless: it answers 0 if the options agree, EBUSY if not.
typedef int (*ptxshim_vgpu_activate_t)(const struct ptxshim_vgpu_options* options);
int ptxshim_vgpu_activate(const struct ptxshim_vgpu_options* options);

// Fills *fault and returns its cuda_error; 0 when no kernel has faulted since the last clear. Costs a few nanoseconds then.
typedef int (*ptxshim_vgpu_last_fault_t)(uint32_t device, struct ptxshim_vgpu_fault* fault);
int ptxshim_vgpu_last_fault(uint32_t device, struct ptxshim_vgpu_fault* fault);

typedef void (*ptxshim_vgpu_clear_fault_t)(uint32_t device);
void ptxshim_vgpu_clear_fault(uint32_t device);

#ifdef __cplusplus
}
#endif
