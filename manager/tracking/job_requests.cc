#include "manager/tracking/job_requests.h"

#include <nlohmann/json.hpp>

#include "base/object_names.h"
#include "base/time.h"
#include "manager/tracking/cancel_move.h"
#include "manager/tracking/json_fields.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

std::optional<WallTime> TimeAt(const json& annotations, std::string_view name) {
  const std::string text = Text(annotations, name);
  if (text.empty()) return std::nullopt;
  const Result<WallTime> time = ParseRfc3339(text);
  return time ? std::optional(*time) : std::nullopt;
}

// Of a worker: absent, or as a worker may be called.
std::optional<std::string> WorkerAt(const json& annotations, std::string_view name) {
  std::string worker = Text(annotations, name);
  if (!worker.empty() && !IsDnsSubdomain(worker)) return std::nullopt;
  return worker;
}

std::optional<MoveRequest> ReadMove(const json& annotations) {
  const std::optional<WallTime> at = TimeAt(annotations, kMoveAtAnnotation);
  std::optional<std::string> from = WorkerAt(annotations, kMoveFromAnnotation);
  std::optional<std::string> to = WorkerAt(annotations, kMoveToAnnotation);
  if (!at || !from || !to) return std::nullopt;
  return MoveRequest{*at, *std::move(from), *std::move(to)};
}

// A name that is not given takes the annotation away.
json NameOrNull(const std::string& name) { return name.empty() ? json(nullptr) : json(name); }

std::string AnnotationsPatch(const std::string& uid, json annotations) {
  return Dump(json{{"metadata", {{"uid", uid}, {"annotations", std::move(annotations)}}}});
}

}  // namespace

std::shared_ptr<const JobRequests> ReadJobRequests(const json& metadata) {
  const json& annotations = Member(metadata, "annotations");
  JobRequests requests{.retry_at = TimeAt(annotations, kRetryAtAnnotation),
                       .move = ReadMove(annotations)};
  if (requests == JobRequests{}) return nullptr;
  return std::make_shared<const JobRequests>(std::move(requests));
}

std::string RetryPatch(const std::string& uid, WallTime at) {
  return AnnotationsPatch(uid, {{std::string(kRetryAtAnnotation), FormatRfc3339Micro(at)}});
}

std::string MovePatch(const std::string& uid, const MoveRequest& move) {
  return AnnotationsPatch(uid, {{std::string(kMoveAtAnnotation), FormatRfc3339Micro(move.at)},
                                {std::string(kMoveFromAnnotation), NameOrNull(move.from)},
                                {std::string(kMoveToAnnotation), NameOrNull(move.to)}});
}

std::string CancelMovePatch(const std::string& uid) {
  return AnnotationsPatch(uid, {{std::string(kMoveAtAnnotation), nullptr},
                                {std::string(kMoveFromAnnotation), nullptr},
                                {std::string(kMoveToAnnotation), nullptr}});
}

void RemoveJobRequests(json& annotations) {
  for (const std::string_view name :
       {kRetryAtAnnotation, kMoveAtAnnotation, kMoveFromAnnotation, kMoveToAnnotation})
    annotations.erase(std::string(name));
}

}  // namespace fedra::tracking
