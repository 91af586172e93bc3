#pragma once
//
// What is listed and watched on the manager: the one list, with where the objects go.
// ManagerCluster watches it, ManagerLists says by it what is missing; `config validate --connect`
// asks for the rights to it, and a test compares these with deploy/manager-rbac.yaml.
//
// Pure.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster-clients/kube/discovery.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/tracking/kinds/job_kinds.h"

namespace fedra::reconcile {

class ManagerJobs;
class ManagerQueues;
class ManagerTemplates;

// What the inputs feed. It is made where the caches are, and must not outlive them.
struct ManagerSinks {
  ManagerJobs& jobs;
  ManagerQueues& queues;
  ManagerTemplates& templates;
  watch::CacheSink& checks;
  watch::CacheSink& configs;
  watch::CacheSink& worker_clusters;
  // Of one of Discovery::profiles_in.
  std::function<watch::CacheSink&(const std::string& ns)> profiles;
  watch::CacheSink& records;
};

// When a resource that cannot be read now keeps the manager from being usable.
enum class Need {
  kRequired,   // always
  kIfServed,   // unless it is not served: a Kueue may come without it
  kIfGranted,  // unless it is not served, or may not be read
  kOptional,   // never
};

// The objects that make workers.
struct Discovery {
  // The namespace of the Secrets that MultiKueueClusters name; empty: these make none.
  std::string secrets_in;
  std::vector<std::string> profiles_in;  // the namespaces whose ClusterProfiles are read, each once

  bool Any() const { return !secrets_in.empty() || !profiles_in.empty(); }
};

struct ManagerInput {
  kube::Resource resource;  // in the version that the server is read in
  std::string ns = {};      // read in this namespace only; empty: in all
  std::string labels = {};  // a label selector of those that are read; empty: all
  Need need = Need::kRequired;
  // Whether the first decisions wait until it is listed or known to be withheld.
  bool awaited = true;
  // What follows while it may not be read, or fails; empty: the manager cannot be used then.
  std::string_view without = {};
  // Whose jobs these are, or who names these objects; null: it is not of one kind of job. Read only
  // where the manager serves the kind, batch/v1 Job everywhere.
  const tracking::JobAdapter* kind = nullptr;
  std::function<watch::CacheSink&(const ManagerSinks&)> sink = {};  // where its objects go
  bool is_missed_unserved = false;  // that it is not served is a gap, too
  // Another replica that led has written it: after a take-over no older list will do, unless the
  // list fails. An aid, for which nothing waits longer.
  bool is_inherited = false;
};

// What cannot be read of the manager although nothing stops for it.
struct Gap {
  std::string resource;  // as of NameOf()
  std::string why;       // what is wrong with it, and what follows
};

// `server`: null when it is not known. `nominates`: Kueue makes the copies, and its connections to
// workers must be known (kueue.mode dispatcher). `records`: PlacementRecords are read, for there
// are several replicas.
std::vector<ManagerInput> ManagerInputs(const tracking::JobKinds& kinds,
                                        const kube::ServerInfo* server, bool nominates = false,
                                        const Discovery& discovery = {}, bool records = false);

// "clusterqueues.kueue.x-k8s.io"; no two inputs have the same.
std::string NameOf(const ManagerInput& input);

// Refused or not served: what is not there does not keep anything waiting.
bool IsWithheld(const watch::CacheHealth& health);
// Whether the first decisions need not wait for it any longer.
bool HasAnswered(const ManagerInput& input, const watch::CacheHealth& health);
// The same after what is awaited was to be listed again: what cannot be done without is listed, or
// what may be withheld is; and of what is inherited the list has come, or has failed. Of the rest
// an older list is good enough.
bool IsListedAnew(const ManagerInput& input, const watch::CacheHealth& health);
// Whether the manager cannot be used while it is so.
bool IsNeeded(const ManagerInput& input, const watch::CacheHealth& health);
// Nothing: it can be read or is not served, its stream was cut and mends itself, or it is needed.
std::optional<Gap> GapOf(const ManagerInput& input, const watch::CacheHealth& health);

}  // namespace fedra::reconcile
