# SPDX-License-Identifier: MIT
# Finds the newest stock LLVM (19 or later) and names what we link from it.
# LLVMConfig.cmake's version file accepts only its own major.minor, so "19 or newer" is a search over directories.
# The imported target lldELF would pull in the shared libLLVM beside the static archives (two copies of every command
# line option, abort at start), so LLD's archives are linked by path.
set(PTXSHIM_LLVM_DIR "" CACHE PATH "Prefix of the LLVM to use; empty: the newest found")
if(PTXSHIM_LLVM_DIR)
  set(_llvm_prefixes ${PTXSHIM_LLVM_DIR})
else()
  file(GLOB _llvm_prefixes /usr/lib/llvm-*)
  list(SORT _llvm_prefixes COMPARE NATURAL ORDER DESCENDING)
endif()
foreach(_prefix IN LISTS _llvm_prefixes)
  if(EXISTS ${_prefix}/lib/cmake/llvm/LLVMConfig.cmake AND EXISTS ${_prefix}/lib/liblldELF.a)
    find_package(LLVM CONFIG QUIET PATHS ${_prefix}/lib/cmake/llvm NO_DEFAULT_PATH)
    if(LLVM_FOUND AND LLVM_VERSION_MAJOR GREATER_EQUAL 19)
      set(PTXSHIM_LLVM_PREFIX ${_prefix})
      break()
    endif()
    unset(LLVM_DIR CACHE)
  endif()
endforeach()
if(NOT PTXSHIM_LLVM_PREFIX)
  message(FATAL_ERROR "LLVM 19 or newer with LLD is needed (Debian: llvm-19-dev liblld-19-dev); run scripts/setup")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${PTXSHIM_LLVM_PREFIX}")
find_program(PTXSHIM_CLANG clang++ PATHS ${PTXSHIM_LLVM_PREFIX}/bin NO_DEFAULT_PATH)

add_library(ptxshim_llvm_headers INTERFACE)
target_include_directories(ptxshim_llvm_headers SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(ptxshim_llvm_headers INTERFACE ${LLVM_DEFINITIONS_LIST})

# The code generator, optimiser and linker: bin/ptxshimc and the translator's tests.
llvm_map_components_to_libnames(PTXSHIM_LLVM_CODEGEN_LIBS
  AMDGPUCodeGen AMDGPUAsmParser AMDGPUDesc AMDGPUInfo Passes IRReader Linker LTO Option WindowsDriver
  BinaryFormat DebugInfoDWARF)
add_library(ptxshim_llvm INTERFACE)
target_link_libraries(ptxshim_llvm INTERFACE ptxshim_llvm_headers
  ${PTXSHIM_LLVM_PREFIX}/lib/liblldELF.a ${PTXSHIM_LLVM_PREFIX}/lib/liblldCommon.a ${PTXSHIM_LLVM_CODEGEN_LIBS})

# The disassembler, and the reader of line tables: the virtual GPU.
llvm_map_components_to_libnames(PTXSHIM_LLVM_DISASM_LIBS AMDGPUDisassembler AMDGPUDesc AMDGPUInfo MC MCDisassembler Support TargetParser
  DebugInfoDWARF Object Demangle)
add_library(ptxshim_llvm_disasm INTERFACE)
target_link_libraries(ptxshim_llvm_disasm INTERFACE ptxshim_llvm_headers ${PTXSHIM_LLVM_DISASM_LIBS})
