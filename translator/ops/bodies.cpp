// SPDX-License-Identifier: MIT
// The table from rows to bodies. A Ready row names ops::NAME::kBody and so does not link without its file.
#include "ops/op.h"

#define PTXSHIM_READY(name)                                                                                  \
  namespace name {                                                                                           \
  extern const OpBody kBody;                                                                                 \
  }
#define PTXSHIM_LATER(name)

namespace ptxshim::ptx::ops {
// The status column chooses the macro by its name.
#define PTXSHIM_STATUS_Ready PTXSHIM_READY
#define PTXSHIM_STATUS_Later PTXSHIM_LATER
#define OP(name, spelling, traits, status) PTXSHIM_STATUS_##status(name)
#include "ops.def"
static constexpr OpBody kNotYet{};
} // namespace ptxshim::ptx::ops

#undef PTXSHIM_READY
#undef PTXSHIM_LATER
#define PTXSHIM_READY(name) &ops::name::kBody,
#define PTXSHIM_LATER(name) &ops::kNotYet,

namespace ptxshim::ptx {

static constexpr const OpBody* kBodies[] = {
#define OP(name, spelling, traits, status) PTXSHIM_STATUS_##status(name)
#include "ops.def"
};

const OpBody& body_of(Op op) {
  const size_t row = static_cast<size_t>(op);
  return row < std::size(kBodies) ? *kBodies[row] : ops::kNotYet;
}
std::span<const Form> forms_of(Op op) { return body_of(op).forms; }

} // namespace ptxshim::ptx
