#include "manager/reconcile/shared_outages.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/object_names.h"
#include "base/time.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

using nlohmann::json;

json DataOf(const Outages& outages) {
  json data = json::object();
  for (const auto& [worker, since] : outages) data[worker.value] = FormatRfc3339(since);
  return data;
}

// managedFields name each key once more.
size_t BytesOf(const ClusterName& worker) {
  constexpr size_t kTimeAndMarks = 40;
  return 2 * worker.value.size() + kTimeAndMarks;
}

// The last by name go.
void Bound(Outages& outages) {
  size_t count = 0;
  size_t bytes = 0;
  const auto past = std::ranges::find_if(outages, [&](const auto& outage) {
    bytes += BytesOf(outage.first);
    return ++count > kMaxOutages || bytes > kMaxOutageBytes;
  });
  outages.erase(past, outages.end());
}

Result<OutageMap> ParseWrittenMap(const std::string& text) {
  FEDRA_ASSIGN_OR_RETURN(const json object, watch::ParseJson(text));
  return ParseOutageMap(object);
}

}  // namespace

OutageMap ParseOutageMap(const json& object) {
  OutageMap map;
  map.version =
      ResourceVersion(tracking::Text(tracking::Member(object, "metadata"), "resourceVersion"));
  const json& data = tracking::Member(object, "data");
  if (!data.is_object()) return map;
  for (const auto& [worker, text] : data.items()) {
    if (map.outages.size() >= kMaxOutages) break;
    const auto since = ParseRfc3339(tracking::Text(data, worker));
    if (IsDnsSubdomain(worker) && since) map.outages.emplace(worker, *since);
  }
  return map;
}

std::string OutageMapBody(const ObjectKey& key, const Outages& outages) {
  return tracking::Dump(json{{"apiVersion", tracking::kConfigMaps.ApiVersion()},
                             {"kind", tracking::kConfigMaps.kind},
                             {"metadata", {{"namespace", key.ns}, {"name", key.name}}},
                             {"data", DataOf(outages)}});
}

std::string OutageMapPatch(const OutageMap& before, const Outages& outages) {
  json data = DataOf(outages);
  for (const auto& [worker, since] : before.outages)
    if (!outages.contains(worker)) data[worker.value] = nullptr;
  return tracking::Dump(
      json{{"metadata", {{"resourceVersion", before.version.value}}}, {"data", std::move(data)}});
}

bool SharedOutages::Set(Outages now) {
  Bound(now);
  for (auto& [worker, since] : now) since = std::chrono::floor<std::chrono::seconds>(since);
  return wanted_.With([&](std::optional<Outages>& wanted) {
    if (wanted == now) return false;
    wanted = std::move(now);
    return true;
  });
}

Result<void> SharedOutages::Run() {
  if (!known_) FEDRA_RETURN_IF_ERROR(Read());
  const std::optional<Outages> wanted = wanted_.Copy();
  if (!known_ || !wanted || *wanted == known_->outages) return {};
  return Write(*wanted);
}

Result<void> SharedOutages::Read() {
  const Result<std::string> text = manager_.Get(tracking::kConfigMaps, map_);
  OutageMap read;
  if (text) {
    FEDRA_ASSIGN_OR_RETURN(read, ParseWrittenMap(*text));
  } else if (text.error().code != ErrorCode::kNotFound) {
    FEDRA_RETURN_IF_ERROR(Refused(text.error(), cannot_read_));
    left_.With([](std::optional<Outages>& left) { left.emplace(); });
    return {};
  }
  cannot_read_ = false;
  // What comes later is not another leader's.
  left_.With([&](std::optional<Outages>& left) {
    if (!left) left = read.outages;
  });
  known_ = std::move(read);
  return {};
}

Result<void> SharedOutages::Write(const Outages& outages) {
  const bool is_new = known_->version.value.empty();
  const Result<std::string> written =
      is_new ? manager_.Create(tracking::kConfigMaps, map_.ns, OutageMapBody(map_, outages))
             : manager_.MergePatch(tracking::kConfigMaps, map_, OutageMapPatch(*known_, outages));
  if (written) {
    cannot_write_ = false;
    FEDRA_ASSIGN_OR_RETURN(known_, ParseWrittenMap(*written));
    return {};
  }
  known_.reset();  // another client has changed or deleted it
  if (!is_new && written.error().code == ErrorCode::kNotFound)
    return Fail(ErrorCode::kConflict, written.error().message);
  return Refused(written.error(), cannot_write_);
}

Result<void> SharedOutages::Refused(const Error& error, bool& complained) const {
  if (error.code == ErrorCode::kCancelled) return {};
  if (!IsRefusal(error.code)) return Fail(error);
  if (!std::exchange(complained, true))
    log::Warn("outages of workers are not shared: for a replica that takes over they begin anew",
              {{"configmap", map_.ToString()}, {"error", ToString(error)}});
  return {};
}

}  // namespace fedra::reconcile
