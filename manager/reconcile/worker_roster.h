#pragma once
//
// Brings the set of workers in line with the configuration, at the start and at each reload.
//
// One that is new is connected; one whose kubeconfig has changed uses the new one; one that differs
// in anything else is made again, with the same name and the same outage; one that is no longer
// configured is kept, without new workloads, until Release(). While it is kept no other name may
// stand for its API server: the copies there would be two workers' at once. So a renamed worker
// comes back under its new name when nothing is left under the old one.
//
// Thread rules: the main thread. Stopping a worker cuts off the calls to it. Lifetime: `set` must
// outlive it.

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "manager/reconcile/worker_set.h"

namespace fedra::reconcile {

struct RosterChange {
  std::vector<ClusterName> changed;  // added, removed, configured again or made again
};

class WorkerRoster final {
 public:
  // Makes a worker that is not started.
  using Make = std::function<std::shared_ptr<Worker>(WorkerSettings settings)>;
  WorkerRoster(WorkerSet& set, Make make) : set_(set), make_(std::move(make)) {}

  // In the configuration's order, names unique. `drains`: whether the jobs of removed workers are
  // taken back.
  RosterChange Configure(std::vector<WorkerSettings> wanted, bool drains);
  // Nothing of ours is left on a removed worker, or it is given up: disconnects it. Workers that
  // waited for its API server are added.
  RosterChange Release(const ClusterName& removed);
  void StopAll();

 private:
  struct Member {
    std::shared_ptr<Worker> worker;
    WorkerSettings settings;  // as of the last Configure
  };

  bool IsWanted(const ClusterName& name) const;
  // Whether another worker, that was removed, still has its API server.
  bool MustWait(const WorkerSettings& settings) const;
  // The worker for these settings: the one that is there, made again when it must be. Null: not
  // yet.
  std::shared_ptr<Worker> Place(const WorkerSettings& settings, RosterChange& change);
  RosterChange Update();

  WorkerSet& set_;
  const Make make_;
  std::vector<WorkerSettings> wanted_;
  bool drains_ = false;
  std::map<ClusterName, Member> members_;
};

}  // namespace fedra::reconcile
