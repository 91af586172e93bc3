#include "manager/cli/snapshots/snapshot_file.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "cluster-clients/kube/resource_name.h"
#include "manager/cli/snapshots/snapshot_codec.h"
#include "manager/report/document.h"
#include "manager/text/output.h"
#include "manager/tracking/resources.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using watch::CacheHealth;
using watch::CacheState;

ordered_json RecordedJson(const ConnectionState& connection) {
  ordered_json object = {{"phase", ToString(connection.phase)},
                         {"since", FormatRfc3339(connection.since)}};
  if (connection.why) {
    object["error"] = {{"code", ToString(connection.why->code)},
                       {"message", connection.why->message}};
  }
  return object;
}

ordered_json RecordedJson(const verify::DeviceStateOptions& options) {
  ordered_json pools = ordered_json::array();
  for (const dra::ScalablePool& pool : options.scalable_pools) {
    pools.push_back({{"class", pool.device_class},
                     {"devices", pool.devices},
                     {"maxNodes", pool.max_nodes},
                     {"nodeLabels", pool.node_labels}});
  }
  return {{"nodeResources", options.node_resources}, {"scalablePools", std::move(pools)}};
}

// What was verified; the members are named as in the configuration where there is one.
ordered_json RecordedJson(const FleetWorkerSettings& settings) {
  const bool require = settings.rules.undeclared == verify::Undeclared::kRequire;
  ordered_json object = {{"drift", WordOf(settings.rules.drift)},
                         {"copiesTemplates", settings.rules.copies_templates},
                         {"capabilities", settings.capabilities},
                         {"requireCapabilities", require},
                         {"queueQuota", settings.verified.queue_quota},
                         {"sharedClaims", verify::ToString(settings.rules.shared_claims)}};
  const auto& devices = settings.verified.devices;
  const auto& dependencies = settings.verified.dependencies;
  if (devices) object["devices"] = RecordedJson(*devices);
  if (dependencies) {
    object["dependencies"] = {{"enforce", dependencies->enforce},
                              {"secrets", dependencies->secrets}};
  }
  return object;
}

ordered_json RecordedJson(const RecordedResource& resource) {
  ordered_json object = {{"resource", resource.name},
                         {"state", WordOf(resource.health.state)},
                         {"complete", resource.health.complete}};
  if (resource.health.error) object["message"] = resource.health.error->message;
  object["items"] = resource.items;
  return object;
}

ordered_json RecordedJson(const RecordedWorker& worker) {
  ordered_json object = {{"name", worker.settings.name.value},
                         {"connection", RecordedJson(worker.connection)},
                         {"kubernetes", worker.kubernetes_version},
                         {"draVersions", worker.dra_versions},
                         {"draResources", worker.dra_resources},
                         {"schedulingResources", worker.scheduling_resources},
                         {"verification", RecordedJson(worker.settings)}};
  object["resources"] = ordered_json::array();
  for (const RecordedResource& resource : worker.resources)
    object["resources"].push_back(RecordedJson(resource));
  return object;
}

kube::ServerInfo ServerOf(const RecordedWorker& worker) {
  kube::ServerInfo server;
  server.git_version = worker.kubernetes_version;
  if (!worker.dra_versions.empty()) server.groups["resource.k8s.io"] = worker.dra_versions;
  for (const std::string& resource : worker.dra_resources)
    server.resources.insert("resource.k8s.io/" + resource);
  for (const std::string& resource : worker.scheduling_resources)
    server.resources.insert("scheduling.k8s.io/" + resource);
  return server;
}

const RecordedResource* Find(const RecordedWorker& worker, const std::string& name) {
  for (const RecordedResource& resource : worker.resources)
    if (resource.name == name) return &resource;
  return nullptr;
}

// A file that does not say of a kind that it was not served does not hold its jobs.
void AddKinds(const RecordedWorker& worker, const tracking::JobKinds& kinds,
              kube::ServerInfo& server) {
  for (const tracking::JobAdapter* kind : kinds.all()) {
    const kube::Resource& jobs = kind->resource();
    const RecordedResource* recorded = Find(worker, RecordedName(jobs, kind->labels_on_worker()));
    if (recorded == nullptr || recorded->health.state != watch::CacheState::kNotServed)
      server.resources.insert(jobs.ApiVersion() + "/" + jobs.plural);
  }
}

// Files of 0.1 do not say whether Workloads could be read; most could.
CacheHealth NotHeld(const verify::Input& input) {
  if (input.resource.kind == tracking::kWorkloads.kind)
    return {.state = CacheState::kSynced, .complete = true};
  CacheHealth health{.state = CacheState::kFailing};
  health.error =
      std::make_shared<const Error>(ErrorCode::kNotFound, "the snapshot does not hold them");
  return health;
}

}  // namespace

std::string RecordedName(const kube::Resource& resource, const std::string& labels) {
  return kube::ResourceName(resource) + (labels.empty() ? "" : "?" + labels);
}

std::string ToText(const SnapshotFile& file) {
  ordered_json document = report::Document("Snapshot");
  document["takenAt"] = FormatRfc3339(file.taken_at);
  document["fedra"] = file.fedra_version;
  document["origin"] = file.us.origin;
  document["mode"] = tracking::ToString(file.us.mode);
  if (file.manager_uid) document["managerUid"] = *file.manager_uid;
  document["namesRedacted"] = file.redacted;
  if (file.manager_templates) document["managerTemplates"] = RecordedJson(*file.manager_templates);
  document["workers"] = ordered_json::array();
  for (const RecordedWorker& worker : file.workers)
    document["workers"].push_back(RecordedJson(worker));
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::unique_ptr<verify::Cache<verify::ClaimSummary>> ManagerTemplatesOf(const SnapshotFile& file) {
  if (!file.manager_templates) return nullptr;
  auto cache = std::make_unique<verify::Cache<verify::ClaimSummary>>(
      &verify::ParseTemplate, [](const ObjectKey&, const auto&, const auto&) {},
      [](const CacheHealth&) {});
  cache->Reset();
  // One that cannot be read is left out, as it would be online.
  for (const json& item : file.manager_templates->items) (void)cache->Upsert(item.dump());
  cache->Synced();
  cache->SetHealth(file.manager_templates->health);
  return cache;
}

std::vector<std::string> FeedRecorded(const RecordedWorker& recorded, FleetWorker& worker) {
  std::vector<std::string> complaints;
  kube::ServerInfo server = ServerOf(recorded);
  AddKinds(recorded, worker.objects().kinds(), server);
  for (const verify::Input& input :
       worker.Inputs(recorded.kubernetes_version.empty() ? nullptr : &server)) {
    const std::string name = RecordedName(input.resource, input.labels);
    const RecordedResource* resource = Find(recorded, name);
    if (resource == nullptr) {
      input.sink->SetHealth(NotHeld(input));
      continue;
    }
    input.sink->Reset();
    for (const json& item : resource->items) {
      const Result<void> taken = input.sink->Upsert(item.dump());
      if (!taken && complaints.size() < kMaxComplaints) {
        complaints.push_back(
            fmt::format("{}: {}: {}", recorded.settings.name.value, name, taken.error().message));
      }
    }
    input.sink->Synced();
    input.sink->SetHealth(resource->health);
  }
  worker.SetConnection(recorded.connection);
  return complaints;
}

}  // namespace fedra::cli
