// SPDX-License-Identifier: MIT
// What the user should know about the environment, said once when CUDA is first used (a library that is preloaded into every child
// process must not speak before): names that do not exist, values that cannot be read, and, for PTXSHIM_LOG=debug, what is in effect.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <unistd.h>

#include "ptxshim/log.h"

namespace ptxshim {

namespace config_detail {

inline constexpr const char* kVariables[] = {
#define OPTION(variable, field, type, def, code, doc) #variable,
#include "ptxshim/config.def"
};

inline bool is_variable(std::string_view name) {
  for (const char* const known : kVariables)
    if (name == known) return true;
  return false;
}

inline void warn_of_unknown_names() {
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (name.starts_with("PTXSHIM_") && !is_variable(name))
      PTXSHIM_LOG_LINE(api, warn, "there is no option %.*s", static_cast<int>(std::min<size_t>(name.size(), 100)), name.data());
  }
}

template <class Value> void report_value(const char* name, const Value& in_use) {
  const char* const text = std::getenv(name);
  Value ignored{};
  std::string shown;
  if constexpr (std::is_same_v<Value, std::string>)
    shown = in_use;
  else
    shown = std::to_string(static_cast<uint64_t>(in_use));
  if (text && *text && !parse(text, ignored))
    PTXSHIM_LOG_LINE(api, warn, "%s=%.100s is no value for it; using %s", name, text, shown.c_str());
  PTXSHIM_LOG_LINE(api, debug, "%s=%s", name, shown.c_str());
}

} // namespace config_detail

inline void report_config() {
  if (getauxval(AT_SECURE)) return; // nothing was read
  config_detail::warn_of_unknown_names();
  if (std::string wrong = log_detail::wrong_log_items(); !wrong.empty())
    PTXSHIM_LOG_LINE(api, warn, "PTXSHIM_LOG: no such area or level: %.200s", wrong.c_str());
#define OPTION(variable, field, type, def, code, doc) config_detail::report_value(#variable, config().field);
#include "ptxshim/config.def"
}

} // namespace ptxshim
