// SPDX-License-Identifier: MIT
// From a dispatch packet to its completion. The calling thread executes work groups itself, and a pool of helpers joins in,
// so a kernel that spins on one queue never keeps another queue's kernel from running.
//
// A host thread runs its work groups one after the other. One that takes suspiciously many turns may be waiting for a
// group that has not begun (a grid barrier): then the thread begins further groups beside it and gives all of them turns,
// twice as many each time that none of them ends, until there are as many as the device's compute units could hold: what a
// cooperative launch relies on, and no kernel more than that.

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <list>
#include <system_error>
#include <thread>
#include <vector>

#include "device/dispatch.h"
#include "dispatch_state.h"
#include "fidelity.h"
#include "kernel_name.h"
#include "device/memory_guard.h"
#include "meanings/host_float_state.h"
#include "ptxshim/log.h"
#include "source_lines.h"
#include "work_group.h"

namespace ptxshim::vgpu {
namespace {

constexpr unsigned kPatience = 64;     // turns of a group before another one is begun beside it
constexpr unsigned kLessPatience = 4;  // and of these
constexpr uint32_t kMostWavesPerUnit = 64;
constexpr uint64_t kMostLds = 64 * 1024;
constexpr uint64_t kMostScratch = 1U << 24; // bytes per lane

constexpr uint32_t kDynamicStack = 64 * 1024; // bytes per lane where the compiler could not tell

struct Slot {
  std::unique_ptr<RunningGroup> group;
  unsigned patience; // in turns
};

// One host thread's part in a dispatch.
class Worker {
public:
  explicit Worker(Dispatch& dispatch) : dispatch_(dispatch), memory_(*dispatch.memory) {}
  ~Worker() { tell_ended(); }
  // Executes groups until none is left to begin and its own have ended.
  void work() {
    while (!dispatch_.stopped()) {
      if (running_.empty() && (!more_ || !begin_one(kPatience))) return;
      const bool all_slow = give_turns();
      if (!all_slow) continue;
      tell_ended(); // others may have room then
      for (size_t begin = running_.size(); begin > 0 && more_ && (next_ < end_ || dispatch_.has_room()); --begin)
        if (!begin_one(kLessPatience)) break;
    }
  }

private:
  bool begin_one(unsigned patience) {
    if (next_ >= end_) {
      tell_ended();
      next_ = dispatch_.next_group.fetch_add(dispatch_.batch, std::memory_order_relaxed);
      end_ = std::min(next_ + dispatch_.batch, dispatch_.group_count);
      if (next_ >= end_) return more_ = false;
    }
    std::unique_ptr<RunningGroup> group;
    if (idle_.empty()) {
      group = std::make_unique<RunningGroup>(dispatch_, memory_, recent_code_);
    } else {
      group = std::move(idle_.back());
      idle_.pop_back();
    }
    memory_.refresh();
    if (!group->start(next_++)) return more_ = false;
    running_.push_back({std::move(group), patience});
    return true;
  }
  // True: all groups have had patience, and none has ended.
  bool give_turns() {
    bool all_slow = true;
    for (size_t i = 0; i < running_.size();) {
      if (running_[i].group->turn()) {
        ++ended_;
        idle_.push_back(std::move(running_[i].group));
        running_[i] = std::move(running_.back());
        running_.pop_back();
        if (dispatch_.stopped()) return false;
        all_slow = false;
      } else {
        if (running_[i].patience) --running_[i].patience;
        all_slow = all_slow && running_[i].patience == 0;
        ++i;
      }
    }
    return all_slow;
  }
  void tell_ended() {
    if (ended_) dispatch_.ended_groups.fetch_add(ended_, std::memory_order_relaxed);
    ended_ = 0;
  }

  Dispatch& dispatch_;
  MemoryView memory_;
  RecentCode recent_code_;
  std::vector<Slot> running_;
  std::vector<std::unique_ptr<RunningGroup>> idle_;
  bool more_ = true;
  uint64_t next_ = 0, end_ = 0; // the batch's groups that are not begun
  uint64_t ended_ = 0;
};

void execute_groups(Dispatch& dispatch) {
  const meaning::HostFloatState float_state;
  Worker(dispatch).work();
}

// Helpers, shared by all dispatches of an executor.
class Pool {
public:
  // With fewer than asked for where the process may have no more: the caller's own thread is enough.
  explicit Pool(unsigned threads) {
    constexpr unsigned kMostThreads = 1024;
    try {
      for (unsigned i = 0; i < std::min(threads, kMostThreads); ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      PTXSHIM_LOG_LINE(vgpu, warn, "the system gives %zu threads of %u: running with these", threads_.size() + 1, threads + 1);
    }
  }
  ~Pool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  // Runs the dispatch on this thread and on whatever helpers are free; returns when all its groups have ended.
  void run(Dispatch& dispatch) {
    if (threads_.empty() || dispatch.group_count == 1) return execute_groups(dispatch);
    Job job{&dispatch, 0};
    std::unique_lock<std::mutex> lock(mutex_);
    const std::list<Job*>::iterator at = jobs_.insert(jobs_.end(), &job);
    lock.unlock();
    const uint64_t useful = (dispatch.group_count - 1) / dispatch.batch;
    if (useful >= threads_.size())
      wake_.notify_all();
    else
      for (uint64_t i = 0; i < useful; ++i) wake_.notify_one();
    execute_groups(dispatch);
    lock.lock();
    jobs_.erase(at);
    done_.wait(lock, [&] { return job.helpers == 0; });
  }

private:
  struct Job {
    Dispatch* dispatch;
    unsigned helpers;
  };

  Job* find_job() {
    for (Job* job : jobs_)
      if (job->dispatch->next_group.load(std::memory_order_relaxed) < job->dispatch->group_count && !job->dispatch->stopped())
        return job;
    return nullptr;
  }
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      Job* job = nullptr;
      wake_.wait(lock, [&] { return closing_ || (job = find_job()); });
      if (closing_) return;
      ++job->helpers;
      lock.unlock();
      execute_groups(*job->dispatch);
      lock.lock();
      if (--job->helpers == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::list<Job*> jobs_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

class IsaExecutor final : public Executor {
public:
  IsaExecutor(const DeviceProperties& properties, const MemoryMap& memory)
      : properties_(properties), memory_(memory), target_(Target::from(properties.gfx)) {
    threads_ = properties.host_threads ? properties.host_threads : std::thread::hardware_concurrency();
    if (threads_ == 0) threads_ = 1;
    if (config().virtual_gpu_report) report_fidelity_at_exit();
  }
  ~IsaExecutor() override { delete pool_; }

  DispatchOutcome execute(const DispatchPacket& packet) override {
    Dispatch dispatch;
    dispatch.properties = &properties_;
    dispatch.memory = &memory_;
    dispatch.gws = &gws_;
    dispatch.packet = packet;
    dispatch.interrupts = &interrupts_;
    dispatch.interrupts_seen = interrupts_.load();
    if (!prepare(dispatch)) return dispatch.outcome;
    pool().run(dispatch);
    if (dispatch.outcome.fault == Fault::None && dispatch.interrupted()) {
      dispatch.outcome.fault = Fault::Interrupted;
      dispatch.outcome.report = "the kernel was interrupted";
    }
    return dispatch.outcome;
  }

  void invalidate_code() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::shared_ptr<CodeCache>& cache : caches_) cache.reset();
  }
  void interrupt() override { interrupts_.fetch_add(1); }

  void after_fork_in_child() override {
    // Locks may have been held and threads are gone: leave the old objects alone and begin anew.
    new (&mutex_) std::mutex;
    pool_ = nullptr;
    for (std::shared_ptr<CodeCache>& cache : caches_) new std::shared_ptr<CodeCache>(std::move(cache));
    for (std::unique_ptr<Decoder>& decoder : decoders_) (void)decoder.release();
  }

private:
  static bool refuse(Dispatch& dispatch, std::string report) {
    dispatch.outcome.fault = Fault::BadCodeObject;
    dispatch.outcome.address = dispatch.packet.kernel_object;
    dispatch.outcome.report = std::move(report);
    return false;
  }

  bool prepare(Dispatch& dispatch) {
    DispatchPacket& packet = dispatch.packet;
    MemoryView view(memory_);
    const uint64_t size = view.available(packet.kernel_object);
    const uint64_t wanted = size < 256 ? (size < 64 ? size : 64) : 256;
    const std::byte* const header = wanted ? view.translate(packet.kernel_object, wanted, false) : nullptr;
    std::string why;
    if (!read_kernel_header({header, header ? wanted : 0}, packet.kernel_object, target_, dispatch.start, why))
      return refuse(dispatch, why);
    if (packet.group_segment_size < dispatch.start.group_bytes) packet.group_segment_size = dispatch.start.group_bytes;
    if (packet.private_segment_size < dispatch.start.private_bytes) packet.private_segment_size = dispatch.start.private_bytes;
    if (dispatch.start.dynamic_stack && packet.private_segment_size < kDynamicStack) packet.private_segment_size = kDynamicStack;
    if (packet.group_segment_size > kMostLds) return refuse(dispatch, "the kernel wants more than 64 KiB of LDS");
    if (packet.private_segment_size > kMostScratch) return refuse(dispatch, "the kernel wants more than 16 MiB of scratch per work-item");
    uint64_t items = 1;
    for (unsigned i = 0; i < 3; ++i) {
      if (packet.workgroup_size[i] == 0 || packet.grid_size[i] == 0) return refuse(dispatch, "a grid or work group size is zero");
      items *= packet.workgroup_size[i];
      dispatch.groups[i] = static_cast<uint32_t>((static_cast<uint64_t>(packet.grid_size[i]) + packet.workgroup_size[i] - 1) / packet.workgroup_size[i]);
      if (__builtin_mul_overflow(dispatch.group_count, dispatch.groups[i], &dispatch.group_count))
        return refuse(dispatch, "the grid has 2^64 work groups or more");
    }
    constexpr uint64_t kBatchesPerThread = 32, kLargestBatch = 32;
    dispatch.batch = std::clamp<uint64_t>(dispatch.group_count / (threads_ * kBatchesPerThread), 1, kLargestBatch);
    if (items > 1024) return refuse(dispatch, "the work group has more than 1024 work-items");
    const uint64_t waves = (items + dispatch.start.wave_size - 1) / dispatch.start.wave_size;
    dispatch.most_resident = std::max<uint64_t>(1, properties_.compute_units * kMostWavesPerUnit / waves);
    dispatch.code = code(dispatch.start.wave_size, why);
    return dispatch.code || refuse(dispatch, why);
  }

  std::shared_ptr<CodeCache> code(unsigned wave_size, std::string& why) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const unsigned which = wave_size == 32 ? 0 : 1;
    if (!decoders_[which]) decoders_[which] = Decoder::create(target_.gfx, wave_size);
    if (!decoders_[which]) {
      why = "LLVM does not know the target " + target_.gfx;
      return nullptr;
    }
    if (!caches_[which]) caches_[which] = std::make_shared<CodeCache>(target_, wave_size, *decoders_[which]);
    return caches_[which];
  }

  Pool& pool() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!pool_) pool_ = new Pool(threads_ - 1);
    return *pool_;
  }

  const DeviceProperties properties_;
  const MemoryMap& memory_;
  const Target target_;
  unsigned threads_ = 1;
  std::atomic<uint64_t> interrupts_{0};
  GlobalWaveSync gws_;
  std::mutex mutex_;
  std::unique_ptr<Decoder> decoders_[2];
  std::shared_ptr<CodeCache> caches_[2];
  Pool* pool_ = nullptr;
};

std::string describe(const Wave& wave, const Op* op, const char* what, uint64_t address, int lane) {
  const Dispatch& dispatch = *wave.group->dispatch;
  char text[512];
  const std::string name = kernel_name(*dispatch.memory, dispatch.packet.kernel_object);
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(dispatch.packet.kernel_object));
  std::string report = "kernel " + (name.empty() ? "at " + std::string(text) : name) + ": " + what;
  std::snprintf(text, sizeof text, "\n  work group (%u, %u, %u), wave %u", wave.group->id[0], wave.group->id[1],
                wave.group->id[2], wave.index);
  report += text;
  if (lane >= 0) report += ", lane " + std::to_string(lane);
  if (address || lane >= 0) {
    std::snprintf(text, sizeof text, ", address 0x%llx", static_cast<unsigned long long>(address));
    report += text;
  }
  if (!op) return report;
  std::snprintf(text, sizeof text, "\n  pc 0x%llx (entry + 0x%llx), exec 0x%llx\n  ", static_cast<unsigned long long>(op->pc),
                static_cast<unsigned long long>(op->pc - dispatch.start.entry), static_cast<unsigned long long>(wave.exec()));
  report += text;
  MemoryView view(*dispatch.memory);
  const uint64_t available = view.available(op->pc);
  const uint64_t size = available < 24 ? available : 24;
  const std::byte* const bytes = size ? view.translate(op->pc, size, false) : nullptr;
  Instruction instruction;
  if (bytes && dispatch.code->decoder().decode({bytes, size}, op->pc, instruction)) {
    const size_t first = instruction.text.find_first_not_of("\t ");
    report += first == std::string::npos ? instruction.text : instruction.text.substr(first);
  } else if (size >= 4) {
    uint32_t word;
    std::memcpy(&word, bytes, 4);
    std::snprintf(text, sizeof text, ".long 0x%08x", word);
    report += text;
  }
  return report + source_lines(*dispatch.memory, op->pc);
}

} // namespace

const Op* raise(Wave& wave, const Op* op, Fault fault, const char* what, uint64_t address, int lane) {
  const MemoryGuard::Pause pause;
  wave.pause = Pause::Faulted;
  wave.resume = nullptr;
  Dispatch& dispatch = *wave.group->dispatch;
  const std::lock_guard<std::mutex> lock(dispatch.mutex);
  if (!dispatch.failed.exchange(true)) {
    dispatch.outcome.fault = fault;
    dispatch.outcome.address = address || lane >= 0 ? address : op ? op->pc : 0;
    dispatch.outcome.report = describe(wave, op, what, address, lane);
  }
  return nullptr;
}

const Op* find_code(Wave& wave, const Op* from, uint64_t address) {
  RecentCode::Entry& entry = wave.group->recent_code->of(address);
  if (entry.address == address && entry.op) return entry.op;
  const MemoryGuard::Pause pause;
  std::string why;
  wave.memory->refresh();
  const Op* const op = wave.group->dispatch->code->find(address, *wave.memory, why);
  entry = {address, op};
  return op ? op : raise(wave, from, Fault::PageFault, why.c_str(), address);
}

std::unique_ptr<Executor> make_executor(const DeviceProperties& properties, const MemoryMap& memory) {
  return std::make_unique<IsaExecutor>(properties, memory);
}

} // namespace ptxshim::vgpu
