// SPDX-License-Identifier: MIT
#include <algorithm>

#include "ptxshim/image.h"

namespace ptxshim {

TranslateRequest make_request(std::vector<PtxImage> modules, const std::string& target, uint32_t code_object_version,
                              const JitOptions& options) {
  TranslateRequest request;
  request.target = target.substr(0, target.find(':')); // features as in gfx90a:sramecc+:xnack- do not reach the code
  request.code_object_version = code_object_version;
  request.optimisation = std::min(options.optimisation, TranslateRequest().optimisation);
  request.debug_info = options.debug_info;
  request.max_registers = options.max_registers;
  std::sort(modules.begin(), modules.end(),
            [](const PtxImage& a, const PtxImage& b) { return a.text < b.text; });
  for (PtxImage& module : modules) {
    if (request.name.empty()) request.name = module.identifier;
    request.modules.push_back(std::move(module.text));
  }
  return request;
}

} // namespace ptxshim
