#include "manager/report/row_facts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "manager/report/row_states.h"
#include "verdict/reason.h"
#include "verdict/remedy.h"

namespace fedra::report {

using nlohmann::ordered_json;
using verify::Capacity;

bool AllRefuse(const std::vector<store::VerdictRow>& verdicts, size_t workers) {
  return !verdicts.empty() && verdicts.size() >= workers &&
         std::all_of(verdicts.begin(), verdicts.end(), [](const store::VerdictRow& verdict) {
           const auto outcome = OutcomeOf(verdict);
           return outcome == verdict::Outcome::kNo || outcome == verdict::Outcome::kUnknown;
         });
}

std::vector<verify::KeptReason> ReasonsOf(const store::VerdictRow& verdict) {
  return verify::ParseKeptReasons(verdict.reasons_json);
}

verify::Prospect ProspectOf(const store::VerdictRow& verdict) {
  if (OutcomeOf(verdict) != verdict::Outcome::kNo) return verify::Prospect::kUnclear;
  std::vector<verdict::ReasonCode> codes;
  for (const std::string& kept : verify::ParseKeptCodes(verdict.reasons_json)) {
    const auto code = verdict::ParseReasonCode(kept);
    if (!code) return verify::Prospect::kUnclear;
    codes.push_back(*code);
  }
  return verify::ProspectOf(codes);
}

std::vector<std::string> BusyWorkers(const std::vector<store::VerdictRow>& verdicts) {
  std::vector<std::string> busy;
  for (const store::VerdictRow& row : verdicts)
    if (ProspectOf(row) == verify::Prospect::kWaits) busy.push_back(row.cluster.value);
  return busy;
}

std::optional<Needs> NeedsOf(const store::WorkloadRow& row) {
  const ordered_json parsed =
      ordered_json::parse(row.needs_json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return std::nullopt;
  const auto pods = parsed.find("pods");
  if (pods == parsed.end() || !pods->is_number_integer()) return std::nullopt;
  const auto names = [&](const char* key) {
    std::vector<std::string> found;
    for (const ordered_json& name : parsed.value(key, ordered_json::array()))
      if (name.is_string()) found.push_back(name.get<std::string>());
    return found;
  };
  return Needs{names("templates"), names("claims"), pods->get<int>()};
}

std::string NeedsText(const store::WorkloadRow& row) {
  const std::optional<Needs> needs = NeedsOf(row);
  if (!needs) return {};
  std::string text = fmt::format("queue {}/{}", row.key.ns, row.queue);
  for (const std::string& name : needs->templates) text += " · template " + name;
  for (const std::string& name : needs->claims) text += " · claim " + name;
  return text + " · " + Counted(needs->pods, "pod");
}

std::vector<int> AlternativesOf(const store::VerdictRow& verdict) {
  std::vector<int> indices;
  const ordered_json parsed =
      ordered_json::parse(verdict.alternatives_json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_array()) return indices;
  for (const ordered_json& index : parsed)
    if (index.is_number_integer()) indices.push_back(index.get<int>());
  return indices;
}

void SortByCount(std::vector<ReasonCount>& counts) {
  std::stable_sort(counts.begin(), counts.end(), [](const ReasonCount& a, const ReasonCount& b) {
    return a.workers > b.workers;
  });
}

void CountReason(const std::string& code, std::string_view remedy,
                 std::vector<ReasonCount>& counts) {
  const auto known = std::ranges::find(counts, code, &ReasonCount::code);
  if (known == counts.end()) {
    counts.push_back({code, 1, std::string(remedy)});
    return;
  }
  ++known->workers;
  if (known->remedy != remedy) known->remedy = RemedyOf(code);
}

std::vector<ReasonCount> CountReasons(const std::vector<store::VerdictRow>& verdicts) {
  std::vector<ReasonCount> counts;
  for (const store::VerdictRow& verdict : verdicts) {
    if (OutcomeOf(verdict) == verdict::Outcome::kYes) continue;
    const std::vector<verify::KeptReason> reasons = ReasonsOf(verdict);
    if (reasons.empty()) {
      CountReason(verdict.outcome, {}, counts);
      continue;
    }
    const auto& [code, reason] = reasons.front();
    const bool is_known = verdict::ParseReasonCode(code).has_value();
    CountReason(code, is_known ? verdict::RemedyOf(reason) : std::string_view(), counts);
  }
  SortByCount(counts);
  return counts;
}

std::vector<ReasonCount> CountCodes(const std::vector<store::VerdictRow>& verdicts) {
  std::vector<ReasonCount> counts;
  for (const store::VerdictRow& verdict : verdicts) {
    if (OutcomeOf(verdict) == verdict::Outcome::kYes) continue;
    const std::vector<std::string> codes = verify::ParseKeptCodes(verdict.reasons_json);
    CountReason(codes.empty() ? verdict.outcome : codes.front(), {}, counts);
  }
  SortByCount(counts);
  return counts;
}

std::string RemedyOf(const std::string& code) {
  const std::optional<verdict::ReasonCode> known = verdict::ParseReasonCode(code);
  return known ? std::string(verdict::RemedyOf(*known)) : std::string();
}

Capacity CapacityOf(const store::ClusterRow& row) {
  return verify::ParseCapacity(row.capacity_json).value_or(Capacity());
}

std::string WhyStopped(const Capacity& capacity, const std::string& cluster_queue) {
  const auto found = std::ranges::find(capacity.stopped_queues, cluster_queue,
                                       &verify::StoppedQueue::cluster_queue);
  return found == capacity.stopped_queues.end() ? std::string() : found->why;
}

}  // namespace fedra::report
