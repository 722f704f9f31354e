// SPDX-License-Identifier: MIT
// ptxshim-run: executes kernels of an AMD code object on the virtual GPU, without HIP.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

#include "arguments.h"
#include "coverage.h"
#include "loader.h"

namespace {

using namespace ptxshim;
using namespace ptxshim::vgpu;

constexpr const char* kUsage =
    "usage: ptxshim-run code.co KERNEL [option]... [--then KERNEL [option]...]...\n"
    "       ptxshim-run code.co --list\n"
    "       ptxshim-run --coverage [GFX]\n"
    "Runs kernels of an AMD code object on the virtual GPU, without HIP, and prints the buffers that were given to them.\n"
    "The target is the one that the code object was made for.\n"
    "\n"
    "Of a kernel:\n"
    "  --grid X[,Y,Z]     work groups in each dimension (default 1)\n"
    "  --block X[,Y,Z]    work-items of a group in each dimension (default 1)\n"
    "  --shared BYTES     dynamic LDS\n"
    "  --arg ARGUMENT     one for each parameter of the kernel, in order:\n"
    "      TYPE:VALUE         a value; TYPE:V1,V2,... an array or a structure\n"
    "      hex:0A1B...        a structure, byte by byte\n"
    "      buf:TYPE:V1,V2,... a buffer with these elements; V*COUNT repeats a value\n"
    "      out:TYPE:COUNT     a buffer of zeros\n"
    "      rand:TYPE:COUNT[:SEED]  a buffer of random integers, or of floats in [0, 1)\n"
    "      file:TYPE:PATH     a buffer with what a file has\n"
    "      NAME=BUFFER        any of these buffers, with a name\n"
    "      NAME               the buffer of an earlier argument, also of an earlier kernel\n"
    "    TYPE is one of u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64.\n"
    "  --then KERNEL      another kernel, once this one has ended\n"
    "Of all:\n"
    "  --repeat N         run the kernels N times and print how long each took\n"
    "  --print N          print at most N elements of a buffer (default: all)\n"
    "  --save BUFFER=PATH write a buffer (by its name or number) to a file rather than print it\n"
    "  --threads N        host threads that execute work groups (default: one per core)\n"
    "  --list             print the kernels and variables of the code object\n"
    "  --coverage [GFX]   count the opcodes of a target by what becomes of them; name the approximate ones\n"
    "Exit status: 0 the kernels ended, 1 one stopped with a fault, 2 wrong usage or a damaged code object.\n";

int fail(const std::string& what) {
  std::fprintf(stderr, "ptxshim-run: %s\n", what.c_str());
  return 2;
}

bool parse_number(const char* text, uint64_t most, uint64_t& out) {
  char* end = nullptr;
  errno = 0;
  out = std::strtoull(text, &end, 0);
  return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && out <= most;
}

bool parse_triple(const std::string& text, uint32_t out[3]) {
  size_t begin = 0;
  for (int i = 0; i < 3; ++i) {
    const size_t end = std::min(text.find_first_of(",x", text.compare(begin, 2, "0x") == 0 ? begin + 2 : begin), text.size());
    uint64_t value = 0;
    if (!parse_number(text.substr(begin, end - begin).c_str(), UINT32_MAX, value) || value == 0) return false;
    out[i] = static_cast<uint32_t>(value);
    if (end == text.size()) return true;
    begin = end + 1;
  }
  return false;
}

struct Request {
  std::string kernel;
  Launch launch;
  std::vector<CommandArgument> arguments;
};

struct Saved {
  std::string buffer, path;
  bool done = false;
};

struct Options {
  std::string file;
  bool list = false;
  uint64_t threads = 0, repeat = 0, most_elements = UINT64_MAX;
  std::vector<Request> requests;
  std::vector<Saved> saved;
};

// Empty: good. The option has a value.
std::string parse_option(const std::string& option, const char* value, Options& out) {
  const auto number = [&](uint64_t most, uint64_t& to) { return parse_number(value, most, to) ? "" : option + " " + value + ": not a number in its range"; };
  if (option == "--threads") return number(1024, out.threads);
  if (option == "--repeat") return number(1000000, out.repeat);
  if (option == "--print") return number(UINT64_MAX, out.most_elements);
  if (option == "--save") {
    const char* const equals = std::strchr(value, '=');
    if (!equals || equals == value || !equals[1]) return "--save " + std::string(value) + ": BUFFER=PATH is wanted";
    out.saved.push_back({std::string(value, equals), equals + 1});
    return "";
  }
  if (out.requests.empty()) return option + " stands before the kernel that it is for";
  if (option == "--then") {
    out.requests.push_back({value, {}, {}});
    return "";
  }
  Request& request = out.requests.back();
  if (option == "--grid") return parse_triple(value, request.launch.blocks) ? "" : "--grid " + std::string(value) + ": not a size";
  if (option == "--block") return parse_triple(value, request.launch.threads) ? "" : "--block " + std::string(value) + ": not a size";
  if (option == "--shared") {
    uint64_t bytes = 0;
    std::string wrong = number(UINT32_MAX, bytes);
    request.launch.dynamic_shared = static_cast<uint32_t>(bytes);
    return wrong;
  }
  if (option != "--arg") return "unknown option " + option + "; --help lists them";
  Result<CommandArgument> argument = parse_argument(value);
  if (!argument) return argument.error().message;
  request.arguments.push_back(std::move(argument).value());
  return "";
}

std::string parse_options(int argc, char** argv, Options& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--list") {
      out.list = true;
    } else if (word.starts_with("--")) {
      if (++i >= argc) return word + " needs a value";
      if (std::string wrong = parse_option(word, argv[i], out); !wrong.empty()) return wrong;
    } else if (out.file.empty()) {
      out.file = word;
    } else if (out.requests.empty()) {
      out.requests.push_back({word, {}, {}});
    } else {
      return "'" + word + "' is one too many; another kernel is given by --then";
    }
  }
  if (out.file.empty()) return "no code object given";
  return out.list || !out.requests.empty() ? "" : "no kernel given; --list shows what the code object has";
}

int list(const LoadedObject& object) {
  std::printf("target %s\n", object.target.c_str());
  for (const LoadedKernel& kernel : object.kernels) {
    std::printf("kernel %s: kernarg %u, LDS %u, scratch %u bytes\n", kernel.name.c_str(), kernel.kernarg_bytes,
                kernel.group_bytes, kernel.private_bytes);
    for (const KernelArgument& argument : kernel.arguments)
      if (!argument.hidden())
        std::printf("  +%u: %u bytes, %s%s%s\n", argument.offset, argument.size, argument.kind.c_str(), argument.name.empty() ? "" : ", ",
                    argument.name.c_str());
  }
  for (const auto& [name, symbol] : object.variables)
    std::printf("variable %s: %llu bytes\n", name.c_str(), static_cast<unsigned long long>(symbol.size));
  return 0;
}

// Insertions, deletions and replacements that make one from the other.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string no_such_kernel(const std::string& name, const LoadedObject& object) {
  std::string text = "no kernel named '" + name + "'";
  if (object.kernels.empty()) return text + ": the code object has none";
  const LoadedKernel* nearest = &object.kernels[0];
  for (const LoadedKernel& kernel : object.kernels)
    if (distance(name, kernel.name) < distance(name, nearest->name)) nearest = &kernel;
  if (distance(name, nearest->name) <= 1 + name.size() / 3) return text + "; did you mean '" + nearest->name + "'?";
  text += "; there are";
  for (size_t i = 0; i < object.kernels.size() && i < 20; ++i) text += (i ? ", " : " ") + object.kernels[i].name;
  return object.kernels.size() > 20 ? text + ", ..." : text;
}

// 0, or the exit status.
int run_kernels(Options& options, DirectDevice& device, const std::vector<const LoadedKernel*>& kernels) {
  const uint64_t rounds = std::max<uint64_t>(options.repeat, 1);
  std::vector<std::vector<double>> microseconds(kernels.size());
  for (uint64_t round = 0; round < rounds; ++round)
    for (size_t i = 0; i < kernels.size(); ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const DispatchOutcome outcome = device.launch(*kernels[i], options.requests[i].launch);
      microseconds[i].push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
      if (outcome.fault == Fault::None) continue;
      std::fprintf(stderr, "ptxshim-run: %s\n", outcome.report.c_str());
      return 1;
    }
  for (size_t i = 0; options.repeat && i < kernels.size(); ++i) {
    std::sort(microseconds[i].begin(), microseconds[i].end());
    std::printf("%s: %.1f us at least, %.1f us median of %llu\n", kernels[i]->name.c_str(), microseconds[i].front(),
                microseconds[i][microseconds[i].size() / 2], static_cast<unsigned long long>(rounds));
  }
  return 0;
}

// 0, or the exit status.
int put_out(Options& options, const DirectDevice& device, const std::vector<Buffer>& buffers) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& buffer = buffers[i];
    const std::string name = buffer.name.empty() ? std::to_string(i) : buffer.name;
    const char* const bytes = reinterpret_cast<const char*>(device.memory().host(buffer.address));
    bool saved = false;
    for (Saved& one : options.saved) {
      if (one.buffer != name && one.buffer != std::to_string(i)) continue;
      std::ofstream file(one.path, std::ios::binary | std::ios::trunc);
      if (!file.write(bytes, static_cast<std::streamsize>(buffer.bytes)) || !file.flush())
        return fail("cannot write " + one.path + ": " + std::strerror(errno));
      one.done = saved = true;
    }
    if (!saved)
      std::printf("%s: %s\n", name.c_str(), print_elements(*buffer.type, device.memory().host(buffer.address), buffer.bytes, options.most_elements).c_str());
  }
  for (const Saved& one : options.saved)
    if (!one.done) return fail("--save " + one.buffer + "=" + one.path + ": there is no such buffer");
  return 0;
}

int run(Options& options, std::span<const std::byte> elf) {
  Result<std::string> target = code_object_target(elf);
  if (!target) return fail(options.file + ": " + target.error().message);
  DirectDevice device(*target, static_cast<uint32_t>(options.threads));
  Result<LoadedObject> object = device.load(elf);
  if (!object) return fail(options.file + ": " + object.error().message);
  if (options.list) return list(*object);
  std::vector<const LoadedKernel*> kernels;
  std::vector<Buffer> buffers;
  for (Request& request : options.requests) {
    kernels.push_back(object->find_kernel(request.kernel));
    if (!kernels.back()) return fail(options.file + ": " + no_such_kernel(request.kernel, *object));
    Result<std::vector<std::byte>> segment = place_arguments(request.arguments, *kernels.back(), device.memory(), buffers);
    if (!segment) return fail(segment.error().message);
    request.launch.arguments = std::move(segment).value();
  }
  const int stopped = run_kernels(options, device, kernels);
  return stopped ? stopped : put_out(options, device, buffers);
}

int run_command_line(int argc, char** argv) {
  Options options;
  if (const std::string wrong = parse_options(argc, argv, options); !wrong.empty()) return fail(wrong);
  std::error_code error;
  if (std::filesystem::is_directory(options.file, error)) return fail(options.file + " is a directory");
  std::ifstream file(options.file, std::ios::binary);
  if (!file) return fail("cannot read " + options.file + ": " + std::strerror(errno));
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return run(options, std::as_bytes(std::span<const char>(bytes)));
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !std::strcmp(argv[1], "--help")) {
    std::fputs(kUsage, argc < 2 ? stderr : stdout);
    return argc < 2 ? 2 : 0;
  }
  if (!std::strcmp(argv[1], "--coverage")) return print_coverage(argc > 2 ? argv[2] : "");
  try {
    return run_command_line(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail("not enough memory");
  }
}
