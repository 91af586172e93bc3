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
         a->client_key_pem == b->client_key_pem && a->warnings == b->warnings;
}

std::string SourceOf(const std::string& name) { return "MultiKueueCluster " + name; }

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
    return Unusable(SourceOf(worker.name),
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
    const bool is_manager = worker.name == "manager";
    if (is_manager || std::any_of(workers.begin(), workers.end(), [&](const WorkerSettings& other) {
          return other.name == worker.name;
        })) {
      loaded.not_used.push_back(
          {SourceOf(worker.name),
           {},
           "",
           is_manager ? "is not used: \"manager\" is the management cluster's own name"
                      : "is not used: workers has one of this name",
           "rename one of them"});
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
