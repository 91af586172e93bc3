#pragma once
//
// Does everything a job needs exist on one worker? The existence half of a verdict; devices are
// judged in dra/.
//
// Pure given its inputs: it looks into caches, which change under it, but each object it reads is
// immutable. The worker's own copy of a template counts: the manager need not have one at all when
// its Kueue leaves devices alone.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cluster-clients/connection_state.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/tracking/requirement.h"
#include "manager/verify/copies_there.h"
#include "manager/verify/objects.h"
#include "manager/verify/queue_quota.h"
#include "manager/verify/references.h"
#include "manager/verify/rules.h"
#include "verdict/verdict.h"

namespace fedra::verify {

template <class T>
using Cache = watch::ObjectCache<T>;

// What is known of one worker. Lifetime: the caches outlive the view.
struct WorkerView {
  ConnectionState connection;
  const Cache<Namespace>& namespaces;
  const Cache<LocalQueue>& queues;
  const Cache<ClusterQueue>& cluster_queues;
  const Cache<ClaimSummary>& templates;
  const Cache<ClaimSummary>& claims;
  const Cache<ClassSummary>& classes;
  watch::CacheHealth clones;                   // of the lists of Kueue's Workloads
  watch::CacheHealth jobs;                     // and of the job's kind
  std::string job_plural;                      // "jobs"; empty: the kind is not read
  const ReferenceIndex* references = nullptr;  // of the job's kind; null: its jobs name none
  std::vector<Namesake> namesakes;
  std::vector<std::string> capabilities;  // as the configuration declares them
  std::vector<std::string> dra_versions;  // of resource.k8s.io that it serves; empty: none
};

struct ExistenceOptions {
  Rules rules;
  // The manager's own templates, for drift and for copies; null: they are not known.
  const Cache<ClaimSummary>* manager_templates = nullptr;
  // And its own objects that jobs of the kind name, for drift; null: they are not known.
  const ReferenceIndex* manager_references = nullptr;
  // What this worker has said against copies, by the templates' names in the job's namespace.
  std::map<std::string, verdict::Reason> refused_copies;
};

// Every reason against the worker, most fundamental first; behind them, and with
// outcome kYes, there may be notes (TemplateDrift, CapabilityUndeclared, and TemplateMissing for
// what is copied). kUnknown: 403, or data that is incomplete; an API that is not served is a No.
// Looks at all of the requirement, so that a user sees everything that is missing at once.
verdict::Verdict VerifyExistence(const tracking::Requirement& requirement, const WorkerView& worker,
                                 const ExistenceOptions& options);

// The manager's templates that a worker which lacks them gets with the jobs that name them.
// Lifetime: the manager's templates must outlive it.
TemplatesToCome CopiesToCome(const ExistenceOptions& options);

// The reason for a connection that is not kConnected; "no contact for 4m10s (connection refused)".
verdict::Reason ConnectionReason(const ConnectionState& connection);

}  // namespace fedra::verify
