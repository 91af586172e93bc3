#pragma once
//
// Whether the daemon gets something done: what its watchdog watches, what systemd and the elector
// hear of that.
//
// Thread rules: Follow before all others, once; Tick on the thread that ticks; the rest on any.
// Lifetime: must outlive the threads and the store that it follows, as these turn it.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "cluster-clients/threads.h"
#include "manager/daemon/systemd_report.h"
#include "manager/leader/elector.h"
#include "manager/reconcile/federation.h"

namespace fedra {

class DaemonProgress final {
 public:
  DaemonProgress();

  // None of the functions below may be called once they are gone.
  void Follow(Threads& threads, const reconcile::Federation& federation);
  // A transaction of the store has ended, well or not.
  void StoreTurned() { ++store_turns_; }
  // From now on nothing ticks any more.
  void Stopping() { stopping_ = true; }

  void Tick();
  // Whether a part of the daemon hangs.
  bool Hangs() const;
  // What the lead is worth here; progress that is older than that is none. While the daemon stops
  // the lead is kept: what was begun still has to be written.
  leader::Ability Able(std::chrono::milliseconds within) const;

 private:
  std::vector<WatchedPart> Parts();
  ServiceState State() const;

  Threads* threads_ = nullptr;  // both: constant since Follow
  const reconcile::Federation* federation_ = nullptr;
  // What the watched parts got done; counted by their own threads.
  std::atomic<uint64_t> loop_turns_{0};
  std::atomic<uint64_t> pool_turns_{0};
  std::atomic<uint64_t> store_turns_{0};
  std::atomic<bool> stopping_{false};
  SystemdReport systemd_;
};

}  // namespace fedra
