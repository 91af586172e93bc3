// Reading a snapshot file: untrusted bytes become a SnapshotFile, or an error that names the place.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/cli/snapshots/snapshot_codec.h"
#include "manager/cli/snapshots/snapshot_file.h"

namespace fedra::cli {
namespace {

using nlohmann::json;

constexpr size_t kMaxWorkers = 10'000;
constexpr size_t kMaxResources = 100;  // of one worker; there are about 15
constexpr int64_t kMaxNumber = 1'000'000;
constexpr size_t kMaxItems = 2'000'000;  // of one resource
constexpr size_t kMaxNames = 10'000;     // versions, capabilities, scalable pools of one worker

// One value of the document and where it is. The first thing that is wrong is remembered; what
// is wrong reads as empty.
class Place final {
 public:
  Place(const json& value, std::string path, std::optional<Error>& error)
      : value_(value), path_(std::move(path)), error_(error) {}

  const json& value() const { return value_; }
  std::string Path(std::string_view member) const {
    return path_.empty() ? std::string(member) : fmt::format("{}.{}", path_, member);
  }
  void Complain(const std::string& where, std::string_view what) const {
    if (!error_)
      error_ = Error{ErrorCode::kInvalidArgument, fmt::format("{}: {}", where, what), {}, {}};
  }

  const json* Find(const char* member) const {
    const auto found = value_.find(member);
    return found == value_.end() || found->is_null() ? nullptr : &*found;
  }
  std::string Text(const char* member) const {
    const json* found = Find(member);
    if (found != nullptr && found->is_string()) return found->get<std::string>();
    Complain(Path(member), found == nullptr ? "is missing" : "must be a text");
    return {};
  }
  bool Flag(const char* member) const {
    const json* found = Find(member);
    if (found != nullptr && found->is_boolean()) return found->get<bool>();
    Complain(Path(member), found == nullptr ? "is missing" : "must be true or false");
    return false;
  }
  int Number(const char* member) const {
    const json* found = Find(member);
    if (found != nullptr && found->is_number_integer()) {
      const auto number = found->get<int64_t>();
      if (number >= 0 && number <= kMaxNumber) return static_cast<int>(number);
    }
    Complain(Path(member), fmt::format("must be a number from 0 to {}", kMaxNumber));
    return 0;
  }
  // visit(Place of an object)
  template <class Visit>
  void ForObject(const char* member, Visit&& visit) const {
    const json* found = Find(member);
    if (found == nullptr) return;
    if (!found->is_object()) return Complain(Path(member), "must be an object");
    visit(Place(*found, Path(member), error_));
  }
  // visit(const json& element, const std::string& path); absent: none.
  template <class Visit>
  void ForEach(const char* member, size_t limit, Visit&& visit) const {
    const json* found = Find(member);
    if (found == nullptr) return;
    if (!found->is_array()) return Complain(Path(member), "must be a list");
    if (found->size() > limit)
      return Complain(Path(member), fmt::format("has more than {} entries", limit));
    for (size_t i = 0; i < found->size(); ++i)
      visit((*found)[i], fmt::format("{}[{}]", Path(member), i));
  }
  std::vector<std::string> Texts(const char* member, size_t limit) const {
    std::vector<std::string> texts;
    ForEach(member, limit, [&](const json& element, const std::string& path) {
      if (!element.is_string()) return Complain(path, "must be a text");
      texts.push_back(element.get<std::string>());
    });
    return texts;
  }
  template <class Visit>
  void ForEachObject(const char* member, size_t limit, Visit&& visit) const {
    ForEach(member, limit, [&](const json& element, const std::string& path) {
      if (!element.is_object()) return Complain(path, "must be an object");
      visit(Place(element, path, error_));
    });
  }

 private:
  const json& value_;
  const std::string path_;
  std::optional<Error>& error_;
};

WallTime ReadTime(const Place& place, const char* member) {
  const auto time = ParseRfc3339(place.Text(member));
  if (time) return *time;
  place.Complain(place.Path(member), "must be a time such as 2026-11-21T16:11:19Z");
  return {};
}

ConnectionState ReadConnection(const Place& place) {
  ConnectionState connection;
  const auto phase = ParsePhase(place.Text("phase"));
  if (!phase) place.Complain(place.Path("phase"), "is none of the phases of a connection");
  connection.phase = phase.value_or(ConnectionPhase::kUnreachable);
  connection.since = ReadTime(place, "since");
  place.ForObject("error", [&](const Place& error) {
    connection.why = Error{ParseErrorCode(error.Text("code")), error.Text("message"), {}, {}};
  });
  return connection;
}

RecordedResource ReadResource(const Place& place) {
  RecordedResource resource;
  resource.name = place.Text("resource");
  const auto state = ParseCacheState(place.Text("state"));
  if (!state) {
    place.Complain(place.Path("state"), "must be Synced, Listing, Forbidden, NotServed or Failing");
  }
  resource.health.state = state.value_or(watch::CacheState::kFailing);
  resource.health.complete = place.Flag("complete");
  if (place.Find("message") != nullptr)
    resource.health.error =
        std::make_shared<const Error>(ErrorCode::kUnavailable, place.Text("message"));
  place.ForEachObject("items", kMaxItems,
                      [&](const Place& item) { resource.items.push_back(item.value()); });
  return resource;
}

dra::ScalablePool ReadPool(const Place& place) {
  dra::ScalablePool pool{.device_class = place.Text("class"),
                         .devices = place.Number("devices"),
                         .node_labels = {},
                         .max_nodes = place.Number("maxNodes")};
  place.ForObject("nodeLabels", [&](const Place& labels) {
    for (const auto& [key, value] : labels.value().items())
      pool.node_labels.emplace(key, labels.Text(key.c_str()));
  });
  return pool;
}

void ReadSettings(const Place& place, FleetWorkerSettings& settings) {
  const auto drift = ParseDrift(place.Text("drift"));
  if (!drift) place.Complain(place.Path("drift"), "must be Ignore, Warn or Require");
  settings.rules.drift = drift.value_or(verify::Drift::kIgnore);
  settings.rules.copies_templates = place.Flag("copiesTemplates");
  settings.capabilities = place.Texts("capabilities", kMaxNames);
  settings.rules.undeclared =
      place.Flag("requireCapabilities") ? verify::Undeclared::kRequire : verify::Undeclared::kWarn;
  if (place.Find("queueQuota") != nullptr) settings.verified.queue_quota = place.Flag("queueQuota");
  if (place.Find("sharedClaims") != nullptr) {
    const auto shared = verify::ParseSharedClaims(place.Text("sharedClaims"));
    if (!shared)
      place.Complain(place.Path("sharedClaims"), "must be PreferTogether or RequireTogether");
    settings.rules.shared_claims = shared.value_or(settings.rules.shared_claims);
  }
  place.ForObject("devices", [&](const Place& object) {
    verify::DeviceStateOptions& devices = settings.verified.devices.emplace();
    devices.node_resources = object.Flag("nodeResources");
    object.ForEachObject("scalablePools", kMaxNames, [&](const Place& pool) {
      devices.scalable_pools.push_back(ReadPool(pool));
    });
  });
  place.ForObject("dependencies", [&](const Place& object) {
    settings.verified.dependencies = {.enforce = object.Flag("enforce"),
                                      .secrets = object.Flag("secrets")};
  });
}

RecordedWorker ReadWorker(const Place& place) {
  RecordedWorker worker;
  worker.settings.verified.kinds = tracking::BuiltInKindsAndPods();
  worker.settings.name = ClusterName(place.Text("name"));
  if (worker.settings.name.empty()) place.Complain(place.Path("name"), "is empty");
  for (const char* member : {"connection", "verification"})
    if (place.Find(member) == nullptr) place.Complain(place.Path(member), "is missing");
  place.ForObject("connection",
                  [&](const Place& object) { worker.connection = ReadConnection(object); });
  place.ForObject("verification",
                  [&](const Place& object) { ReadSettings(object, worker.settings); });
  worker.kubernetes_version = place.Text("kubernetes");
  if (worker.kubernetes_version.empty() && worker.connection.phase == ConnectionPhase::kConnected)
    place.Complain(place.Path("kubernetes"),
                   "is empty: it says by which release's rules the worker is judged, as v1.36.3");
  worker.dra_versions = place.Texts("draVersions", kMaxNames);
  worker.dra_resources = place.Texts("draResources", kMaxNames);
  worker.scheduling_resources = place.Texts("schedulingResources", kMaxNames);
  place.ForEachObject("resources", kMaxResources, [&](const Place& object) {
    worker.resources.push_back(ReadResource(object));
  });
  return worker;
}

tracking::Identity ReadIdentity(const Place& place) {
  tracking::Identity us{.origin = place.Text("origin")};
  if (place.Find("mode") == nullptr) return us;
  const auto mode = tracking::ParseMode(place.Text("mode"));
  if (!mode) place.Complain("mode", "must be admissionCheck, multikueue or dispatcher");
  us.mode = mode.value_or(us.mode);
  return us;
}

void CheckHead(const Place& place) {
  const std::string kind = place.Text("kind");
  if (kind != "Snapshot")
    return place.Complain("kind", fmt::format("is \"{}\", not Snapshot; make one with "
                                              "`fedra snapshot -f FILE`",
                                              kind));
  const std::string version = place.Text("apiVersion");
  if (version != "fedra.dev/v1alpha1")
    place.Complain("apiVersion",
                   fmt::format("is \"{}\"; this fedra reads fedra.dev/v1alpha1", version));
}

}  // namespace

Result<SnapshotFile> ParseSnapshot(std::string_view text) {
  if (text.size() > kMaxSnapshotBytes) {
    return Fail(ErrorCode::kTooLarge,
                fmt::format("{} bytes; at most {} are read", text.size(), kMaxSnapshotBytes));
  }
  const Result<json> parsed = watch::ParseJson(text);
  if (!parsed) {
    return Fail(ErrorCode::kInvalidArgument,
                parsed.error().message + ": this is not a file written by `fedra snapshot`");
  }
  const json& document = *parsed;
  std::optional<Error> error;
  const Place place(document, "", error);
  CheckHead(place);
  if (error) return Fail(*std::move(error));
  SnapshotFile file;
  file.taken_at = ReadTime(place, "takenAt");
  file.fedra_version = place.Text("fedra");
  file.us = ReadIdentity(place);
  if (place.Find("managerUid") != nullptr) file.manager_uid = place.Text("managerUid");
  file.redacted = place.Flag("namesRedacted");
  place.ForObject("managerTemplates",
                  [&](const Place& object) { file.manager_templates = ReadResource(object); });
  place.ForEachObject("workers", kMaxWorkers, [&](const Place& object) {
    file.workers.push_back(ReadWorker(object));
    file.workers.back().settings.us = file.us;
  });
  if (error) return Fail(*std::move(error));
  if (file.workers.empty()) return Fail(ErrorCode::kInvalidArgument, "workers: there are none");
  return file;
}

}  // namespace fedra::cli
