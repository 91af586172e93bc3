#include "manager/tracking/job_requests.h"

#include <nlohmann/json.hpp>

#include "base/time.h"
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

std::string AnnotationsPatch(const std::string& uid, json annotations) {
  return Dump(json{{"metadata", {{"uid", uid}, {"annotations", std::move(annotations)}}}});
}

}  // namespace

std::shared_ptr<const JobRequests> ReadJobRequests(const json& metadata) {
  const json& annotations = Member(metadata, "annotations");
  JobRequests requests{.retry_at = TimeAt(annotations, kRetryAtAnnotation)};
  if (requests == JobRequests{}) return nullptr;
  return std::make_shared<const JobRequests>(std::move(requests));
}

std::string RetryPatch(const std::string& uid, WallTime at) {
  return AnnotationsPatch(uid, {{std::string(kRetryAtAnnotation), FormatRfc3339Micro(at)}});
}

void RemoveJobRequests(json& annotations) { annotations.erase(std::string(kRetryAtAnnotation)); }

}  // namespace fedra::tracking
