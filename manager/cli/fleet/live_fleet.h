#pragma once
//
// Connects to clusters and reads what its user wants of them, until every list has arrived or
// failed. Lists and watches only; who wants more has the clusters.
//
// Thread rules: one user thread; sinks are fed on threads of its own until it is destroyed.
// Lifetime: the sinks must outlive it.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "cluster-clients/cluster.h"
#include "cluster-clients/threads.h"
#include "manager/cli/terminal/terminal.h"
#include "manager/verify/worker_objects.h"

namespace fedra::cli {

// Told whenever a worker or a list of it has changed its state.
class FleetSignal final {
 public:
  void Raise();
  // Until it is raised, at most `limit`.
  void Await(std::chrono::milliseconds limit);

 private:
  Guarded<bool> raised_;
};

class LiveFleet final {
 public:
  // What to read from a worker, once it is connected for the first time.
  using FeedsOf =
      std::function<std::vector<verify::Input>(size_t worker, const kube::ServerInfo* server)>;
  // Whether some of these lists are still arriving.
  using IsListing = std::function<bool(size_t worker)>;

  LiveFleet(const std::vector<ClusterSettings>& clusters, FeedsOf feeds_of, IsListing is_listing,
            FleetSignal& signal);
  ~LiveFleet();

  // Waits until every worker has answered completely or failed, at most `limit`. Progress on a
  // terminal after two seconds.
  void Wait(std::chrono::milliseconds limit, const Terminal& terminal);

  // Ends all connections: what has been read stays as it is, and no other thread touches the sinks
  // from now on. What state() says is of no use any more.
  void Freeze();

  // How long it has waited.
  std::chrono::milliseconds waited() const { return waited_; }

  Cluster& cluster(size_t worker) { return *clusters_[worker]; }
  ConnectionState state(size_t worker) const { return clusters_[worker]->state(); }
  std::shared_ptr<const kube::ServerInfo> server(size_t worker) const {
    return clusters_[worker]->server();
  }

 private:
  void OnState(size_t worker, const ConnectionState& state);
  bool HasAnswered(size_t worker) const;

  const FeedsOf feeds_of_;
  const IsListing is_listing_;
  FleetSignal& signal_;
  std::chrono::milliseconds waited_{0};  // the user thread's
  Threads threads_{4};
  std::vector<std::unique_ptr<Cluster>> clusters_;
  Guarded<std::vector<bool>> fed_;  // by worker: its feeds are registered
};

}  // namespace fedra::cli
