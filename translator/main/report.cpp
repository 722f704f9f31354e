// SPDX-License-Identifier: MIT
#include "main/report.h"

#include <cstdio>

#include <llvm/Config/llvm-config.h>

#include "ptxshim/target.h"
#include "ptxshim/translate.h"

namespace ptxshim::compiler {

std::string usage_report(const CodeObject& code_object) {
  std::string text;
  for (const KernelInfo& kernel : code_object.kernels) {
    if (!kernel.error.empty()) continue;
    char line[512];
    std::snprintf(line, sizeof line,
                  "ptxshimc: %s for %s: %u VGPRs, %u SGPRs, %u bytes LDS, %u bytes scratch, %u VGPR spills, "
                  "%u SGPR spills, "
                  "%u bytes of parameters, wave%u, at most %u threads\n",
                  kernel.name.c_str(), code_object.target.c_str(), kernel.vgprs, kernel.sgprs,
                  kernel.static_shared_bytes, kernel.private_bytes, kernel.vgpr_spills, kernel.sgpr_spills,
                  kernel.parameter_bytes, kernel.wave_size, kernel.max_threads);
    text += line;
  }
  return text;
}

std::string kernel_list(const CodeObject& code_object) {
  std::string text;
  for (const KernelInfo& kernel : code_object.kernels) {
    text += kernel.name + "(";
    for (size_t n = 0; n < kernel.parameters.size(); ++n) {
      const KernelParameter& parameter = kernel.parameters[n];
      text +=
          (n ? ", " : "") + std::to_string(parameter.size) + " bytes at " + std::to_string(parameter.offset);
    }
    text += ")\n";
  }
  return text;
}

std::string version_text() {
  std::string text = "ptxshimc 0.1.0 (translator " + std::string(translator_build_id()) +
                     ", LLVM " LLVM_VERSION_STRING ")\ntargets:";
  for (const Target& target : kTargets)
    if (target.minimum_llvm <= LLVM_VERSION_MAJOR) text += std::string(" ") + target.name;
  return text + "\n";
}

} // namespace ptxshim::compiler
