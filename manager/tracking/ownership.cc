#include "manager/tracking/ownership.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {
namespace {

constexpr std::pair<Mode, std::string_view> kModes[] = {{Mode::kAdmissionCheck, "admissionCheck"},
                                                        {Mode::kMultiKueue, "multikueue"},
                                                        {Mode::kDispatcher, "dispatcher"}};

CopyMarks Read(const nlohmann::json& metadata, std::string_view origin_label,
               std::string_view source_annotation) {
  const nlohmann::json& annotations = Member(metadata, "annotations");
  return {.origin = Text(Member(metadata, "labels"), origin_label),
          .made_by = Text(annotations, kManagerUidAnnotation),
          .source_uid = Text(annotations, source_annotation),
          .workload = {}};
}

// Kueue's, which says no more than its origin and, on a job, the name of the Workload.
Ownership OwnershipOfUnmarked(const CopyMarks& marks, std::string_view source_uid,
                              std::string_view source_name) {
  const bool is_of_another = !marks.workload.empty() && marks.workload != source_name;
  return source_uid.empty() || is_of_another ? Ownership::kOursEarlier : Ownership::kOurs;
}

}  // namespace

Ownership OwnershipOf(const CopyMarks& marks, const Identity& us, std::string_view source_uid,
                      std::string_view source_name) {
  if (us.origin.empty() || marks.origin != us.origin) return Ownership::kForeign;
  // Kueue's say nothing of their source. The names of Workloads differ with their jobs' UIDs.
  if (KueueCopies(us.mode)) return source_uid.empty() ? Ownership::kOursEarlier : Ownership::kOurs;
  if (TakesOver(us.mode) && marks.source_uid.empty() && marks.made_by.empty())
    return OwnershipOfUnmarked(marks, source_uid, source_name);
  if (marks.source_uid.empty()) return Ownership::kForeign;
  const bool is_of_source = marks.source_uid == source_uid;
  if (!marks.made_by.empty() && marks.made_by != us.manager) {
    const bool may_be_ours = us.manager.empty();
    return may_be_ours && is_of_source ? Ownership::kOurs : Ownership::kOtherManager;
  }
  return is_of_source ? Ownership::kOurs : Ownership::kOursEarlier;
}

bool IsCopyOfNoneOf(std::span<const std::string> managers, const CopyMarks& marks) {
  if (!IsCopy(marks)) return false;
  return marks.made_by.empty() || std::ranges::find(managers, marks.made_by) == managers.end();
}

std::string_view ToString(Mode mode) {
  for (const auto& [known, word] : kModes)
    if (known == mode) return word;
  return {};
}

std::optional<Mode> ParseMode(std::string_view word) {
  for (const auto& [mode, known] : kModes)
    if (known == word) return mode;
  return std::nullopt;
}

std::string_view ToString(Ownership ownership) {
  switch (ownership) {
    case Ownership::kForeign:
      break;
    case Ownership::kOtherManager:
      return "otherManager";
    case Ownership::kOursEarlier:
      return "oursEarlier";
    case Ownership::kOurs:
      return "ours";
  }
  return "foreign";
}

CopyMarks ReadCopyMarks(const nlohmann::json& metadata) {
  return Read(metadata, kOriginLabel, kWorkloadUidAnnotation);
}

CopyMarks ReadTemplateMarks(const nlohmann::json& metadata) {
  return Read(metadata, kCopyOriginLabel, kTemplateUidAnnotation);
}

}  // namespace fedra::tracking
