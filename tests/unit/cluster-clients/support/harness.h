#pragma once
//
// A cluster client under test and what it reports, in a form that a test can wait for. Slowness()
// stretches every time-out of a wait.

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "cluster-clients/cluster.h"
#include "cluster-clients/threads.h"
#include "tests/sim/server.h"
#include "tests/support/sim_access.h"

namespace fedra {

using nlohmann::json;

inline const kube::Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap", true};
inline const kube::Resource kJobs{"batch", "v1", "jobs", "Job", true};
inline const kube::Resource kTemplates{"resource.k8s.io", "v1", "resourceclaimtemplates",
                                       "ResourceClaimTemplate", true};

// Probes that follow each other quickly, and time for each answer that a busy machine can need.
ClusterOptions QuickOptions();
// Time-outs short enough for tests of silence; a busy machine may be taken for a silent server.
ClusterOptions ImpatientOptions();

json ConfigMap(const std::string& name, const std::string& value);

// A cluster and every phase it went through.
class TestCluster final {
 public:
  TestCluster(Threads& threads, kube::AccessSettings access,
              ClusterOptions options = QuickOptions(), const std::string& name = "gpu-east");

  Cluster* operator->() { return &cluster_; }
  Cluster& operator*() { return cluster_; }

  // False: not within `timeout`.
  bool WaitFor(const std::function<bool(const ConnectionState& state)>& holds,
               std::chrono::milliseconds timeout = std::chrono::seconds(10));
  bool WaitFor(ConnectionPhase phase, std::chrono::milliseconds timeout = std::chrono::seconds(10));
  std::vector<ConnectionPhase> History() const;

 private:
  struct Seen {
    ConnectionState state;
    std::vector<ConnectionPhase> history;
  };
  Guarded<Seen> seen_;
  Cluster cluster_;
};

// A cache of config maps (any object with data.value) that can be waited for.
class TestCache final {
 public:
  TestCache();

  watch::ObjectCache<std::string>& operator*() { return cache_; }
  watch::ObjectCache<std::string>* operator->() { return &cache_; }

  // A health and what the cache held when it was told.
  struct ToldHealth {
    watch::CacheHealth health;
    std::set<std::string> content;
  };
  // In order.
  std::vector<ToldHealth> Healths() const;

  // "name=value" of every object.
  std::set<std::string> Content() const;
  bool WaitForContent(const std::set<std::string>& content,
                      std::chrono::milliseconds timeout = std::chrono::seconds(10));
  // As it was told: a state may be seen before that.
  bool WaitForState(watch::CacheState state,
                    std::chrono::milliseconds timeout = std::chrono::seconds(10));
  bool WaitForHeard(const std::string& what,
                    std::chrono::milliseconds timeout = std::chrono::seconds(10));
  // Every change in order, "name:before>after", as soon as there are that many: what an object is
  // now may be seen before it has been told. After ten seconds what there is.
  std::vector<std::string> Heard(size_t count);

 private:
  bool Wait(const std::function<bool()>& holds, std::chrono::milliseconds timeout);

  struct Seen {
    std::vector<std::string> heard;
    std::vector<ToldHealth> healths;
    int changes = 0;
  };
  Guarded<Seen> seen_;
  watch::ObjectCache<std::string> cache_;
};

}  // namespace fedra
