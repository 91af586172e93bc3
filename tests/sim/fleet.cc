#include "tests/sim/fleet.h"

#include <utility>

#include "base/assert.h"

namespace fedra::sim {
namespace {

constexpr const char* kKueue = "kueue.x-k8s.io/v1beta2";
constexpr const char* kQuota = "1000000";

void Install(Server& server, const Json& object) {
  const auto created = server.objects().Create(object);
  FEDRA_ASSERT(created.has_value(), "the objects of a furnished cluster are valid");
}

Json ClusterQueue(bool manager) {
  Json resources = Json::array();
  for (const char* name : {"cpu", "memory", "pods"}) {
    resources.push_back({{"name", name}, {"nominalQuota", std::string(kQuota) + "G"}});
  }
  Json queue = {{"apiVersion", kKueue},
                {"kind", "ClusterQueue"},
                {"metadata", {{"name", "gpu"}}},
                {"spec",
                 {{"namespaceSelector", Json::object()},
                  {"resourceGroups",
                   {{{"coveredResources", {"cpu", "memory", "pods"}},
                     {"flavors", {{{"name", "default"}, {"resources", resources}}}}}}}}}};
  if (manager) {
    queue["spec"]["admissionChecksStrategy"]["admissionChecks"] = {{{"name", "fedra"}}};
  }
  return queue;
}

}  // namespace

Cluster::Cluster(ServerOptions server_options, const KueueOptions& kueue_options,
                 const JobOptions& job_options, std::shared_ptr<Engine> engine)
    : server(std::move(server_options), std::move(engine)),
      kueue(server, kueue_options),
      jobs(server, job_options),
      deployments(server),
      operators(server, job_options),
      scheduler(server) {}

Fleet::Fleet(FleetOptions options) : engine_(std::make_shared<Engine>(options.threads)) {
  const auto make = [&](const std::string& name, bool manager) {
    ServerOptions server = options.server;
    server.name = name;
    server.device_taint_rules |= name == options.alpha_on;
    server.pod_groups |= name == options.alpha_on;
    auto cluster =
        std::make_unique<Cluster>(std::move(server), options.kueue, options.jobs, engine_);
    if (options.furnished) Furnish(cluster->server, manager);
    names_.push_back(name);
    return cluster;
  };
  manager_ = make("manager", true);
  for (const std::string& name : options.workers) workers_.push_back(make(name, false));
  SetMultiKueue(options.multi_kueue);
}

void Fleet::SetMultiKueue(bool on) {
  multi_kueue_.reset();
  if (!on) return;
  std::map<std::string, Server*> workers;
  for (size_t i = 0; i < workers_.size(); ++i) workers[names_[i + 1]] = &workers_[i]->server;
  multi_kueue_ = std::make_unique<MultiKueue>(manager_->server, std::move(workers));
}

Cluster* Fleet::Find(std::string_view name) {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return i == 0 ? manager_.get() : workers_[i - 1].get();
  }
  return nullptr;
}

void Furnish(Server& server, bool manager) {
  Install(server, {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "ml"}}}});
  Install(
      server,
      {{"apiVersion", kKueue}, {"kind", "ResourceFlavor"}, {"metadata", {{"name", "default"}}}});
  if (manager) {
    Install(server, {{"apiVersion", kKueue},
                     {"kind", "AdmissionCheck"},
                     {"metadata", {{"name", "fedra"}}},
                     {"spec", {{"controllerName", "fedra.dev/federation"}}}});
  }
  Install(server, ClusterQueue(manager));
  Install(server, {{"apiVersion", kKueue},
                   {"kind", "LocalQueue"},
                   {"metadata", {{"name", "gpu"}, {"namespace", "ml"}}},
                   {"spec", {{"clusterQueue", "gpu"}}}});
  if (manager) return;
  Install(
      server,
      {{"apiVersion", "resource.k8s.io/v1"},
       {"kind", "DeviceClass"},
       {"metadata", {{"name", "gpu.example.com"}}},
       {"spec",
        {{"selectors", {{{"cel", {{"expression", "device.driver == \"gpu.example.com\""}}}}}}}}});
  Install(
      server,
      {{"apiVersion", "resource.k8s.io/v1"},
       {"kind", "ResourceClaimTemplate"},
       {"metadata", {{"name", "one-gpu"}, {"namespace", "ml"}}},
       {"spec",
        {{"spec",
          {{"devices",
            {{"requests",
              {{{"name", "gpu"}, {"exactly", {{"deviceClassName", "gpu.example.com"}}}}}}}}}}}}});
}

Json MakeJob(const std::string& name, const std::string& claim_template) {
  Json container = {{"name", "main"},
                    {"image", "registry.example.com/train:1"},
                    {"resources", {{"requests", {{"cpu", "100m"}}}}}};
  Json pod = {{"restartPolicy", "Never"}};
  if (!claim_template.empty()) {
    container["resources"]["claims"] = {{{"name", "gpu"}}};
    pod["resourceClaims"] = {{{"name", "gpu"}, {"resourceClaimTemplateName", claim_template}}};
  }
  pod["containers"] = Json::array({container});
  return {
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata",
       {{"name", name}, {"namespace", "ml"}, {"labels", {{"kueue.x-k8s.io/queue-name", "gpu"}}}}},
      {"spec",
       {{"suspend", true},
        {"managedBy", "kueue.x-k8s.io/multikueue"},
        {"template", {{"spec", pod}}}}}};
}

}  // namespace fedra::sim
