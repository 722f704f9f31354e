// SPDX-License-Identifier: MIT
// The DWARF of a code object, read by LLVM. The tables may be damaged as anything else in the process may be: LLVM's reader
// answers with errors and warnings, which nobody needs to see here.
#include "source_lines.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/ELFObjectFile.h>

namespace ptxshim::vgpu {

static std::string describe(const llvm::DILineInfo& frame) {
  std::string text = frame.FileName + ":" + std::to_string(frame.Line);
  if (frame.Column) text += ":" + std::to_string(frame.Column);
  if (frame.FunctionName != llvm::DILineInfo::BadString) text += " in " + llvm::demangle(frame.FunctionName);
  return text;
}

std::string source_lines(const MemoryMap& memory, uint64_t pc) {
  const LoadedFile file = memory.loaded_file(pc);
  if (file.bytes.empty()) return {};
  const llvm::StringRef bytes(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  auto object = llvm::object::ObjectFile::createELFObjectFile({bytes, "code object"});
  if (!object) {
    llvm::consumeError(object.takeError());
    return {};
  }
  const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  const std::unique_ptr<llvm::DWARFContext> dwarf = llvm::DWARFContext::create(
      **object, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "", ignore, ignore);
  const llvm::DIInliningInfo frames = dwarf->getInliningInfoForAddress(
      {pc - file.bias, llvm::object::SectionedAddress::UndefSection},
      {llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, llvm::DILineInfoSpecifier::FunctionNameKind::LinkageName});
  std::string text;
  for (uint32_t n = 0; n < frames.getNumberOfFrames(); ++n)
    if (const llvm::DILineInfo& frame = frames.getFrame(n)) text += (n ? "\n  inlined at " : "\n  at ") + describe(frame);
  return text;
}

} // namespace ptxshim::vgpu
