// SPDX-License-Identifier: MIT
// libFuzzer target for lexer, parser, checker and printer: whatever the bytes, a module or an error that says why; and what is
// printed parses to the same module again.
//   ninja ptx_parser_fuzz && bin/ptx_parser_fuzz -max_len=4096 -dict=tests/fuzz/ptx.dict corpus tests/translator/data
#include <cstdio>
#include <cstdlib>

#include "syntax/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace ptxshim::ptx;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ptxshim::Result<Module> module = parse_module(text, "fuzz.ptx");
  if (!module) {
    if (module.error().message.empty()) std::abort();
    return 0;
  }
  const std::string once = print(module.value());
  const ptxshim::Result<Module> again = parse_module(once, "printed.ptx");
  if (!again) {
    std::fprintf(stderr, "what was printed does not parse: %s\n", again.error().message.c_str());
    std::abort();
  }
  if (print(again.value()) != once) {
    std::fprintf(stderr, "printed again, it differs:\n%s\n---\n%s\n", once.c_str(), print(again.value()).c_str());
    std::abort();
  }
  return 0;
}
