// SPDX-License-Identifier: MIT
// One-line messages on stderr, `ptxshim:area: text`. Silent by default apart from warnings: the library lives in other
// people's processes. The level is checked before anything is formatted: use the macro.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "ptxshim/config.h"

namespace ptxshim {

enum class LogArea : uint8_t { api, cache, hip, load, worker, vgpu, kCount };
enum class LogLevel : uint8_t { error, warn, info, debug, trace, kCount };

namespace log_detail {

inline constexpr const char* kAreas[] = {"api", "cache", "hip", "load", "worker", "vgpu"};
inline constexpr const char* kLevels[] = {"error", "warn", "info", "debug", "trace"};

struct Levels {
  LogLevel of[static_cast<size_t>(LogArea::kCount)];
};

inline bool parse_level(const std::string& text, LogLevel& out) {
  for (size_t i = 0; i < static_cast<size_t>(LogLevel::kCount); ++i)
    if (text == kLevels[i]) {
      out = static_cast<LogLevel>(i);
      return true;
    }
  return false;
}

// Reads PTXSHIM_LOG; what cannot be understood is added to `wrong`.
inline Levels read_levels(std::string& wrong) {
  Levels levels;
  for (LogLevel& level : levels.of) level = LogLevel::warn;
  const std::string& spec = config().log;
  for (size_t begin = 0; begin < spec.size();) {
    size_t end = spec.find(',', begin);
    if (end == std::string::npos) end = spec.size();
    const std::string item = spec.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = item.find('=');
    LogLevel level;
    bool used = false;
    if (parse_level(equals == std::string::npos ? item : item.substr(equals + 1), level))
      for (size_t i = 0; i < static_cast<size_t>(LogArea::kCount); ++i)
        if (equals == std::string::npos || item.compare(0, equals, kAreas[i]) == 0) {
          levels.of[i] = level;
          used = true;
        }
    if (!used) wrong += (wrong.empty() ? "" : ",") + item;
  }
  return levels;
}

inline std::string wrong_log_items() {
  std::string wrong;
  read_levels(wrong);
  return wrong;
}

inline const Levels& levels() {
  static const Levels kLevelsInUse = [] {
    std::string ignored; // config_report.h tells
    return read_levels(ignored);
  }();
  return kLevelsInUse;
}

// One write(2) per line, so that lines of several threads and processes do not mix.
[[gnu::format(printf, 2, 3)]] inline void write_line(LogArea area, const char* format, ...) {
  char buffer[2048];
  int used = std::snprintf(buffer, sizeof buffer, "ptxshim:%s: ", kAreas[static_cast<size_t>(area)]);
  va_list arguments;
  va_start(arguments, format);
  const int body = std::vsnprintf(buffer + used, sizeof buffer - static_cast<size_t>(used) - 1, format, arguments);
  va_end(arguments);
  if (body < 0) return;
  size_t size = static_cast<size_t>(used) + static_cast<size_t>(body);
  if (size > sizeof buffer - 2) size = sizeof buffer - 2;
  buffer[size++] = '\n';
  [[maybe_unused]] const ssize_t written = ::write(2, buffer, size);
}

} // namespace log_detail

inline bool log_enabled(LogArea area, LogLevel level) {
  return level <= log_detail::levels().of[static_cast<size_t>(area)];
}

} // namespace ptxshim

// PTXSHIM_LOG_LINE(cache, debug, "hit %s", name)
#define PTXSHIM_LOG_LINE(area, level, ...)                                                                             \
  do {                                                                                                                 \
    if (::ptxshim::log_enabled(::ptxshim::LogArea::area, ::ptxshim::LogLevel::level))                                  \
      ::ptxshim::log_detail::write_line(::ptxshim::LogArea::area, __VA_ARGS__);                                        \
  } while (0)
