// SPDX-License-Identifier: MIT
// ptxshim-run: executes a kernel of an AMD code object on the virtual GPU, without HIP.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "arguments.h"
#include "coverage.h"
#include "loader.h"

namespace {

using namespace ptxshim;
using namespace ptxshim::vgpu;

constexpr const char* kUsage =
    "usage: ptxshim-run code.co KERNEL [--grid X[,Y,Z]] [--block X[,Y,Z]] [--shared BYTES] [--threads N]\n"
    "                   [--target GFX] [--arg ARGUMENT]...\n"
    "       ptxshim-run code.co --list\n"
    "       ptxshim-run --coverage [GFX]\n"
    "Runs one kernel of an AMD code object on the virtual GPU and prints the buffers that were given to it.\n"
    "  --grid     work groups in each dimension (default 1)\n"
    "  --block    work-items of a group in each dimension (default 1)\n"
    "  --shared   bytes of dynamic LDS\n"
    "  --arg      TYPE:VALUE, buf:TYPE:V1,V2,... or out:TYPE:COUNT; types u8 i8 u16 i16 u32 i32 u64 i64 f32 f64\n"
    "  --list     print the kernels and variables of the code object\n"
    "  --coverage count the opcodes of a target by what becomes of them; name the approximate ones\n"
    "Exit status: 0 the kernel ended, 1 it stopped with a fault, 2 wrong usage.\n";

int fail(const std::string& what) {
  std::fprintf(stderr, "ptxshim-run: %s\n", what.c_str());
  return 2;
}

bool parse_triple(const char* text, uint32_t out[3]) {
  for (int i = 0; i < 3; ++i) {
    char* end = nullptr;
    const unsigned long value = std::strtoul(text, &end, 0);
    if (end == text || value == 0 || value > 0xffffffffUL) return false;
    out[i] = static_cast<uint32_t>(value);
    if (*end == '\0') return true;
    if (*end != ',' && *end != 'x') return false;
    text = end + 1;
  }
  return false;
}

struct Options {
  std::string file, kernel, target;
  bool list = false;
  uint32_t threads = 0;
  Launch launch;
  std::vector<CommandArgument> arguments;
};

// Empty: good.
std::string parse_options(int argc, char** argv, Options& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option.compare(0, 2, "--") != 0) {
      (out.file.empty() ? out.file : out.kernel) = option;
      continue;
    }
    if (option == "--list") {
      out.list = true;
      continue;
    }
    if (++i >= argc) return option + " needs a value";
    if (option == "--grid") {
      if (!parse_triple(argv[i], out.launch.blocks)) return "--grid: not a size";
    } else if (option == "--block") {
      if (!parse_triple(argv[i], out.launch.threads)) return "--block: not a size";
    } else if (option == "--shared") {
      out.launch.dynamic_shared = static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 0));
    } else if (option == "--threads") {
      out.threads = static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 0));
    } else if (option == "--target") {
      out.target = argv[i];
    } else if (option == "--arg") {
      Result<CommandArgument> argument = parse_argument(argv[i]);
      if (!argument) return argument.error().message;
      out.arguments.push_back(std::move(argument).value());
    } else {
      return "unknown option " + option;
    }
  }
  return out.file.empty() ? "no code object given" : "";
}

int list(const LoadedObject& object) {
  std::printf("target %s\n", object.target.c_str());
  for (const LoadedKernel& kernel : object.kernels) {
    std::printf("kernel %s: kernarg %u, LDS %u, scratch %u bytes\n", kernel.name.c_str(), kernel.kernarg_bytes,
                kernel.group_bytes, kernel.private_bytes);
    for (const KernelArgument& argument : kernel.arguments)
      if (!argument.hidden()) std::printf("  +%u: %u bytes, %s\n", argument.offset, argument.size, argument.kind.c_str());
  }
  for (const auto& [name, symbol] : object.variables)
    std::printf("variable %s: %llu bytes\n", name.c_str(), static_cast<unsigned long long>(symbol.size));
  return 0;
}

int run(Options& options, std::span<const std::byte> elf) {
  if (options.target.empty()) {
    Result<std::string> target = code_object_target(elf);
    if (!target) return fail(target.error().message);
    options.target = *target;
  }
  DirectDevice device(options.target, options.threads);
  Result<LoadedObject> object = device.load(elf);
  if (!object) return fail(object.error().message);
  if (options.list) return list(*object);
  const LoadedKernel* const kernel = object->find_kernel(options.kernel);
  if (!kernel) return fail("no kernel named '" + options.kernel + "' in " + options.file);
  Result<std::vector<std::byte>> segment = place_arguments(options.arguments, *kernel, device.memory());
  if (!segment) return fail(segment.error().message);
  options.launch.arguments = std::move(segment).value();
  const DispatchOutcome outcome = device.launch(*kernel, options.launch);
  if (outcome.fault != Fault::None) {
    std::fprintf(stderr, "ptxshim-run: %s\n", outcome.report.c_str());
    return 1;
  }
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    const CommandArgument& argument = options.arguments[i];
    if (argument.buffer)
      std::printf("%zu: %s\n", i, print_elements(argument.type, device.memory().host(argument.address), argument.bytes.size()).c_str());
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !std::strcmp(argv[1], "--help")) {
    std::fputs(kUsage, argc < 2 ? stderr : stdout);
    return argc < 2 ? 2 : 0;
  }
  if (!std::strcmp(argv[1], "--coverage")) return print_coverage(argc > 2 ? argv[2] : "");
  Options options;
  const std::string error = parse_options(argc, argv, options);
  if (!error.empty()) return fail(error);
  std::ifstream file(options.file, std::ios::binary);
  if (!file) return fail("cannot read " + options.file);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return run(options, std::as_bytes(std::span<const char>(bytes)));
}
