#include "config/discovered.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "config/foreign_kubeconfig.h"

namespace fedra::config {
namespace {

bool IsSame(const ClusterAccess& a, const ClusterAccess& b) {
  if (a.has_value() != b.has_value()) return false;
  if (!a) return a.error().problems == b.error().problems && a.error().fault == b.error().fault;
  return ServerKey(*a) == ServerKey(*b) && a->ca_pem == b->ca_pem && a->token == b->token &&
         a->client_certificate_pem == b->client_certificate_pem &&
         a->client_key_pem == b->client_key_pem && a->exec == b->exec &&
         a->exec_cluster_config == b->exec_cluster_config && a->warnings == b->warnings;
}

// Why none of this name can be added; empty: it can.
std::string WhyTaken(const std::string& name, const std::vector<WorkerSettings>& workers) {
  if (name == "manager") return "\"manager\" is the management cluster's own name";
  const auto same = std::find_if(workers.begin(), workers.end(),
                                 [&](const WorkerSettings& other) { return other.name == name; });
  if (same == workers.end()) return {};
  return same->discovered ? "a MultiKueueCluster has this name" : "workers has one of this name";
}

// Those who have been in use longer keep their server.
class Servers final {
 public:
  explicit Servers(const Loaded& loaded) {
    if (loaded.manager) names_.emplace(ServerKey(*loaded.manager), "the manager");
    for (size_t i = 0; i < loaded.workers.size(); ++i) {
      if (loaded.workers[i])
        names_.emplace(ServerKey(*loaded.workers[i]),
                       "worker " + loaded.configuration.workers[i].name);
    }
  }

  ClusterAccess Unique(const DiscoveredWorker& worker) {
    if (!worker.access) return worker.access;
    const auto [at, fresh] = names_.emplace(ServerKey(*worker.access), "worker " + worker.name);
    if (fresh) return worker.access;
    return Unusable(worker.found,
                    fmt::format("leads to {}, as {} does", worker.access->server, at->second),
                    "each cluster may be a worker once");
  }

 private:
  std::map<std::array<std::string, 3>, std::string> names_;
};

}  // namespace

bool AreSame(const std::vector<DiscoveredWorker>& some,
             const std::vector<DiscoveredWorker>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](const DiscoveredWorker& a, const DiscoveredWorker& b) {
                      return a.name == b.name && IsSame(a.access, b.access);
                    });
}

void AddDiscovered(const std::vector<DiscoveredWorker>& found, Loaded& loaded) {
  std::vector<WorkerSettings>& workers = loaded.configuration.workers;
  Servers servers(loaded);
  for (const DiscoveredWorker& worker : found) {
    if (const std::string why = WhyTaken(worker.name, workers); !why.empty()) {
      loaded.not_used.push_back(
          {worker.found, {}, "", "is not used: " + why, "rename one of them"});
      continue;
    }
    WorkerSettings settings;
    settings.name = worker.name;
    settings.discovered = true;
    workers.push_back(std::move(settings));
    loaded.workers.push_back(servers.Unique(worker));
  }
}

}  // namespace fedra::config
