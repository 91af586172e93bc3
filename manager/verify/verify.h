#pragma once
//
// The verdict: can this job run on that worker, and if not, why not. The only place that puts it
// together, for the daemon and for every command: existence, other objects that pods name, devices,
// schedulers. What concerns several workers at once is in named_claims.h.
//
// Pure given the objects, which change under it; each object that is read is immutable.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster-clients/connection_state.h"
#include "dra/judge/judge.h"
#include "manager/tracking/admission_check.h"
#include "manager/tracking/multi_kueue_cluster.h"
#include "manager/tracking/ownership.h"
#include "manager/tracking/pod_set.h"
#include "manager/tracking/requirement.h"
#include "manager/verify/existence.h"
#include "manager/verify/worker_objects.h"
#include "verdict/verdict.h"

namespace fedra::verify {

// Whether what the worker shows of jobs of this kind can be acted upon: it is connected, and the
// clones and jobs there are known; for the daemon Contact::kFull says the same. A claim that is
// allocated on another worker keeps no job there.
bool IsUsable(const WorkerObjects& worker, const tracking::JobAdapter& kind,
              const ConnectionState& connection);

// Why a job may not run on a worker: it was removed from the configuration, an administrator has
// cordoned it, this AdmissionCheck does not name it, or Kueue's MultiKueue, which would copy the
// job, is not connected to it
// (`cluster`: null when the manager has none of that name).
verdict::Reason WorkerRemoved();
verdict::Reason WorkerCordoned(const tracking::Cordon& cordon);
verdict::Reason ExcludedBy(const std::string& admission_check);
verdict::Reason KueueDisconnected(const tracking::MultiKueueCluster* cluster);

// What is asked about. Lives for one call.
struct Subject {
  const tracking::Requirement& requirement;
  // Of the job's kind; null: fedra does not read it, and its pods are all that is known of it.
  const tracking::JobAdapter* adapter = nullptr;
  std::vector<Namesake> namesakes;  // on this worker
  // Why the job may not run there, whatever the worker has; absent: it may. Nothing else is judged.
  std::optional<verdict::Reason> not_allowed = std::nullopt;
  // Its own job, or one that has pods of it, is on this worker: its pods hold their devices, or
  // wait for them there.
  bool is_there = false;
  // Its own copy has its quota on this worker: what is reserved there is, in part, its own.
  bool has_quota = false;
};

// What else must be known of the worker.
struct WorkerFacts {
  ConnectionState connection;
  std::vector<std::string> capabilities;  // as the configuration declares them
  std::vector<std::string> dra_versions;  // of resource.k8s.io that it serves; empty: none
};

struct VerifyOptions {
  ExistenceOptions existence;
  // Whether the judgement is wanted in detail, for a person. Without, what was asked before is
  // answered from memory while nothing has changed.
  bool in_detail = false;
  bool serving = false;  // whether the devices that could serve the job are wanted
};

struct Verified {
  verdict::Verdict verdict;
  bool has_room = false;                    // in its queue, as far as that is known
  bool devices_judged = false;              // with VerifyOptions::in_detail
  std::vector<dra::PodSetReport> pod_sets;  // likewise
  // With VerifyOptions::serving, where devices were judged: those that could serve the job, free or
  // not.
  std::shared_ptr<const dra::DeviceSet> serving;
};

// What other workloads will take that were dispatched to the worker.
struct Assumed {
  // Their pods. Asked only when devices are judged; null: there are none.
  std::function<dra::AssumedList()> pods = nullptr;
  // What they will take of a ClusterQueue, beside what its status counts. Asked only when its quota
  // is judged; null: nothing.
  std::function<QuotaAmounts(const std::string& cluster_queue)> quota = nullptr;
};

Verified Verify(const Subject& subject, const WorkerObjects& worker, const WorkerFacts& facts,
                const Assumed& assumed, const VerifyOptions& options);

// Whether a resource stands for devices on the worker, which it must not outlive: all classes there
// are looked at once it is asked.
IsDevice DevicesOf(const WorkerObjects& worker);

}  // namespace fedra::verify
