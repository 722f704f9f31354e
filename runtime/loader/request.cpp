// SPDX-License-Identifier: MIT
#include <algorithm>
#include <tuple>

#include "ptxshim/image.h"

namespace ptxshim {

bool canonicalise(TranslateRequest& request) {
  bool changed = false;
  if (!std::is_sorted(request.modules.begin(), request.modules.end())) {
    request.names.resize(request.modules.size());
    std::vector<std::pair<std::string, std::string>> named;
    for (size_t n = 0; n < request.modules.size(); ++n)
      named.emplace_back(std::move(request.modules[n]), std::move(request.names[n]));
    std::sort(named.begin(), named.end());
    for (size_t n = 0; n < named.size(); ++n)
      std::tie(request.modules[n], request.names[n]) = std::move(named[n]);
    changed = true;
  }
  if (const size_t colon = request.target.find(':'); colon != std::string::npos) {
    request.target.resize(colon);
    changed = true;
  }
  if (const uint32_t highest = TranslateRequest().optimisation; request.optimisation > highest) {
    request.optimisation = highest;
    changed = true;
  }
  return changed;
}

TranslateRequest make_request(std::vector<PtxImage> modules, const std::string& target,
                              uint32_t code_object_version, const JitOptions& options) {
  TranslateRequest request;
  request.target = target;
  request.code_object_version = code_object_version;
  request.optimisation = options.optimisation;
  request.debug_info = options.debug_info;
  request.max_registers = options.max_registers;
  for (PtxImage& module : modules) {
    if (request.name.empty()) request.name = module.identifier;
    request.names.push_back(module.identifier);
    request.modules.push_back(std::move(module.text));
  }
  canonicalise(request);
  return request;
}

} // namespace ptxshim
