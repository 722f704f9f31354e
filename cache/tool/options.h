// SPDX-License-Identifier: MIT
// The command line of ptxshim-cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxshim::tool {

struct Options {
  std::string command;
  std::string directory; // empty: the default
  bool json = false;

  // warm
  std::vector<std::string> targets;
  std::optional<uint32_t> code_object_version;
  uint64_t jobs = 0; // 0: one per core
  bool dry_run = false, verbose = false;

  // verify, prune
  bool remove = false, all = false, other_builds = false;
  std::optional<uint64_t> max_bytes;

  std::vector<std::string> paths;
};

// Prints what is wrong and returns nothing when the command line makes no sense; help is printed here too
// (then exit_status is 0).
std::optional<Options> parse_options(int argc, char** argv, int& exit_status);

// Text with what JSON wants escaped, in quotes.
std::string json_string(const std::string& text);

int run_path(const Options& options);
int run_stat(const Options& options);
int run_list(const Options& options);
int run_verify(const Options& options);
int run_prune(const Options& options);
int run_warm(const Options& options);

} // namespace ptxshim::tool
