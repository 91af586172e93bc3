#pragma once
//
// Follows the manager's MultiKueueClusters and ClusterProfiles, and the kubeconfigs that they name,
// for the daemon.
//
// Each Secret is asked for by its name every 30 seconds, every 5 while one of the workers cannot be
// used, and at once when a MultiKueueCluster or ClusterProfile has changed. A watch would show a
// rotated Secret sooner, but needs the right to list or watch Secrets, which RBAC can restrict to
// names only where they are known before; `get` alone shows no other Secret of Kueue's namespace.
// Credentials are kept in memory only.
//
// Thread rules: one user thread, and one of its own, which blocks for the manager. Lifetime:
// `manager` must outlive it, and end its calls (ManagerCluster::Stop) before Stop().

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "config/configuration.h"
#include "config/discovered.h"
#include "manager/discovery/discovered_access.h"
#include "manager/reconcile/manager_cluster.h"

namespace fedra::discovery {

class WorkerDiscovery final {
 public:
  // The workers of the last run. While the manager does not tell, they stay: without them their
  // jobs would be queued again. None: nothing is answered before the manager tells.
  using Remembered = std::function<std::vector<std::string>()>;

  WorkerDiscovery(config::WorkersFrom settings, reconcile::ManagerCluster& manager,
                  Remembered remembered);
  ~WorkerDiscovery() { Stop(); }

  void Start();
  void Stop();
  // Whether something is different from the last time. Logs it.
  bool Update();
  // Whether it is known which workers there are. Not before the first Update().
  bool HasAnswered() const { return used_.has_value(); }
  // `configured` with the workers of the last Update().
  config::Loaded Complete(config::Loaded configured) const;

 private:
  // What was read, as far as it matters.
  struct Seen {
    std::vector<std::pair<std::string, std::string>> clusters;  // name and version
    std::vector<tracking::ClusterProfile> profiles;
    bool operator==(const Seen&) const = default;
  };

  void Publish(const std::vector<config::DiscoveredWorker>& workers) const;
  void Run();
  void Look();
  // Nothing: a list is arriving.
  std::optional<DiscoveryObjects> Objects() const;
  static Seen SeenOf(const DiscoveryObjects& objects);
  void Publish(DiscoveredWorkers found);

  // Constant after construction.
  const config::WorkersFrom settings_;
  reconcile::ManagerCluster& manager_;
  const Remembered remembered_;

  // Of the user thread.
  std::optional<std::vector<config::DiscoveredWorker>> used_;  // nothing: not known yet

  // Of its own thread.
  std::optional<DiscoveredWorkers> last_;  // as published
  Seen seen_;
  std::optional<SteadyTime> read_at_;

  struct Shared {
    bool stopping = false;
    std::optional<DiscoveredWorkers> fresh;
  };
  Guarded<Shared> shared_;
  std::thread thread_;
};

}  // namespace fedra::discovery
