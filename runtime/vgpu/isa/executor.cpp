// SPDX-License-Identifier: MIT
#include "device/dispatch.h"

#include "instruction.h"

namespace ptxshim::vgpu {
namespace {

class IsaExecutor final : public Executor {
public:
  IsaExecutor(const DeviceProperties& properties, const MemoryMap& memory) : properties_(properties), memory_(memory) {}
  DispatchOutcome execute(const DispatchPacket& packet) override {
    DispatchOutcome outcome;
    outcome.fault = memory_.find(packet.kernel_object).host ? Fault::IllegalInstruction : Fault::BadCodeObject;
    outcome.report = "no kernel can be executed on " + properties_.gfx + " yet";
    return outcome;
  }
  void invalidate_code() override {}
  void interrupt() override {}
  void after_fork_in_child() override {}

private:
  DeviceProperties properties_;
  const MemoryMap& memory_;
};

} // namespace

std::unique_ptr<Executor> make_executor(const DeviceProperties& properties, const MemoryMap& memory) {
  return std::make_unique<IsaExecutor>(properties, memory);
}

} // namespace ptxshim::vgpu
