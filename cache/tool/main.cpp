// SPDX-License-Identifier: MIT
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "options.h"
#include "ptxshim/target.h"
#include "ptxshim/translate.h"

namespace ptxshim::tool {

namespace {

constexpr const char* kHelp =
    R"(usage: ptxshim-cache [--dir DIRECTORY] [--json] COMMAND ...

  path                     the cache's directory
  stat                     number and size of entries
  list                     every entry: key, target, kernels, size, last use
  verify [--remove]        check every entry; exit status 1 when some are damaged
  prune [--max-bytes N] [--other-builds] [--all]
                           remove the entries used longest ago until N bytes are left (default:
                           CUDA_CACHE_MAXSIZE), those of other versions of ptxshim, or all
  warm --target LIST [--code-object-version 4|5] [--jobs N] [--dry-run] [--verbose] PATH...
                           translate what executables, libraries, archives, .ptx and .fatbin files carry, for
                           all targets of the list (gfx1030,gfx1100), without running them and without a GPU.
                           Directories are searched. Exit status 1 when something could not be translated;
                           modules without PTX are warnings. The default code object version is the one that the HIP
                           runtime of this machine takes (4 for HIP 5, 5 for newer).

  --dir DIRECTORY          another cache than PTXSHIM_CACHE_DIR, CUDA_CACHE_PATH, XDG_CACHE_HOME or HOME name
  --json                   results as JSON, one object a line
  --version, --help
)";

struct Command {
  const char* name;
  int (*run)(const Options&);
};

constexpr Command kCommands[] = {
    {"path", run_path},     {"stat", run_stat},   {"list", run_list},
    {"verify", run_verify}, {"prune", run_prune}, {"warm", run_warm},
};

bool parse_number(const char* text, uint64_t& out) {
  const char* const end = text + std::strlen(text);
  const auto result = std::from_chars(text, end, out);
  return result.ec == std::errc() && result.ptr == end;
}

bool parse_targets(const std::string& list, Options& options) {
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = list.substr(begin, end - begin);
    if (!find_target(name)) {
      std::fprintf(stderr, "ptxshim-cache: error: unknown target '%s'; known are", name.c_str());
      for (const Target& target : kTargets)
        std::fprintf(stderr, " %s", target.name);
      std::fprintf(stderr, "\n");
      return false;
    }
    options.targets.push_back(name);
    begin = end + 1;
  }
  return true;
}

// One option with its value, if it has one; false after an error message.
bool parse_option(const std::string& option, const char* value, Options& options, bool& took_value) {
  uint64_t number = 0;
  const struct {
    const char* name;
    bool* flag;
  } flags[] = {{"--json", &options.json},       {"--dry-run", &options.dry_run},
               {"--verbose", &options.verbose}, {"--remove", &options.remove},
               {"--all", &options.all},         {"--other-builds", &options.other_builds}};
  for (const auto& flag : flags)
    if (option == flag.name) return *flag.flag = true;
  took_value = true;
  const bool wants_value = option == "--dir" || option == "--target" || option == "--code-object-version" ||
                           option == "--jobs" || option == "--max-bytes";
  if (!wants_value || !value) {
    std::fprintf(stderr, "ptxshim-cache: error: %s '%s'\n", wants_value ? "no value for" : "unknown option",
                 option.c_str());
    return false;
  }
  if (option == "--dir") {
    options.directory = value;
    return !options.directory.empty();
  }
  if (option == "--target") return parse_targets(value, options);
  if (!parse_number(value, number)) {
    std::fprintf(stderr, "ptxshim-cache: error: '%s' is not a number (%s)\n", value, option.c_str());
    return false;
  }
  if (option == "--jobs") options.jobs = number;
  if (option == "--max-bytes") options.max_bytes = number;
  if (option == "--code-object-version") {
    if (number != 4 && number != 5) {
      std::fprintf(stderr, "ptxshim-cache: error: code object versions are 4 and 5\n");
      return false;
    }
    options.code_object_version = static_cast<uint32_t>(number);
  }
  return true;
}

} // namespace

std::optional<Options> parse_options(int argc, char** argv, int& exit_status) {
  Options options;
  exit_status = 2;
  bool only_paths = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (only_paths || argument[0] != '-' || argument == "-") {
      if (options.command.empty())
        options.command = argument;
      else
        options.paths.push_back(argument);
      continue;
    }
    if (argument == "--") {
      only_paths = true;
      continue;
    }
    if (argument == "--help" || argument == "-h" || argument == "--version") {
      if (argument == "--version")
        std::printf("ptxshim-cache, translator %s\n", translator_build_id());
      else
        std::fputs(kHelp, stdout);
      exit_status = 0;
      return std::nullopt;
    }
    const size_t equals = argument.find('=');
    const bool joined = equals != std::string::npos;
    const std::string value = joined ? argument.substr(equals + 1) : i + 1 < argc ? argv[i + 1] : "";
    bool took_value = false;
    if (!parse_option(joined ? argument.substr(0, equals) : argument,
                      joined || i + 1 < argc ? value.c_str() : nullptr, options, took_value))
      return std::nullopt;
    if (took_value && !joined) ++i;
  }
  if (options.command.empty()) {
    std::fputs(kHelp, stderr);
    return std::nullopt;
  }
  return options;
}

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\u%04x", byte);
      out += buffer;
    } else {
      out += c;
    }
  }
  out += '"';
  return out;
}

} // namespace ptxshim::tool

int main(int argc, char** argv) {
  using namespace ptxshim::tool;
  int exit_status = 0;
  const auto options = parse_options(argc, argv, exit_status);
  if (!options) return exit_status;
  for (const Command& command : kCommands)
    if (options->command == command.name) return command.run(*options);
  std::fprintf(stderr, "ptxshim-cache: error: unknown command '%s' (--help lists them)\n",
               options->command.c_str());
  return 2;
}
