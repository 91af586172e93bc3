#pragma once
//
// This process among others on the same manager: whether it may decide and write.
//
// With highAvailability that is the one that leads; without it there must be no other one. Losing
// the Lease, or meeting another one, ends the process with kExitLostLease:
// manager/leader/README.md says why.
//
// Thread rules: Start and Stop from one thread, the rest from any. Lifetime: what `ability` refers
// to must outlive Stop().

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "base/result.h"
#include "config/load.h"
#include "manager/leader/elector.h"
#include "manager/leader/sole.h"
#include "manager/metrics/metrics.h"
#include "store/rows.h"

namespace fedra {

// The exit code of a daemon that led and does not any more, or that is not the only one.
inline constexpr int kExitLostLease = 4;

class Replica final {
 public:
  // `host`: begins the identity. `ability(within)`: progress that is older than that is none; asked
  // on another thread.
  Replica(const config::Loaded& loaded, const std::string& host,
          std::function<leader::Ability(std::chrono::milliseconds within)> ability);

  // Of all clusters' connections; null: there are no other replicas.
  std::shared_ptr<const http::WriteGate> gate() const;
  // Null: likewise.
  std::function<bool()> may_decide() const;
  // Null: likewise.
  std::optional<leader::LeadView> Now() const;

  // Before anything is decided. Without highAvailability: whether no other fedra is there; may wait
  // for lease_duration, or until `is_cancelled` (as for Sole::Check).
  Result<void> Check(const std::function<bool()>& is_cancelled);
  void Start();
  // `release`: as for Elector::Stop.
  void Stop(bool release);
  void UpdateAccess(const kube::AccessSettings& access);
  // The configuration that this process runs with, as others may compare it.
  void SetConfiguration(const config::Loaded& loaded);
  // In which sections it differs from the leader's, "dispatch, workers"; empty: in none, or we
  // lead, or the leader is another version, whose keys are others.
  std::string ConfigDifference() const;
  // What is wrong with the Lease. Empty: nothing.
  std::string Problem() const;

 private:
  // What ConfigDifference() has compared last: every tick asks, and it changes rarely.
  struct Compared {
    std::string ours;
    std::string leaders;
    std::string sections;
  };

  Guarded<leader::HolderNotes> notes_;  // of ours
  mutable Guarded<Compared> compared_;
  // One of the two is null.
  std::unique_ptr<leader::Elector> elector_;
  std::unique_ptr<leader::Sole> sole_;
};

// For /metrics and for the store's readers; nothing: no other replicas.
std::optional<metrics::LeaderGauges> ToGauges(const Replica& replica);
void PutReplica(store::HeartbeatRow& row, const Replica& replica);

}  // namespace fedra
