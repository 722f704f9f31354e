// SPDX-License-Identifier: MIT
// A jump through a .branchtargets table. An index out of range is undefined in PTX; here it takes the first
// target.
#include "lower/function.h"
#include "ops/op.h"

PTXSHIM_OP(brx, {"brx.idx{u} a, label", "u?=.uni", "a:u32", 60, 30}) {
  const Operand& where = e.operand(1);
  if (where.kind != OperandKind::Prototype || where.index >= e.function.source.tables.size())
    return e.error("brx.idx needs the label of a .branchtargets list");
  const Table& table = e.function.source.tables[where.index];
  if (table.kind != Table::Kind::BranchTargets || table.entries.empty())
    return e.error("brx.idx needs the label of a .branchtargets list");
  llvm::SwitchInst* jump = e.ir.CreateSwitch(e.read(0, ScalarType::U32), e.function.label(table.entries[0]),
                                             static_cast<unsigned>(table.entries.size()));
  for (uint32_t n = 1; n < table.entries.size(); ++n)
    jump->addCase(e.ir.getInt32(n), e.function.label(table.entries[n]));
  return {};
}
