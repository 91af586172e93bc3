#pragma once
//
// The metrics of the daemon, in Prometheus' text format. The only room of prometheus-cpp.
//
// Their families are in metric_families.h. Labels are bounded: cluster names come from the
// configuration, reasons and codes from closed lists; no namespaces, no workload names.
//
// Thread rules: any thread.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "manager/metrics/process_stats.h"
#include "manager/reconcile/telemetry.h"
#include "manager/verify/device_stock.h"

namespace fedra::metrics {

struct ClusterGauges {
  ClusterName name;
  bool is_up = false;
  int clones = 0;                             // ours that have not ended
  int in_line = 0;                            // workloads that wait for its devices
  std::chrono::milliseconds head_waits{0};    // the first of them, since its quota was reserved
  std::optional<WallTime> last_contact = {};  // nothing: there was none yet
  std::optional<int> orphans = {};            // nothing: it is not known
  std::optional<int> template_drift = {};     // likewise
  // By driver; those of the last scrape that are no longer among them vanish.
  std::map<std::string, verify::DeviceStock> devices = {};
};

// Among replicas.
struct LeaderGauges {
  bool leads = false;
  std::optional<WallTime> renewed_at = {};  // our last renewal of the Lease
  int transitions = 0;                      // how often the Lease has got another holder
  bool config_differs = false;              // from the leader's
};

class Metrics final : public reconcile::Telemetry {
 public:
  Metrics(std::string_view version, std::string_view commit);
  ~Metrics() override;

  void Dispatched(const ClusterName& cluster, std::string_view result) override;
  void Placed(const ClusterName& cluster, std::chrono::nanoseconds waited) override;
  void Judged(const ClusterName& cluster, const verdict::Verdict& verdict) override;
  void LookedAt(size_t workers) override;
  void Verified(std::chrono::nanoseconds duration) override;
  void Reconciled(std::string_view result, std::chrono::nanoseconds duration) override;
  // Not counted: Dispatched says what became of it.
  void Assumed(const ObjectKey& workload) override { (void)workload; }
  void PassedUnasked() override;
  void WorkerLost(const ClusterName& cluster) override;

  // One HTTP request to a cluster; `code` is the status code or the ErrorCode's name.
  void Requested(const ClusterName& cluster, std::string_view verb, std::string_view code,
                 std::chrono::nanoseconds duration);
  // Of its answers; `events`: of watches.
  void Read(const ClusterName& cluster, size_t bytes, size_t events);
  void StoreTransaction(bool ok, std::chrono::nanoseconds duration);
  // `outcome`: of the closed lists placement::AttemptEnd and verdict::ReasonCode.
  void AttemptEnded(const ClusterName& cluster, std::string_view outcome);
  // `listener`, `endpoint`: of closed lists.
  void Answered(std::string_view listener, std::string_view endpoint, int code);
  // When the credential of the cluster's kubeconfig ends, and how long it lasts in all; null: it
  // does not say.
  void SetCredential(const ClusterName& cluster, std::optional<WallTime> expiry,
                     std::optional<std::chrono::milliseconds> lifetime);
  // The configuration was read at `now`; `ok`: and is used.
  void SetConfigRead(bool ok, WallTime now);

  // Asked for at every scrape.
  // All workers; those of the last call that are no longer among them vanish.
  void SetClusters(const std::vector<ClusterGauges>& clusters);
  void SetManager(bool is_up);
  // Nothing: there are no other replicas.
  void SetLeader(const std::optional<LeaderGauges>& replica);
  void SetQueueDepth(size_t depth);
  // Threads that look at workloads, and threads that wait for workers.
  void SetThreads(size_t busy, size_t waiting);
  // Since the start.
  void SetEventsDropped(uint64_t dropped);
  void SetWorkloads(const std::string& kind, std::string_view phase, int count);
  // By the reason's name; those of the last call that are no longer among them become 0.
  void SetBlocked(const std::map<std::string_view, reconcile::BlockedFacts>& by_reason);
  void SetStoreSize(uint64_t bytes);
  void SetProcess(const ProcessStats& stats);

  std::string Text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
  Guarded<std::set<ClusterName>> clusters_;               // as of the last SetClusters
  using DevicesOf = std::pair<ClusterName, std::string>;  // worker, driver
  Guarded<std::set<DevicesOf>> stocks_;                   // as of the last SetClusters
  Guarded<std::set<std::string_view>> blocked_;           // reasons that were shown
  void SetDevices(const std::vector<ClusterGauges>& clusters);
  Guarded<int> transitions_counted_{0};  // as of the last SetLeader
  Guarded<uint64_t> events_counted_{0};  // as of the last SetEventsDropped
  Guarded<double> cpu_counted_{0};       // seconds, as of the last SetProcess
};

}  // namespace fedra::metrics
