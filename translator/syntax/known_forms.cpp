// SPDX-License-Identifier: MIT
#include <array>
#include <mutex>

#include "syntax/forms.h"

namespace ptxshim::ptx {
namespace {

struct KnownForm {
  Op op;
  const char* syntax;
  const char* slots;
};
constexpr KnownForm kKnownForms[] = {
#define FORM(op, syntax, slots) {Op::op, syntax, slots},
#include "syntax/ptx_forms.def"
};

} // namespace

const std::vector<CompiledForm>& known_forms(Op op) {
  constexpr size_t kOps = static_cast<size_t>(Op::kInvalid);
  static std::array<std::once_flag, kOps> once;
  static std::array<std::vector<CompiledForm>, kOps> forms;
  const size_t index = static_cast<size_t>(op);
  std::call_once(once[index], [&] {
    for (const KnownForm& known : kKnownForms)
      if (known.op == op) forms[index].push_back(compile(Form{known.syntax, known.slots}));
  });
  return forms[index];
}

} // namespace ptxshim::ptx
