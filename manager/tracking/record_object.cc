#include "manager/tracking/record_object.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/object_names.h"
#include "base/text.h"
#include "base/time.h"
#include "base/utf8.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/resources.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

std::optional<WallTime> ReadTime(const json& object, std::string_view name) {
  const auto time = ParseRfc3339(Text(object, name));
  return time ? std::optional(*time) : std::nullopt;
}

// Nothing: it is about no worker, or of no time.
std::optional<RecordedFailure> ReadFailure(const json& entry) {
  RecordedFailure failure;
  failure.worker = ClusterName(Text(entry, "worker"));
  const auto at = ReadTime(entry, "time");
  if (!IsDnsSubdomain(failure.worker.value) || !at) return std::nullopt;
  failure.at = *at;
  failure.reason = Cut(Text(entry, "reason"), kMaxRecordedReason);
  failure.message = Cut(Text(entry, "message"), kMaxRecordedMessage);
  failure.refused = Flag(entry, "refused", false);
  failure.times = std::clamp(Number(entry, "times", 1), 1, kMaxRecordedTimes);
  return failure;
}

// Of two about one worker the later one in the list counts.
std::vector<RecordedFailure> ReadFailures(const json& list) {
  std::vector<RecordedFailure> failures;
  if (!list.is_array()) return failures;
  const size_t first = list.size() - std::min(list.size(), kMaxRecordedFailures);
  for (size_t i = first; i < list.size(); ++i) {
    auto failure = ReadFailure(list[i]);
    if (!failure) continue;
    std::erase_if(failures, [&](const auto& other) { return other.worker == failure->worker; });
    failures.push_back(*std::move(failure));
  }
  return failures;
}

Recorded ReadRecorded(const json& status) {
  return {.attempt = std::clamp(Number(status, "attempt", 0), 0, kMaxRecordedAttempt),
          .attempt_time = ReadTime(status, "attemptTime"),
          .failures = ReadFailures(Member(status, "failures"))};
}

std::string WorkloadUidOf(const json& metadata) {
  const json& owners = Member(metadata, "ownerReferences");
  if (!owners.is_array()) return {};
  const std::string group = kWorkloads.group + "/";
  for (const json& owner : owners) {
    if (Text(owner, "kind") == kWorkloads.kind && Text(owner, "apiVersion").starts_with(group))
      return Text(owner, "uid");
  }
  return {};
}

// As it is read again: Dump() replaces what is no UTF-8, by more bytes, and then it is cut.
std::string Bounded(const std::string& text, size_t limit) {
  return Cut(IsUtf8(text) ? text : json::parse(Dump(json(text))).get<std::string>(), limit);
}

json RecordedStatus(const Recorded& recorded) {
  json failures = json::array();
  const auto& all = recorded.failures;
  const size_t first = all.size() - std::min(all.size(), kMaxRecordedFailures);
  for (size_t i = first; i < all.size(); ++i) {
    const RecordedFailure& failure = all[i];
    failures.push_back({{"worker", failure.worker.value},
                        {"reason", Bounded(failure.reason, kMaxRecordedReason)},
                        {"message", Bounded(failure.message, kMaxRecordedMessage)},
                        {"time", FormatRfc3339Micro(failure.at)},
                        {"refused", failure.refused},
                        {"times", std::clamp(failure.times, 1, kMaxRecordedTimes)}});
  }
  json status{{"attempt", std::clamp(recorded.attempt, 0, kMaxRecordedAttempt)},
              {"failures", std::move(failures)}};
  if (recorded.attempt_time) status["attemptTime"] = FormatRfc3339Micro(*recorded.attempt_time);
  return status;
}

// Without blockOwnerDeletion, for which the admission plugin OwnerReferencesPermissionEnforcement
// wants a right to the owner, too. Of who names any owner it wants the right to delete the record
// (plugin/pkg/admission/gc/gc_admission.go of Kubernetes).
json OwnersOf(const Workload& workload) {
  return json::array({{{"apiVersion", kWorkloads.ApiVersion()},
                       {"kind", kWorkloads.kind},
                       {"name", workload.key.name},
                       {"uid", workload.uid}}});
}

}  // namespace

Result<RecordObject> ParseRecordObject(const json& object) {
  const json& metadata = Member(object, "metadata");
  RecordObject record;
  record.key = {Text(metadata, "namespace"), Text(metadata, "name")};
  if (record.key.name.empty())
    return Fail(ErrorCode::kBadResponse, "a PlacementRecord without name");
  record.uid = Text(metadata, "uid");
  record.version = ResourceVersion(Text(metadata, "resourceVersion"));
  record.deleting = !Text(metadata, "deletionTimestamp").empty();
  record.workload_uid = WorkloadUidOf(metadata);
  record.recorded = ReadRecorded(Member(object, "status"));
  return record;
}

bool IsSameRecord(const Recorded& a, const Recorded& b) {
  return Dump(RecordedStatus(a)) == Dump(RecordedStatus(b));
}

std::string RecordBody(const Workload& workload, const Recorded& recorded) {
  return Dump(json{{"apiVersion", kPlacementRecords.ApiVersion()},
                   {"kind", kPlacementRecords.kind},
                   {"metadata",
                    {{"namespace", workload.key.ns},
                     {"name", workload.key.name},
                     {"ownerReferences", OwnersOf(workload)}}},
                   {"status", RecordedStatus(recorded)}});
}

std::string RecordPatch(const RecordObject& before, const Workload& workload,
                        const Recorded& recorded) {
  json status = RecordedStatus(recorded);
  if (!recorded.attempt_time) status["attemptTime"] = nullptr;
  return Dump(json{{"metadata",
                    {{"uid", before.uid},
                     {"resourceVersion", before.version.value},
                     {"ownerReferences", OwnersOf(workload)}}},
                   {"status", std::move(status)}});
}

}  // namespace fedra::tracking
