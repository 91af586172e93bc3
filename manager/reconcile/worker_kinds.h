#pragma once
//
// What of a worker is watched, and in which versions: that follows from what it serves, and from
// which kinds of jobs are in use. And how the jobs of each kind can be followed there. Part of
// Worker.
//
// Thread rules: any thread. OnServer() and Use() hold `watching_` while they register watches,
// which may call the worker's listener: it must not call Use() (README.md, Order of locks).
// Lifetime: cluster, objects and clock must outlive it; its watches end with the cluster's Stop().

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster-clients/cluster.h"
#include "manager/placement/view.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/verify/dra_api.h"
#include "manager/verify/worker_objects.h"

namespace fedra::reconcile {

// How jobs of one kind can be followed on a worker. With contact to the worker that may still be
// impossible: they may not be read, say, or are not listed yet. Such a kind is lost alone.
struct KindStatus {
  placement::Contact contact = placement::Contact::kNone;
  std::optional<WallTime> lost_since;  // null with full contact
  std::string problem;                 // likewise empty
};

class WorkerKinds final {
 public:
  // `objects`: fed by the cluster's watches.
  WorkerKinds(Cluster& cluster, verify::WorkerObjects& objects, const Clock& clock)
      : cluster_(cluster), objects_(objects), clock_(clock) {}

  // What the server serves is known, or may be something else now.
  void OnServer();
  // Jobs of these kinds are read from now on, too.
  void Use(const std::vector<const tracking::JobAdapter*>& kinds);

  // `kind` null: that of all kinds in use.
  KindStatus StatusOf(const tracking::JobAdapter* kind) const;
  placement::Contact ContactOf(const tracking::JobAdapter* kind) const {
    return StatusOf(kind).contact;
  }

 private:
  // With `watching_` held.
  void WatchAll(const kube::ServerInfo* server);
  std::vector<std::string> KindsHere(const kube::ServerInfo* server) const;

  // Constant after construction.
  Cluster& cluster_;
  verify::WorkerObjects& objects_;
  const Clock& clock_;

  // What is watched, and what of the server that was chosen by. One watch of an input at a time.
  std::mutex watching_;
  std::optional<verify::DraApi> dra_;    // nothing before the first connection
  std::vector<std::string> kinds_here_;  // in use and served there, by name
};

}  // namespace fedra::reconcile
