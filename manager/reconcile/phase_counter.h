#pragma once
//
// How many workloads are in which phase, and what keeps those that are blocked: for metrics.
//
// The reconciler says after each look what it has seen; /metrics asks. In memory only:
// a start looks at every workload.
//
// Thread rules: any thread. Each question counts all workloads.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/types.h"
#include "manager/placement/action.h"
#include "manager/reconcile/telemetry.h"

namespace fedra::reconcile {

// Kind ("JobSet"; "other" where no adapter knows it) and phase -> how many.
using KindPhases = std::map<std::pair<std::string, std::string_view>, int>;

// One workload, as one look has found it.
struct SeenPhase {
  std::string kind;  // as in KindPhases
  placement::Phase phase = placement::Phase::kWaiting;
  // The first reason on most workers, of the catalogue; empty: not judged now, and the last one
  // stays for as long as the workload is blocked.
  std::string_view reason;
  std::optional<WallTime> reserved_at;  // its quota; nothing: the last one stays
};

class PhaseCounter final {
 public:
  // kGone: there is no such workload any more.
  void Record(const ObjectKey& workload, const SeenPhase& seen);

  // Every phase of each kind of job that was seen since the start: a kind whose last job has gone
  // is reported with 0.
  KindPhases ByPhase() const;
  // Blocked workloads by reason.
  std::map<std::string_view, BlockedFacts> BlockedByReason(WallTime now) const;

 private:
  struct Counted {
    std::string kind;
    placement::Phase phase = placement::Phase::kWaiting;
    std::string_view reason;  // empty: not judged since it is blocked
    WallTime reserved_at{};   // zero: never
  };
  struct State {
    std::unordered_map<ObjectKey, Counted> workloads;
    std::set<std::string> kinds{"Job"};  // bounded: there is one for each adapter
  };
  Guarded<State> state_;
};

}  // namespace fedra::reconcile
