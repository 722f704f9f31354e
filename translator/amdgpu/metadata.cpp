// SPDX-License-Identifier: MIT
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/Object/ELF.h>

#include "amdgpu/backend.h"

namespace ptxshim::amdgpu {

using llvm::msgpack::DocNode;

static uint32_t number(llvm::msgpack::MapDocNode& kernel, llvm::StringRef key) {
  const auto found = kernel.find(key);
  if (found == kernel.end() || found->second.getKind() != llvm::msgpack::Type::UInt) return 0;
  return static_cast<uint32_t>(found->second.getUInt());
}

static KernelFacts facts_of(llvm::msgpack::MapDocNode& kernel) {
  KernelFacts facts;
  facts.vgprs = number(kernel, ".vgpr_count");
  facts.sgprs = number(kernel, ".sgpr_count");
  facts.vgpr_spills = number(kernel, ".vgpr_spill_count");
  facts.sgpr_spills = number(kernel, ".sgpr_spill_count");
  facts.shared_bytes = number(kernel, ".group_segment_fixed_size");
  facts.private_bytes = number(kernel, ".private_segment_fixed_size");
  facts.kernarg_bytes = number(kernel, ".kernarg_segment_size");
  facts.max_threads = number(kernel, ".max_flat_workgroup_size");
  facts.wave_size = number(kernel, ".wavefront_size");
  const auto dynamic = kernel.find(".uses_dynamic_stack");
  if (dynamic != kernel.end() && dynamic->second.getKind() == llvm::msgpack::Type::Boolean)
    facts.dynamic_stack = dynamic->second.getBool();
  return facts;
}

static void read_note(llvm::StringRef text, std::map<std::string, KernelFacts>& all) {
  llvm::msgpack::Document document;
  if (!document.readFromBlob(text, false) || document.getRoot().getKind() != llvm::msgpack::Type::Map) return;
  auto& root = document.getRoot().getMap();
  const auto kernels = root.find("amdhsa.kernels");
  if (kernels == root.end() || kernels->second.getKind() != llvm::msgpack::Type::Array) return;
  for (DocNode& node : kernels->second.getArray()) {
    if (node.getKind() != llvm::msgpack::Type::Map) continue;
    auto& kernel = node.getMap();
    const auto name = kernel.find(".name");
    if (name != kernel.end() && name->second.getKind() == llvm::msgpack::Type::String)
      all[name->second.getString().str()] = facts_of(kernel);
  }
}

Result<std::map<std::string, KernelFacts>> read_metadata(const std::vector<std::byte>& elf) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(elf.data()), elf.size());
  auto file = llvm::object::ELF64LEFile::create(bytes);
  const auto fail = [](llvm::Error error) {
    return Error{CUDA_ERROR_UNKNOWN, "reading the code object: " + llvm::toString(std::move(error))};
  };
  if (!file) return fail(file.takeError());
  auto headers = file->program_headers();
  if (!headers) return fail(headers.takeError());
  std::map<std::string, KernelFacts> all;
  for (const auto& header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE) continue;
    llvm::Error error = llvm::Error::success();
    for (const auto note : file->notes(header, error))
      if (note.getType() == llvm::ELF::NT_AMDGPU_METADATA && note.getName() == "AMDGPU")
        read_note(note.getDescAsStringRef(header.p_align), all);
    if (error) return fail(std::move(error));
  }
  return all;
}

} // namespace ptxshim::amdgpu
