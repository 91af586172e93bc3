#include "manager/leader/lease_record.h"

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "cluster-clients/kube/json_object.h"

namespace fedra::leader {
namespace {

using nlohmann::json;

std::string TextAt(const json& spec, const char* name) {
  const auto found = spec.find(name);
  return found != spec.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Within the API's int32; anything else counts as absent.
int NumberAt(const json& spec, const char* name) {
  const auto found = spec.find(name);
  if (found == spec.end() || !found->is_number_integer()) return 0;
  const auto number = found->get<int64_t>();
  return number < 0 || number > INT32_MAX ? 0 : static_cast<int>(number);
}

void PutRecord(json& spec, const LeaseRecord& record) {
  spec["holderIdentity"] = record.holder;
  spec["leaseDurationSeconds"] = record.duration_seconds;
  spec["acquireTime"] = record.acquire_time;
  spec["renewTime"] = record.renew_time;
  spec["leaseTransitions"] = record.transitions;
}

// Longer than any of ours.
constexpr size_t kLongestNote = 4'096;

std::string NoteAt(const json& metadata, const char* name) {
  const auto annotations = metadata.find("annotations");
  if (annotations == metadata.end() || !annotations->is_object()) return {};
  std::string note = TextAt(*annotations, name);
  return note.size() <= kLongestNote ? note : std::string();
}

void PutNote(json& metadata, const char* name, const std::string& note) {
  json& annotations = metadata["annotations"];
  if (!annotations.is_object()) annotations = json::object();
  if (note.empty())
    annotations.erase(name);
  else
    annotations[name] = note;
  if (annotations.empty()) metadata.erase("annotations");
}

void PutNotes(json& metadata, const HolderNotes& notes) {
  PutNote(metadata, kVersionAnnotation, notes.version);
  PutNote(metadata, kConfigurationAnnotation, notes.configuration);
}

std::string LeaseText(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

Result<Lease> ReadLease(const std::string& text) {
  const std::optional<json> object = kube::ParseObject(text);
  if (!object) return Fail(ErrorCode::kBadResponse, "a Lease that is no object");
  const auto metadata = object->find("metadata");
  if (metadata == object->end() || !metadata->is_object() ||
      TextAt(*metadata, "resourceVersion").empty())
    return Fail(ErrorCode::kBadResponse, "a Lease without a resourceVersion");
  Lease lease{.record = {},
              .notes = {.version = NoteAt(*metadata, kVersionAnnotation),
                        .configuration = NoteAt(*metadata, kConfigurationAnnotation)},
              .object = text};
  const auto spec = object->find("spec");
  if (spec == object->end() || !spec->is_object()) return lease;
  lease.record = {.holder = TextAt(*spec, "holderIdentity"),
                  .duration_seconds = NumberAt(*spec, "leaseDurationSeconds"),
                  .acquire_time = TextAt(*spec, "acquireTime"),
                  .renew_time = TextAt(*spec, "renewTime"),
                  .transitions = NumberAt(*spec, "leaseTransitions")};
  return lease;
}

std::string NewLease(const ObjectKey& key, const LeaseRecord& record, const HolderNotes& notes) {
  json object{{"apiVersion", kLeases.group + "/" + kLeases.version},
              {"kind", kLeases.kind},
              {"metadata", {{"namespace", key.ns}, {"name", key.name}}}};
  PutRecord(object["spec"], record);
  PutNotes(object["metadata"], notes);
  return LeaseText(object);
}

std::string ChangedLease(const Lease& lease, const LeaseRecord& record, const HolderNotes& notes) {
  json object = kube::ParseObject(lease.object).value_or(json::object());
  json& spec = object["spec"];
  if (!spec.is_object()) spec = json::object();
  PutRecord(spec, record);
  PutNotes(object["metadata"], notes);
  return LeaseText(object);
}

}  // namespace fedra::leader
