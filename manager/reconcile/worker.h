#pragma once
//
// One worker cluster, put together: its connection, and the classes that its reflectors feed. Each
// of these has a contract of its own.
//
// Thread rules: any thread. Listeners run on the pool's threads, and in DropOverdue() and
// WorkerKinds::Use() on the caller's. They hold no cache's lock, but that of WorkerKinds when what
// the server serves has changed: a listener must not call Use() (README.md, Order of locks).
// Lifetime: loop, pool and clock must outlive the worker; the listeners' targets must outlive
// Stop().

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "cluster-clients/cluster.h"
#include "manager/placement/view.h"
#include "manager/reconcile/assume_cache.h"
#include "manager/reconcile/worker_copies.h"
#include "manager/reconcile/worker_kinds.h"
#include "manager/reconcile/worker_outage.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/workload.h"
#include "manager/verify/verify.h"
#include "manager/verify/worker_objects.h"

namespace fedra::reconcile {

using verify::InputChange;

class Worker;

struct WorkerListener {
  // A clone or a remote job of this workload has changed, or a foreign object of its name.
  std::function<void(const ObjectKey& workload)> on_workload;
  // A job of this name has changed. Wakes the workload that owns the manager's job of this name: a
  // stale copy of a re-created job blocks its successor.
  std::function<void(const tracking::JobKey& job)> on_job;
  // Pods of the job that this workload has there have started or ended.
  std::function<void(const ObjectKey& workload)> on_progress;
  std::function<void(const Worker& worker, const verify::InputChange& change)> on_input;
  // Contact was gained or lost, or a cache changed its health: what Readable() says may be
  // different.
  std::function<void(const Worker& worker)> on_contact;
};

struct WorkerSettings {
  ClusterSettings cluster;
  verify::WorkerObjectsOptions verified;
  std::vector<std::string> capabilities;  // declared, ascending or not
  std::optional<WallTime> lost_since;     // as remembered from before the start
  // Whether jobs stay while it rejects our credentials: then that time counts for no loss.
  bool keeps_rejected = false;
};

// How a worker is, read at one moment: its parts agree.
struct WorkerStatus {
  ConnectionState connection;
  placement::Contact contact = placement::Contact::kNone;
  bool answered = false;  // see HasAnswered()
  bool resyncing =
      false;  // that is about to happen: a connection or list that takes too long is none
  // Null with full contact. Starts again when a rejection ends for which jobs stay: until then it
  // answered.
  std::optional<WallTime> lost_since;
  // It answers, and does not take our credentials, or our kubeconfig of it cannot be used.
  bool fault_is_ours = false;
  bool keeps_jobs = false;  // and its jobs stay meanwhile: no loss is counted
  std::string problem;      // why there is no full contact; empty with it
};

// What of a worker can be read. Two that are equal have nothing in between: each look since the
// first one has seen the same.
struct Readability {
  placement::Contact contact = placement::Contact::kNone;
  std::pair<ConnectionPhase, WallTime> phase;  // and since when
  std::string why;                             // there is no connection
  struct List {
    watch::CacheState state = watch::CacheState::kSyncing;
    SteadyTime since{};
    std::string error;  // that keeps it from being in step

    bool operator==(const List&) const = default;
  };
  std::vector<List> lists;

  bool operator==(const Readability&) const = default;
};

// All that one decision takes from the connection, read at one moment.
struct WorkerLook {
  WorkerStatus status;
  KindStatus kind;  // of the job's kind
  verify::WorkerFacts facts;
};

class Worker final {
 public:
  Worker(WorkerSettings settings, http::HttpLoop& loop, WorkerPool& pool, const Clock& clock,
         WorkerListener listener);
  ~Worker();

  void Start();
  void Stop();
  // Workloads and the jobs of every kind are listed again; as of Cluster::Relist.
  std::weak_ptr<const void> RelistCopies();
  // New credentials or address, or that there are none. True when that changes anything.
  bool Reconfigure(const kube::AccessSettings& access, std::optional<Error> misconfigured);

  const ClusterName& name() const { return settings_.cluster.name; }
  // As it began: Reconfigure() changes the access alone. They hold credentials.
  const WorkerSettings& settings() const { return settings_; }
  Cluster& cluster() { return cluster_; }
  std::shared_ptr<const kube::ServerInfo> server() const { return cluster_.server(); }
  WorkerStatus Status() const;
  // `kind`: as of WorkerKinds::StatusOf().
  WorkerLook Look(const tracking::JobAdapter* kind) const;
  // The same as in Status(), for those who need nothing else.
  placement::Contact contact() const;
  // Looks at every list.
  Readability Readable() const;
  // Whether the connection attempt has ended, and if it went well every list has been answered:
  // after an outage, too.
  bool HasAnswered() const;
  // Forgets our own writes that no watch has shown in time, and reports their objects as changed.
  // Call about once a second.
  void DropOverdue();
  // What is wrong with it, also with full contact: lists that leave verdicts open. Empty: nothing.
  // Looks at every list.
  std::string Problem() const;

  // What decides verdicts there, our own writes included.
  verify::WorkerObjects& objects() { return objects_; }
  const verify::WorkerObjects& objects() const { return objects_; }
  verify::WorkerFacts Facts() const;
  // What dispatched workloads will take there.
  AssumeCache& assumed() { return assumed_; }
  const AssumeCache& assumed() const { return assumed_; }
  // The copies there: of which workload, and of whom.
  const WorkerCopies& copies() const { return copies_; }
  // What is watched there, and how jobs of one kind can be followed.
  WorkerKinds& kinds() { return kinds_; }
  const WorkerKinds& kinds() const { return kinds_; }
  // Since when there is no contact.
  WorkerOutage& outage() { return outage_; }
  // Our clones that are not admitted yet, those just created included. `us`: on copies, complete
  // (ManagerIdentity).
  int waiting_clones(const tracking::Identity& us) const;

 private:
  verify::WorkerObjectsListener ForObjects();
  placement::Contact ContactOver(const ConnectionState& connection) const;
  WorkerStatus StatusOver(ConnectionState connection) const;
  verify::WorkerFacts FactsOver(ConnectionState connection) const;
  bool HasAnsweredOver(const ConnectionState& connection) const;
  std::string ProblemOver(const ConnectionState& connection) const;
  void OnState(const ConnectionState& state);
  void NotePhase();
  void OnHealth();
  void UpdateLoss();

  // Constant after construction.
  const WorkerSettings settings_;
  const Clock& clock_;
  const WorkerListener listener_;

  // As of the last Reconfigure, or the start.
  struct Access {
    kube::AccessSettings settings;
    std::string misconfigured;  // why; empty: usable
    bool operator==(const Access&) const = default;
  };
  Guarded<Access> access_;

  // When the connection's phase was entered: by the wall clock, as of ConnectionState, to tell one
  // phase from another, and in steady time to count from.
  struct PhaseBegin {
    WallTime since{};
    SteadyTime at{};
  };
  Guarded<PhaseBegin> phase_begin_;

  WorkerOutage outage_;

  // Fed by the cluster's reflectors, which end before these go.
  WorkerCopies copies_;
  verify::WorkerObjects objects_;
  AssumeCache assumed_;
  WorkerKinds kinds_;  // watches by the cluster

  Cluster cluster_;
};

}  // namespace fedra::reconcile
