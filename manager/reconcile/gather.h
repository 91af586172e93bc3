#pragma once
//
// Collects everything one decision may know about one workload, from the caches.
//
// Thread rules: any thread. Lifetime: the clusters must outlive it.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "manager/placement/bids.h"
#include "manager/placement/slices.h"
#include "manager/placement/view.h"
#include "manager/reconcile/manager_cluster.h"
#include "manager/reconcile/templates/copy_failures.h"
#include "manager/reconcile/worker_set.h"
#include "manager/verify/check_scope.h"

namespace fedra::reconcile {

struct Gathered {
  std::shared_ptr<const WorkerList> workers;  // as of this look
  placement::WorkloadView view;
  // In order of preference: all workers when one is looked for, or may be moved to, else those that
  // matter.
  std::vector<placement::ClusterView> clusters;
  // It stays where it was dispatched to, and the other workers were not looked at.
  bool stays = false;
  const tracking::JobAdapter* adapter = nullptr;  // null: no adapter for the kind
  ObjectKey job;              // of that kind, on every cluster; empty when it is not known
  std::string cluster_queue;  // of the manager, behind the job's queue; may be empty
  // Of a slice of an elastic job: the job's Workloads on the manager, this one as it is in `view`.
  placement::Slices slices = {};
  bool judged = false;  // whether the verdicts were made, because a worker is looked for
  // What was assumed on each worker when it was judged; absent: it was not.
  std::map<ClusterName, AssumeCache::Basis> assumed_as_of;
};

struct GatherSettings {
  std::string controller_name;
  verify::Rules rules;
  tracking::Identity us;  // without the manager's UID
  tracking::Mode mode = tracking::Mode::kAdmissionCheck;
  bool devices = false;            // whether devices are verified
  bool quota = false;              // whether that of the workers' queues is
  placement::OrderSettings order;  // of those that wait for the same devices
};

// What is remembered of one incarnation of a workload.
struct KnownRecord {
  std::string uid;  // of the Workload
  placement::PlacementRecord record;
  placement::Policy policy;
};

// What is known of a workload beside what the clusters show.
struct Known {
  std::optional<tracking::JobKey> job;  // helps when the Workload is gone
  std::set<ClusterName> workers;        // that may have copies
  std::optional<KnownRecord> record;    // null: all workers are looked at when one is looked for
  WallTime now{};  // for what is asked for a time (placement::DueMove); the epoch: nothing is
};

class Gatherer final {
 public:
  Gatherer(GatherSettings settings, ManagerCluster& manager, const WorkerSet& workers,
           const CopyFailures& copy_failures);

  Gathered Gather(const ObjectKey& workload, const Known& known) const;
  // Derives again what the workload will take of the worker, from the caches as they are now. To be
  // called when an object that says so has changed; where neither devices nor quota are verified it
  // does nothing.
  AssumeCache::Change Observe(const ObjectKey& workload, Worker& worker) const;
  // Where its objects on the manager say that it was dispatched.
  std::set<ClusterName> DispatchedTo(const ObjectKey& workload) const;
  // Which of the manager's AdmissionChecks are ours, and which workers they mean.
  const verify::CheckScopes& scopes() const { return scopes_; }
  // Its place in line for devices; absent: it has none.
  std::optional<placement::Contender> FindContender(const ObjectKey& workload) const;
  std::optional<placement::Contender> ContenderOf(const placement::WorkloadView& view) const;
  // The AdmissionCheck of ours for which the workload looks for a worker; empty: it looks for none.
  std::string WaitingCheckOf(const tracking::Workload& workload) const;
  // The workers that this AdmissionCheck allows, as it prefers them.
  std::vector<std::shared_ptr<const Worker>> WorkersOf(const std::string& check) const;

 private:
  // The names of our AdmissionChecks on the workload, in its order.
  std::vector<std::string> ChecksOf(const tracking::Workload& workload) const;
  // The first of them; empty: it has none.
  std::string CheckOf(const tracking::Workload& workload) const;
  // Of a workload that is there, with its job. `cluster_queue`: behind its queue.
  placement::Unasked WhyUnasked(const placement::WorkloadView& view,
                                const std::string& cluster_queue) const;
  // What the manager shows of it, without its siblings; of the workers nothing.
  Gathered Begin(const ObjectKey& workload, const Known& known) const;
  // Where the others of several Workloads of a job are.
  void NoteSiblings(placement::WorkloadView& view) const;
  // Where it has to go to be with them; empty: anywhere. The first one leaves a worker that may not
  // be used any more, and they follow.
  ClusterName PlaceWithOthers(const placement::WorkloadView& view, const WorkerList& workers,
                              const verify::CordonsNow& cordons, WallTime now) const;
  // Why Kueue would not take a nomination of the worker; nothing: it is connected to it, or makes
  // no copies.
  std::optional<verdict::Reason> WhyKueueCannot(const ClusterName& worker) const;
  tracking::Identity Us() const;
  // Where it stays (placement::StaysWith); empty: all workers are to be looked at.
  std::set<ClusterName> StaysWith(const Gathered& gathered, const Known& known) const;
  struct Scope {
    std::set<ClusterName> matters;  // whether a worker is looked for or not
    ClusterName with_others;        // empty: anywhere
    bool moves = false;             // it has a worker, and other ones are judged for it
  };
  // Adds a view of each of `workers` that matters.
  void LookAt(const Workers& workers, const Scope& scope, const verify::CordonsNow& cordons,
              Gathered& gathered) const;
  placement::ClusterView ViewOf(const Worker& worker, const WorkerLook& look,
                                const Gathered& gathered) const;
  void Judge(const Worker& worker, const verify::WorkerFacts& facts,
             std::optional<verdict::Reason> not_allowed, Gathered& gathered,
             placement::ClusterView& cluster) const;
  std::map<ObjectKey, std::set<ClusterName>> UsersOf(const ObjectKey& claim,
                                                     const Gathered& gathered) const;
  void KeepClaimsTogether(Gathered& gathered) const;

  const GatherSettings settings_;
  ManagerCluster& manager_;
  const WorkerSet& workers_;
  const CopyFailures& copy_failures_;
  const verify::CheckScopes scopes_;
};

}  // namespace fedra::reconcile
