// SPDX-License-Identifier: MIT
// The environment, read once per process from the rows of config.def. Nothing else in the project calls getenv.
// A set-uid program (AT_SECURE) gets the defaults alone. A value that cannot be read leaves the default; config_report.h tells the user
// about it, and about PTXSHIM_* variables that do not exist.
#pragma once

#include <cerrno>
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

// Each false, and nothing is changed, when the text is no value of the type.
inline bool parse(const char* text, std::string& out) {
  out = text;
  return true;
}
inline bool parse(const char* text, bool& out) {
  for (const char* word : {"1", "true", "yes", "on"})
    if (!std::strcmp(text, word)) return out = true;
  for (const char* word : {"0", "false", "no", "off"})
    if (!std::strcmp(text, word)) return !(out = false);
  return false;
}
inline bool parse(const char* text, uint64_t& out) {
  if (*text < '0' || *text > '9') return false; // strtoull would take "-1"
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text, &end, 0);
  if (*end != '\0' || errno != 0) return false;
  out = value;
  return true;
}

inline Config read() {
  Config config;
  if (getauxval(AT_SECURE)) return config;
#define OPTION(variable, field, type, def, code, doc)                                                                 \
  if (const char* text = std::getenv(#variable); text && *text) static_cast<void>(parse(text, config.field));
#include "ptxshim/config.def"
  return config;
}

} // namespace config_detail

// An option in MiB as bytes: more than can be counted is as much as can be.
inline uint64_t bytes_of_mebibytes(uint64_t count) { return count > (UINT64_MAX >> 20) ? UINT64_MAX : count << 20; }

// The effective values. Leaked on purpose: other libraries' destructors may still log.
inline const Config& config() {
  static const Config* const kConfig = new Config(config_detail::read());
  return *kConfig;
}

} // namespace ptxshim
