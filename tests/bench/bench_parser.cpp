// SPDX-License-Identifier: MIT
// The parser on one core: MB/s of lexing alone and of everything up to the checked module, bytes of AST per byte of text, and texts
// that are large in one way each. bench_parser FILE… [--huge]; the files are repeated to 64 MB under new names.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace ptxshim::ptx {
namespace {

// Processor time: what else the machine does does not count.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

const std::string kHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

size_t bytes_of(const Module& module) {
  size_t bytes = module.operands.size() * sizeof(Operand) + module.modifiers.size() * sizeof(Mod) + module.names.size() * sizeof(std::string_view) +
                 module.symbols.size() * sizeof(Symbol) + module.functions.size() * sizeof(Function);
  for (const Function& function : module.functions) bytes += function.body.size() * sizeof(Instruction) + function.registers.size() * sizeof(RegisterInfo);
  for (const Symbol& symbol : module.symbols) bytes += symbol.initializers.size() * sizeof(Initializer);
  return bytes;
}

// The text without its opening directives, its kernels and variables renamed for each copy (files without functions).
std::string repeated(const std::string& text, size_t size) {
  const size_t start = text.find('\n', text.find(".address_size"));
  std::string all = kHead;
  for (size_t copy = 0; all.size() < size; ++copy) {
    std::string part = text.substr(start);
    for (const char* word : {".entry ", ".global .align"})
      for (size_t at = part.find(word); at != std::string::npos; at = part.find(word, at + 1)) {
        const bool variable = word[1] == 'g';
        const size_t end = part.find_first_of(variable ? "[;=" : "(", at);
        if (end != std::string::npos) part.insert(end, "_" + std::to_string(copy));
      }
    all += part;
  }
  return all;
}

void lexing(const std::string& text) {
  const double start = now();
  Lexer lexer(text);
  Token token;
  size_t tokens = 0;
  for (lexer.next(token); token.kind != Tok::End; lexer.next(token)) ++tokens;
  const double seconds = now() - start;
  std::printf("%-40s %7.1f MB/s  (%.0f million tokens/s)\n", "lexing alone", static_cast<double>(text.size()) / seconds / 1e6,
              static_cast<double>(tokens) / seconds / 1e6);
}

void whole(const char* name, const std::string& text) {
  const double start = now();
  const Result<Module> module = parse_module(text, "bench.ptx");
  const double seconds = now() - start;
  if (!module) {
    std::printf("%-40s failed: %s\n", name, module.error().message.substr(0, 300).c_str());
    return;
  }
  std::printf("%-40s %7.1f MB/s  %6.2f s for %.1f MB, %.1f bytes of AST a byte\n", name, static_cast<double>(text.size()) / seconds / 1e6, seconds,
              static_cast<double>(text.size()) / 1e6, static_cast<double>(bytes_of(*module)) / static_cast<double>(text.size()));
}

std::string kernel(const std::string& body) {
  return kHead + ".entry k(.param .u64 p) {\n.reg .pred %p<4>; .reg .b32 %r<99>; .reg .b64 %d<9>; .reg .f32 %f<9>;\n" + body + "ret;\n}\n";
}

void large() {
  std::string text;
  for (size_t i = 0; i < 2000000; ++i) text += "add.s32 %r" + std::to_string(i % 99) + ", %r" + std::to_string(i % 7) + ", " + std::to_string(i) + ";\n";
  whole("one function of 2,000,000 instructions", kernel(text));
  text.clear();
  for (size_t i = 0; i < 100000; ++i) text += "@%p1 bra L" + std::to_string(100000 - 1 - i) + ";\nL" + std::to_string(i) + ":\n";
  whole("100,000 labels, referred to backwards", kernel(text));
  text = kHead;
  for (size_t i = 0; i < 10000; ++i) text += ".func f" + std::to_string(i) + "() { .reg .b32 a; mov.u32 a, " + std::to_string(i) + "; ret; }\n";
  whole("10,000 functions", text);
  text.clear();
  for (size_t i = 0; i < 64; ++i) text += "{ .reg .b32 a; mov.u32 a, 1;\n";
  whole("64 nested scopes", kernel(text + std::string(64, '}')));
  const std::string name(1u << 20, 'n');
  whole("a name of 1 MB", kernel(".reg .b32 " + name + "; mov.u32 " + name + ", 1;\n"));
}

} // namespace
} // namespace ptxshim::ptx

int main(int argc, char** argv) {
  using namespace ptxshim::ptx;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--huge") {
      std::string body;
      while (body.size() < 300000000) body += "ld.global.f32 %f1, [%d1+16];\nfma.rn.f32 %f2, %f1, %f3, %f2;\nadd.s64 %d1, %d1, 64;\n";
      whole("a module of 300 MB", kernel(body));
      continue;
    }
    const std::string text = repeated(read_file(argv[i]), 64000000);
    lexing(text);
    whole(std::string(argv[i]).substr(std::string(argv[i]).rfind('/') + 1).c_str(), text);
  }
  large();
}
