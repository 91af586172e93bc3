#include "config/checks.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace fedra::config {
namespace {

class Checks final {
 public:
  Checks(const Decoded& decoded, const std::string& filename)
      : decoded_(decoded), config_(decoded.configuration), filename_(filename) {}

  Problems Run() {
    CheckManager();
    CheckWorkerNames();
    CheckSameCluster();
    CheckDispatch();
    CheckWorkersFrom();
    CheckMode();
    CheckHighAvailability();
    CheckKinds();
    CheckHttp();
    CheckSecureApi();
    return std::move(problems_);
  }

 private:
  void Add(const std::string& path, std::string problem, std::string hint) {
    problems_.push_back(
        {filename_, MarkOf(decoded_, path), path, std::move(problem), std::move(hint)});
  }
  bool Written(const std::string& path) const { return decoded_.marks.contains(path); }

  void CheckManager() {
    const ManagerSettings& manager = config_.manager;
    const bool kubeconfig = Written("manager.kubeconfig");
    if (manager.in_cluster && (kubeconfig || Written("manager.context"))) {
      Add("manager", "kubeconfig and context exclude inCluster", "keep one of them");
    } else if (!manager.in_cluster && !kubeconfig) {
      Add("manager", "no way to reach the management cluster",
          "set kubeconfig, or inCluster: true inside a pod");
    }
  }

  void CheckWorkerNames() {
    std::map<std::string, size_t> first;
    for (size_t i = 0; i < config_.workers.size(); ++i) {
      const std::string& name = config_.workers[i].name;
      if (name.empty()) continue;
      const std::string path = fmt::format("workers[{}].name", i);
      if (name == "manager")
        Add(path, "\"manager\" is the management cluster's own name", "choose another name");
      const auto [at, fresh] = first.emplace(name, i);
      if (!fresh) {
        Add(path, fmt::format("\"{}\" is also the name of workers[{}]", name, at->second),
            "names must be unique");
      }
    }
  }

  // What can be seen without reading the kubeconfigs; two of them for one server are found later
  // (load.cc).
  void CheckSameCluster() {
    std::map<std::pair<std::string, std::string>, std::string> first;
    if (!config_.manager.kubeconfig.empty()) {
      first.emplace(std::pair(config_.manager.kubeconfig, config_.manager.context), "the manager");
    }
    for (size_t i = 0; i < config_.workers.size(); ++i) {
      const WorkerSettings& worker = config_.workers[i];
      if (worker.kubeconfig.empty()) continue;
      const auto [at, fresh] = first.emplace(std::pair(worker.kubeconfig, worker.context),
                                             fmt::format("workers[{}]", i));
      if (!fresh) {
        Add(fmt::format("workers[{}].kubeconfig", i),
            fmt::format("is the same kubeconfig and context as that of {}", at->second),
            "each cluster may be configured once");
      }
    }
  }

  void CheckDispatch() {
    if (config_.dispatch.policy == DispatchPolicy::kRace && Written("dispatch.candidates")) {
      Add("dispatch.candidates", "has no meaning with policy race",
          "remove it: race uses every eligible worker");
    }
  }

  void CheckWorkersFrom() {
    const WorkersFrom& from = config_.workers_from;
    const std::string profiles = "workersFrom.clusterProfiles";
    const std::string providers = "workersFrom.accessProviders";
    if (Written(profiles) && from.cluster_profiles.ns.empty())
      Add(profiles, "has no namespace", "write namespace: the one where the ClusterProfiles are");
    if (!from.cluster_profiles.ns.empty() && from.access_providers.empty())
      Add(profiles, "no provider gives credentials for ClusterProfiles",
          "write accessProviders, as multiKueue.clusterProfile.accessProviders of Kueue's "
          "configuration");
    if (!from.access_providers.empty() && !DiscoversWorkers(from))
      Add(providers, "has no effect: no ClusterProfile is read",
          "write clusterProfiles or multiKueueClusters, too");
    std::map<std::string, size_t> first;
    for (size_t i = 0; i < from.access_providers.size(); ++i) {
      const auto [at, fresh] = first.emplace(from.access_providers[i].name, i);
      if (!fresh && !at->first.empty())
        Add(fmt::format("{}[{}].name", providers, i),
            fmt::format("\"{}\" is also the name of accessProviders[{}]", at->first, at->second),
            "names must be unique");
    }
  }

  // With mode dispatcher fedra writes nothing on workers, and nothing there is its to keep.
  void CheckMode() {
    if (config_.kueue.mode == KueueMode::kMultiKueue && !config_.workers_from.multi_kueue_clusters)
      Add("kueue.mode", "multikueue takes its workers from MultiKueueClusters",
          "write workersFrom: {multiKueueClusters: true}");
    if (config_.kueue.pods && config_.kueue.mode == KueueMode::kDispatcher)
      Add("kueue.pods", "is not needed with kueue.mode dispatcher: MultiKueue copies pods itself",
          "remove it");
    if (config_.kueue.mode != KueueMode::kDispatcher) return;
    const std::string why = "is not possible with kueue.mode dispatcher: ";
    if (config_.verification.template_sync != SyncPolicy::kNever)
      Add("verification.templates.sync", why + "fedra writes nothing on workers",
          "write Never, and create the templates there");
    if (config_.dispatch.keep_failed.count() != 0)
      Add("dispatch.keepFailed", why + "Kueue removes a job's copies as soon as it has ended",
          "remove it");
    if (config_.dispatch.failure_log_lines != 0)
      Add("dispatch.failureLogLines", why + "Kueue removes a job's pods as soon as it has ended",
          "remove it");
    if (config_.dispatch.removed_workers == RemovedWorkers::kDrain)
      Add("dispatch.removedWorkers", why + "a job that runs is Kueue's to take back",
          "write Keep, and remove the worker from the MultiKueueConfig");
  }

  // NewLeaderElector() of client-go v0.36.3, tools/leaderelection/leaderelection.go, has the same
  // relations; the API counts a Lease's duration in seconds. Between the two ends what the last
  // leader has sent: API servers get so long for it.
  void CheckHighAvailability() {
    const HighAvailabilitySettings& replicas = config_.high_availability;
    const std::string path = "highAvailability.";
    if (replicas.lease_duration < replicas.renew_deadline + std::chrono::seconds(1))
      Add(path + "leaseDuration", "is not a second longer than renewDeadline",
          "15s, 10s and 2s are usual for leaseDuration, renewDeadline and retryPeriod");
    if (replicas.lease_duration % std::chrono::seconds(1) != std::chrono::seconds(0))
      Add(path + "leaseDuration", "is not in whole seconds", "a Lease counts in seconds");
    if (replicas.renew_deadline * 10 <= replicas.retry_period * 12)
      Add(path + "renewDeadline", "is not longer than 1.2 times retryPeriod",
          "a leader needs time for a second try");
  }

  void CheckSecureApi() {
    const SecureApiSettings& secure = config_.api.secure;
    const bool has_certificate = Written("api.secure.certFile");
    if (has_certificate != Written("api.secure.keyFile"))
      Add(has_certificate ? "api.secure.certFile" : "api.secure.keyFile",
          fmt::format("has no {} beside it", has_certificate ? "keyFile" : "certFile"),
          "write both, or none: then a certificate is made");
    if (secure.address.empty() &&
        (has_certificate || Written("api.secure.keyFile") || !secure.hosts.empty()))
      Add("api.secure", "has no address, so that nothing is served",
          "write one, such as address: 0.0.0.0:8443");
    if (!secure.address.empty() && !config_.api.enabled)
      Add("api.secure.address", "is not listened on, for api.enabled is false",
          "remove one of them");
    if (!secure.address.empty() && secure.address == config_.http.address)
      Add("api.secure.address", "is that of http.address, too", "choose another port");
    if (!secure.address.empty() && secure.address == config_.http.health)
      Add("api.secure.address", "is that of http.health, too", "choose another port");
  }

  void CheckHttp() {
    if (config_.http.health == config_.http.address)
      Add("http.health", "is that of http.address, too",
          "choose another port, or remove it: http.address has the same pages");
  }

  void CheckKinds() {
    std::map<std::pair<std::string, std::string>, size_t> first;  // group and kind
    for (size_t i = 0; i < config_.kinds.size(); ++i) {
      const KindSettings& kind = config_.kinds[i];
      const std::string path = fmt::format("kinds[{}]", i);
      const std::string group = kind.api_version.substr(0, kind.api_version.find('/'));
      if (std::ranges::find(kKindsWithRules, fmt::format("{}.{}", kind.kind, group)) !=
          kKindsWithRules.end())
        Add(path + ".kind",
            fmt::format("{} is built in, with rules that an entry cannot have", kind.kind),
            "remove the entry");
      const auto [at, fresh] = first.emplace(std::pair(group, kind.kind), i);
      if (!fresh && !kind.kind.empty())
        Add(path + ".kind", fmt::format("is the same kind as that of kinds[{}]", at->second),
            "one entry for each group and kind");
      if (!kind.active.empty() && kind.cleared.empty() && kind.cleared_conditions.empty())
        Add(path + ".active", "nothing takes this out of the status, and quota would be kept",
            "write cleared or clearedConditions");
      CheckPodSets(kind, path);
    }
  }

  void CheckPodSets(const KindSettings& kind, const std::string& path) {
    for (size_t i = 0; i < kind.pod_sets.size(); ++i) {
      const PodSetSettings& pods = kind.pod_sets[i];
      if (pods.name.empty() == pods.name_at.empty())
        Add(fmt::format("{}.podSets[{}]", path, i),
            pods.name.empty() ? "has no name" : "has both name and nameFrom", "write one of them");
    }
  }

  const Decoded& decoded_;
  const Configuration& config_;
  const std::string& filename_;
  Problems problems_;
};

}  // namespace

Mark MarkOf(const Decoded& decoded, std::string path) {
  while (true) {
    if (const auto found = decoded.marks.find(path); found != decoded.marks.end())
      return found->second;
    const size_t cut = path.find_last_of(".[");
    if (cut == std::string::npos) return {1, 1};
    path.resize(cut);
  }
}

Problems CheckTogether(const Decoded& decoded, const std::string& filename) {
  return Checks(decoded, filename).Run();
}

}  // namespace fedra::config
