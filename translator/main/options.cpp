// SPDX-License-Identifier: MIT
#include "main/options.h"

#include <charconv>
#include <string_view>

#include "ptxshim/target.h"

namespace ptxshim::compiler {

const char* help_text() {
  return R"(usage: ptxshimc [options] FILE.ptx...
Translates PTX to AMD code objects. Several files are linked into one. FILE may be - for standard input.

  -o FILE                   where to write; - is standard output. %t in FILE stands for the target. With several targets and no %t
                            the target goes before the extension (out.co -> out-gfx1030.co). Default: the input's name with .co
                            for code objects, standard output for the other stages
  --target NAME[,NAME...]   what to translate for (default gfx1030)
  --emit=ast|ir|asm|co      the stage to write: the checked PTX, LLVM IR (with -O0: before optimisation), assembly, or the code
                            object (default)
  --kernel NAME             translate this kernel only (may be repeated)
  --list-kernels            print the kernels and their parameters
  --code-object-version N   4 (HIP 5) or 5 (default)
  --max-registers N         most vector registers of a thread (24 to 255), where a kernel has no .maxnreg
  --wave-size N             lanes a wave: 64 where the target would have 32 (default: the target's own); two warps then share a wave
  -O0 ... -O3               accepted as for ptxas; code is always optimised
  -g                        line tables of the PTX text itself where it has no .loc (.loc makes line tables in any case)
  -v, --verbose             print each kernel's use of registers, shared memory and scratch
  --version                 print the version and the targets
  --help                    print this
  --worker                  serve the runtime's requests on standard input

Exit status: 0 when all was translated; 1 when the PTX has errors or a kernel could not be translated (the others are written);
2 when the command line is wrong.
)";
}

static bool number(std::string_view text, uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

static Error usage(const std::string& message) { return {CUDA_ERROR_INVALID_VALUE, message}; }

static void split(std::string_view list, std::vector<std::string>& out) {
  for (size_t begin = 0; begin <= list.size();) {
    size_t end = list.find(',', begin);
    if (end == std::string_view::npos) end = list.size();
    if (end > begin) out.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

namespace {

// Options with a value: --name value or --name=value.
class Arguments {
public:
  Arguments(int count, char** arguments) : next_(arguments + 1), end_(arguments + count) {}
  bool more() const { return next_ < end_; }
  std::string_view take() { return *next_++; }

  // Whether `argument` is `name`; then `value` is its value, or `missing` is set.
  bool valued(std::string_view argument, std::string_view name, std::string& value) {
    if (argument.substr(0, name.size()) != name) return false;
    if (argument.size() == name.size()) {
      missing = !more();
      if (!missing) value = take();
      return true;
    }
    if (argument[name.size()] != '=') return false;
    value = argument.substr(name.size() + 1);
    return true;
  }
  bool missing = false;

private:
  char** next_;
  char** end_;
};

} // namespace

static bool set_stage(std::string_view value, Options& options) {
  if (value == "ast")
    options.stage = Stage::Ast;
  else if (value == "ir")
    options.stage = Stage::Ir;
  else if (value == "asm")
    options.stage = Stage::Assembly;
  else if (value == "co")
    options.stage = Stage::CodeObject;
  else
    return false;
  return true;
}

static bool set_flag(std::string_view argument, Options& options) {
  if (argument == "--help" || argument == "-h")
    options.action = Action::Help;
  else if (argument == "--version")
    options.action = Action::Version;
  else if (argument == "--worker")
    options.action = Action::Worker;
  else if (argument == "--list-kernels")
    options.action = Action::ListKernels;
  else if (argument == "-v" || argument == "--verbose")
    options.verbose = true;
  else if (argument == "-g")
    options.debug_info = true;
  else if (argument.size() == 3 && argument.substr(0, 2) == "-O" && argument[2] >= '0' && argument[2] <= '3')
    options.optimisation = static_cast<uint32_t>(argument[2] - '0');
  else
    return false;
  return true;
}

static Result<bool> set_value(std::string_view argument, Arguments& arguments, Options& options) {
  std::string value;
  uint32_t* target = nullptr;
  if (arguments.valued(argument, "-o", value) || arguments.valued(argument, "--output", value))
    options.output = value;
  else if (arguments.valued(argument, "--target", value))
    split(value, options.targets);
  else if (arguments.valued(argument, "--kernel", value))
    options.kernels.push_back(value);
  else if (arguments.valued(argument, "--emit", value)) {
    if (!arguments.missing && !set_stage(value, options))
      return usage("--emit takes ast, ir, asm or co, not '" + value + "'");
  } else if (arguments.valued(argument, "--code-object-version", value))
    target = &options.code_object_version;
  else if (arguments.valued(argument, "--max-registers", value))
    target = &options.max_registers;
  else if (arguments.valued(argument, "--wave-size", value))
    target = &options.wave_size;
  else
    return false;
  if (arguments.missing) return usage(std::string(argument) + " needs a value");
  if (target && !number(value, *target))
    return usage(std::string(argument) + " needs a number, not '" + value + "'");
  return true;
}

static Result<void> check(Options& options) {
  if (options.action != Action::Translate && options.action != Action::ListKernels) return {};
  if (options.inputs.empty()) return usage("no input file");
  if (options.targets.empty()) options.targets.push_back("gfx1030");
  for (const std::string& target : options.targets)
    if (!find_target(target)) return usage("no such target: '" + target + "' (--version lists them)");
  if (options.code_object_version != 4 && options.code_object_version != 5)
    return usage("--code-object-version is 4 or 5");
  options.unoptimised_ir = options.stage == Stage::Ir && options.optimisation == 0;
  return {};
}

Result<Options> parse_command_line(int count, char** given) {
  Options options;
  Arguments arguments(count, given);
  while (arguments.more()) {
    const std::string_view argument = arguments.take();
    if (argument == "-" || argument.empty() || argument[0] != '-') {
      options.inputs.emplace_back(argument);
      continue;
    }
    if (set_flag(argument, options)) continue;
    const Result<bool> known = set_value(argument, arguments, options);
    if (!known) return known.error();
    if (!*known) return usage("unknown option '" + std::string(argument) + "'");
  }
  if (Result<void> right = check(options); !right) return right.error();
  return options;
}

std::string output_name(const Options& options, const std::string& target) {
  std::string name = options.output;
  if (name.empty()) {
    if (options.stage != Stage::CodeObject) return "-";
    name = options.inputs[0] == "-" ? "out" : options.inputs[0];
    const size_t slash = name.rfind('/'), dot = name.rfind('.');
    if (dot != std::string::npos && (slash == std::string::npos || dot > slash)) name.resize(dot);
    name += ".co";
  }
  if (const size_t place = name.find("%t"); place != std::string::npos) return name.replace(place, 2, target);
  if (options.targets.size() == 1 || name == "-") return name;
  const size_t slash = name.rfind('/'), dot = name.rfind('.');
  const bool has_extension = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  return name.insert(has_extension ? dot : name.size(), "-" + target);
}

} // namespace ptxshim::compiler
