#pragma once
//
// One worker cluster: its connection, since when it is unreachable, our copies and our own writes
// there.
//
// Thread rules: any thread. Listeners run on the pool's threads, and in DropOverdue() and
// UseKinds() on the caller's. They hold no cache's lock, but hold `watching_` when what the server
// serves has changed: a listener must not call UseKinds() (README.md, Order of locks).
// Lifetime: loop, pool and clock must outlive the worker; the listeners' targets must outlive
// Stop().

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "cluster-clients/cluster.h"
#include "manager/placement/view.h"
#include "manager/reconcile/assume_cache.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/workload.h"
#include "manager/verify/dra_api.h"
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
  // Contact was gained or lost, or a cache changed its health: everything about the worker may be
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

// How jobs of one kind can be followed on a worker. With contact to the worker that may still be
// impossible: they may not be read, say, or are not listed yet. Such a kind is lost alone.
struct KindStatus {
  placement::Contact contact = placement::Contact::kNone;
  std::optional<WallTime> lost_since;  // null with full contact
  std::string problem;                 // likewise empty
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
  // New credentials or address, or that there are none. True when that changes anything.
  bool Reconfigure(const kube::AccessSettings& access, std::optional<Error> misconfigured);

  const ClusterName& name() const { return settings_.cluster.name; }
  Cluster& cluster() { return cluster_; }
  std::shared_ptr<const kube::ServerInfo> server() const { return cluster_.server(); }
  WorkerStatus Status() const;
  // `kind`: as of StatusOf().
  WorkerLook Look(const tracking::JobAdapter* kind) const;
  // The same as in Status(), for those who need nothing else.
  placement::Contact contact() const;
  // `kind` null: that of all kinds in use.
  KindStatus StatusOf(const tracking::JobAdapter* kind) const;
  placement::Contact KindContact(const tracking::JobAdapter* kind) const {
    return StatusOf(kind).contact;
  }
  // Jobs of these kinds are read from now on, too.
  void UseKinds(const std::vector<const tracking::JobAdapter*>& kinds);
  // Whether the connection attempt has ended, and if it went well every list has been answered:
  // after an outage, too.
  bool HasAnswered() const;
  // An outage counts from now on: who decided until now may have had no part in it.
  void RestartOutage();
  // Forgets our own writes that no watch has shown in time, and tells of their objects. Call about
  // once a second.
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
  // The jobs here that name this workload as their clone: of a group its members, else one as a
  // rule.
  std::set<tracking::JobKey> JobsOf(const ObjectKey& workload) const;
  // Our clones that are not admitted yet, those just sent included. `us`: on copies, complete
  // (ManagerIdentity).
  int waiting_clones(const tracking::Identity& us) const;
  // Our clones, in whatever state: for status.
  int our_clones(const tracking::Identity& us) const;
  // Whether a copy of this template of the manager could be used there: its namespace is there,
  // stays, and may have admin access if the template asks for it, and the DeviceClasses that it
  // names are there.
  bool CanHold(const verify::ClaimSummary& original) const;

 private:
  placement::Contact ContactOver(const ConnectionState& connection) const;
  WorkerStatus StatusOver(ConnectionState connection) const;
  verify::WorkerFacts FactsOver(ConnectionState connection) const;
  bool HasAnsweredOver(const ConnectionState& connection) const;
  bool KeepsJobs(const ConnectionState& connection) const;
  std::string ProblemOver(const ConnectionState& connection) const;
  void OnState(const ConnectionState& state);
  void NotePhase();
  void OnServer();
  void OnHealth();
  void UpdateLoss();
  void CountClones(const std::shared_ptr<const tracking::Workload>& before,
                   const std::shared_ptr<const tracking::Workload>& after);
  void OnJob(const tracking::JobKey& key, const std::shared_ptr<const tracking::Job>& before,
             const std::shared_ptr<const tracking::Job>& after);
  // The job of this name is not, or no longer, `job`: its workload has none here, and hears of it.
  void ForgetJob(const tracking::JobKey& key, const tracking::Job& job);
  // With `watching_` held.
  void WatchAll(const kube::ServerInfo* server);
  std::vector<std::string> KindsHere(const kube::ServerInfo* server) const;
  struct CloneCount {
    int all = 0;
    int waiting = 0;  // not admitted yet
    int ended = 0;    // finished, and still there
  };
  CloneCount OurClones(const tracking::Identity& us) const;

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

  // By who made them: which are ours is not known before the manager's UID has been read.
  Guarded<std::map<tracking::CopyMarks, CloneCount>> clone_counts_;
  // When the connection's phase was entered: by the wall clock, as of ConnectionState, to tell one
  // phase from another, and in steady time to count from.
  struct PhaseBegin {
    WallTime since{};
    SteadyTime at{};
  };
  Guarded<PhaseBegin> phase_begin_;
  // How long there has been no contact, in steady time, so that a jump of the wall clock moves no
  // deadline.
  struct Loss {
    SteadyTime since{};
    bool kept = false;  // for all we know jobs stay: see WorkerStatus::keeps_jobs
  };
  SteadyTime BeginOf(const Loss& loss, const ConnectionState& connection) const;
  Guarded<std::optional<Loss>> lost_;
  // Clone -> remote jobs; none is empty.
  Guarded<std::unordered_map<ObjectKey, std::set<tracking::JobKey>>> jobs_of_;

  // Fed by the cluster's reflectors, which end before these go.
  verify::WorkerObjects objects_;
  AssumeCache assumed_;

  // What is watched, and what of the server that was chosen by. One watch of an input at a time.
  std::mutex watching_;
  std::optional<verify::DraApi> dra_;    // nothing before the first connection
  std::vector<std::string> kinds_here_;  // in use and served there, by name

  Cluster cluster_;
};

}  // namespace fedra::reconcile
