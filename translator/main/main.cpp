// SPDX-License-Identifier: MIT
// ptxshimc: the translator as a compiler, and (--worker) as the runtime's helper process.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>

#include "lower/translator.h"
#include "main/options.h"
#include "main/report.h"
#include "ptxshim/worker.h"
#include "syntax/parse.h"

namespace ptxshim::compiler {

static constexpr int kFailed = 1, kUsage = 2;

static void complain(const std::string& message) {
  const bool placed = message.find(": error: ") != std::string::npos;
  std::fprintf(stderr, "%s%s%s", placed ? "" : "ptxshimc: error: ", message.c_str(),
               message.empty() || message.back() != '\n' ? "\n" : "");
}

static bool read_input(const std::string& name, std::string& text) {
  if (name == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    return !std::cin.bad();
  }
  std::ifstream file(name, std::ios::binary);
  if (!file) return false;
  text.assign(std::istreambuf_iterator<char>(file), {});
  return !file.bad();
}

static bool write_output(const std::string& name, const char* data, size_t size) {
  std::FILE* file = name == "-" ? stdout : std::fopen(name.c_str(), "wb");
  if (!file) return false;
  const bool written = std::fwrite(data, 1, size, file) == size;
  return (file == stdout ? std::fflush(file) : std::fclose(file)) == 0 && written;
}

static int print_ast(const Options& options, const TranslateRequest& request) {
  std::string text;
  for (size_t n = 0; n < request.modules.size(); ++n) {
    const Result<ptx::Module> parsed = ptx::parse_module(request.modules[n], request.names[n]);
    if (!parsed) {
      complain(parsed.error().message);
      return kFailed;
    }
    text += ptx::print(*parsed);
  }
  const std::string name = output_name(options, options.targets[0]);
  if (write_output(name, text.data(), text.size())) return 0;
  complain(name + ": " + std::strerror(errno));
  return kFailed;
}

static ptx::Emit emit_of(const Options& options) {
  switch (options.stage) {
  case Stage::Ir:
    return options.unoptimised_ir ? ptx::Emit::UnoptimisedIr : ptx::Emit::Ir;
  case Stage::Assembly:
    return ptx::Emit::Assembly;
  case Stage::Ast:
  case Stage::CodeObject:
    return ptx::Emit::CodeObject;
  }
  return ptx::Emit::CodeObject;
}

// Kernels that were not translated make the exit status 1; what was translated is written all the same.
static int translate_for(const Options& options, TranslateRequest request, const std::string& target) {
  request.target = target;
  std::string text;
  const Result<CodeObject> result = ptx::translate_to(request, emit_of(options), text);
  if (!result) {
    complain(result.error().message);
    return kFailed;
  }
  int status = 0;
  for (const KernelInfo& kernel : result->kernels)
    if (!kernel.error.empty()) {
      complain(kernel.error);
      std::fprintf(stderr, "ptxshimc: note: kernel '%s' was not translated for %s\n", kernel.name.c_str(),
                   target.c_str());
      status = kFailed;
    }
  if (options.verbose) std::fputs(usage_report(*result).c_str(), stderr);
  const bool is_text = options.stage != Stage::CodeObject;
  const char* data = is_text ? text.data() : reinterpret_cast<const char*>(result->elf.data());
  const size_t size = is_text ? text.size() : result->elf.size();
  if (size == 0) return status;
  const std::string name = output_name(options, target);
  if (write_output(name, data, size)) return status;
  complain(name + ": " + std::strerror(errno));
  return kFailed;
}

static int list_kernels(const TranslateRequest& request) {
  TranslateRequest first = request;
  std::string text;
  const Result<CodeObject> result = ptx::translate_to(first, ptx::Emit::UnoptimisedIr, text);
  if (!result) {
    complain(result.error().message);
    return kFailed;
  }
  std::fputs(kernel_list(*result).c_str(), stdout);
  return 0;
}

static int run(int count, char** arguments) {
  const Result<Options> parsed = parse_command_line(count, arguments);
  if (!parsed) {
    complain(parsed.error().message);
    return kUsage;
  }
  const Options& options = *parsed;
  switch (options.action) {
  case Action::Help:
    std::fputs(help_text(), stdout);
    return 0;
  case Action::Version:
    std::fputs(version_text().c_str(), stdout);
    return 0;
  case Action::Worker:
    return worker_main(0, translate);
  case Action::Translate:
  case Action::ListKernels:
    break;
  }
  TranslateRequest request;
  request.name = options.inputs[0] == "-" ? "<stdin>" : options.inputs[0];
  request.target = options.targets[0];
  request.code_object_version = options.code_object_version;
  request.optimisation = options.optimisation;
  request.debug_info = options.debug_info;
  request.max_registers = options.max_registers;
  request.wave_size = options.wave_size;
  request.kernels = options.kernels;
  for (const std::string& input : options.inputs) {
    request.names.push_back(input == "-" ? "<stdin>" : input);
    request.modules.emplace_back();
    if (!read_input(input, request.modules.back())) {
      complain(input + ": " + std::strerror(errno));
      return kFailed;
    }
  }
  if (options.action == Action::ListKernels) return list_kernels(request);
  if (options.stage == Stage::Ast) return print_ast(options, request);
  int status = 0;
  for (const std::string& target : options.targets)
    status = std::max(status, translate_for(options, request, target));
  return status;
}

} // namespace ptxshim::compiler

int main(int count, char** arguments) {
  try {
    return ptxshim::compiler::run(count, arguments);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "ptxshimc: error: %s\n", problem.what());
    return 1;
  }
}
