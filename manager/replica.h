#pragma once
//
// This process among its replicas (highAvailability): whether it may decide and write.
//
// Losing the Lease ends the process with kExitLostLease: manager/leader/README.md says why.
//
// Thread rules: Start and Stop from one thread, the rest from any. Lifetime: what `ability` refers
// to must outlive Stop().

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/load.h"
#include "manager/http/metrics.h"
#include "manager/leader/elector.h"
#include "store/rows.h"

namespace fedra {

// The exit code of a daemon that led and does not any more.
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

  void Start();
  // `release`: as for Elector::Stop.
  void Stop(bool release);
  void UpdateAccess(const kube::AccessSettings& access);

 private:
  std::unique_ptr<leader::Elector> elector_;  // null: no other replicas
};

// For /metrics and for the store's readers; null: no other replicas.
std::optional<pages::LeaderGauges> ToGauges(const std::optional<leader::LeadView>& view);
void PutReplica(store::HeartbeatRow& row, const std::optional<leader::LeadView>& view);

}  // namespace fedra
