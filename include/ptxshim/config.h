// SPDX-License-Identifier: MIT
// The environment, read once per process from the rows of config.def. Nothing else in the project calls getenv.
// A set-uid program (AT_SECURE) gets the defaults alone. Unknown PTXSHIM_* variables are warned about by log.h.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/auxv.h>
#include <unistd.h>

namespace ptxshim {

struct Config {
#define OPTION(variable, field, type, def, code, doc) type field = def;
#include "ptxshim/config.def"
};

namespace config_detail {

inline void parse(const char* text, std::string& out) { out = text; }
inline void parse(const char* text, bool& out) {
  if (!std::strcmp(text, "1") || !std::strcmp(text, "true") || !std::strcmp(text, "yes") || !std::strcmp(text, "on"))
    out = true;
  else if (!std::strcmp(text, "0") || !std::strcmp(text, "false") || !std::strcmp(text, "no") || !std::strcmp(text, "off"))
    out = false;
}
inline void parse(const char* text, uint64_t& out) {
  char* end = nullptr;
  if (*text < '0' || *text > '9') return; // strtoull would take "-1"
  const unsigned long long value = std::strtoull(text, &end, 0);
  if (*end == '\0') out = value;
}

inline Config read() {
  Config config;
  if (getauxval(AT_SECURE)) return config;
#define OPTION(variable, field, type, def, code, doc)                                                                 \
  if (const char* text = std::getenv(#variable); text && *text) parse(text, config.field);
#include "ptxshim/config.def"
  return config;
}

} // namespace config_detail

// The effective values. Leaked on purpose: other libraries' destructors may still log.
inline const Config& config() {
  static const Config* const kConfig = new Config(config_detail::read());
  return *kConfig;
}

} // namespace ptxshim
