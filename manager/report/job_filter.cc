#include "manager/report/job_filter.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "config/names.h"
#include "manager/report/row_facts.h"
#include "manager/report/row_states.h"
#include "manager/report/states.h"
#include "verdict/reason.h"

namespace fedra::report {
namespace {

using store::WorkloadRow;

constexpr std::chrono::hours kShowEnded{1};

// A state that no list has.
std::string_view DeletedState() { return ToString(placement::Phase::kGone); }

// The words as `known` spells them.
Result<void> Spell(std::string_view option, const std::vector<std::string>& known,
                   std::vector<std::string>& words) {
  for (std::string& word : words) {
    const auto same = std::find_if(known.begin(), known.end(), [&](const std::string& name) {
      return ToLower(name) == ToLower(word);
    });
    if (same == known.end()) {
      const std::string closest = config::ClosestName(word, known);
      return Fail(WrongOption(option,
                              closest.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                              : fmt::format("did you mean {}?", closest),
                              word));
    }
    word = *same;
  }
  return {};
}

bool Any(const std::vector<std::string>& words, const std::string& word) {
  return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
}

// The jobs that one of the reasons blocks.
std::set<std::string> WithReasons(const std::vector<store::VerdictRow>& verdicts,
                                  const std::vector<std::string>& reasons) {
  std::set<std::string> uids;
  if (reasons.empty()) return uids;
  for (const store::VerdictRow& verdict : verdicts) {
    for (const verify::KeptReason& reason : ReasonsOf(verdict))
      if (Any(reasons, reason.code)) uids.insert(verdict.uid);
  }
  return uids;
}

bool InQueue(const WorkloadRow& row, const std::vector<std::string>& queues) {
  return Any(queues, row.queue) || Any(queues, row.job.ns + "/" + row.queue);
}

// Empty when the text is not the object that it should be.
LabelSelector::Labels LabelsOf(const WorkloadRow& row) {
  LabelSelector::Labels labels;
  const auto object = nlohmann::json::parse(row.labels_json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return labels;
  for (const auto& [name, value] : object.items())
    if (value.is_string()) labels[name] = value;
  return labels;
}

// What a place in a list belongs to: everything but the size of the page.
std::string QuestionOf(const JobFilter& filter, const std::string& ns) {
  return nlohmann::json{ns,
                        filter.states,
                        filter.reasons,
                        filter.workers,
                        filter.queues,
                        filter.labels,
                        filter.sort_by,
                        filter.all}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The rows in order, and their keys.
std::vector<JobKey> Sort(std::vector<WorkloadRow>& rows, const std::vector<store::PlaceRow>& places,
                         const std::string& by) {
  std::vector<JobKey> keys = KeysOf(rows, places, by);
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t at) -> const JobKey& { return keys[at]; });
  std::vector<WorkloadRow> sorted;
  std::vector<JobKey> sorted_keys;
  sorted.reserve(rows.size());
  sorted_keys.reserve(rows.size());
  for (const size_t at : order) {
    sorted.push_back(std::move(rows[at]));
    sorted_keys.push_back(std::move(keys[at]));
  }
  rows = std::move(sorted);
  return sorted_keys;
}

bool EndedLongAgo(const WorkloadRow& row, WallTime now) {
  return row.finished_at && now - *row.finished_at > kShowEnded;
}

}  // namespace

std::vector<std::string> JobStates() {
  std::vector<std::string> states;
  for (const StateEntry& entry : StateEntries())
    if (entry.group == "Job" && entry.name != DeletedState()) states.emplace_back(entry.name);
  return states;
}

std::vector<std::string> SortColumns() {
  return {"state", "line", "name", "age", "worker", "queue"};
}

std::vector<std::string> GroupColumns() {
  return {"state", "reason", "worker", "queue", "namespace"};
}

Result<JobFilter> Checked(JobFilter filter, const std::string& ns) {
  if (std::ranges::any_of(filter.states, [](const auto& state) {
        return ToLower(state) == ToLower(DeletedState());
      })) {
    return Fail(WrongOption(
        "state", "jobs that were deleted are not listed; `fedra history NAMESPACE/NAME` shows one",
        DeletedState()));
  }
  std::vector<std::string> reasons;
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue())
    reasons.emplace_back(entry.name);
  FEDRA_RETURN_IF_ERROR(Spell("state", JobStates(), filter.states));
  FEDRA_RETURN_IF_ERROR(Spell("reason", reasons, filter.reasons));
  std::vector<std::string> sort_by{filter.sort_by};
  FEDRA_RETURN_IF_ERROR(Spell("sort-by", SortColumns(), sort_by));
  filter.sort_by = sort_by.front();
  auto selector = LabelSelector::Parse(filter.labels);
  if (!selector) return Fail(std::move(selector).error().WithOption("selector"));
  filter.selector = *std::move(selector);
  std::vector<std::string> group_by;
  if (!filter.group_by.empty()) group_by.push_back(filter.group_by);
  FEDRA_RETURN_IF_ERROR(Spell("group-by", GroupColumns(), group_by));
  if (!group_by.empty()) filter.group_by = group_by.front();
  if (filter.go_on.empty()) return filter;
  auto after = KeyIn(filter.go_on, QuestionOf(filter, ns));
  if (!after) return Fail(std::move(after).error().WithOption("continue"));
  filter.after = *std::move(after);
  return filter;
}

bool IsFiltered(const JobFilter& filter) {
  return !filter.states.empty() || !filter.reasons.empty() || !filter.workers.empty() ||
         !filter.queues.empty() || !filter.labels.empty();
}

ChosenJobs Choose(const std::vector<WorkloadRow>& jobs,
                  const std::vector<store::VerdictRow>& verdicts,
                  const std::vector<store::PlaceRow>& places, const std::string& ns,
                  const JobFilter& filter, WallTime now) {
  ChosenJobs chosen;
  const std::set<std::string> with_reasons = WithReasons(verdicts, filter.reasons);
  for (const WorkloadRow& row : jobs) {
    if ((ns.empty() || row.job.ns == ns) && Any(filter.states, row.state) &&
        Any(filter.workers, row.worker.value) && InQueue(row, filter.queues) &&
        (filter.reasons.empty() || with_reasons.contains(row.uid)) &&
        (filter.selector.empty() || filter.selector.Matches(LabelsOf(row))))
      chosen.matching.push_back(row);
  }
  const std::vector<JobKey> keys = Sort(chosen.matching, places, filter.sort_by);
  const bool shows_ended = filter.all || !filter.states.empty();
  const JobKey* last = nullptr;
  for (size_t i = 0; i < keys.size(); ++i) {
    const WorkloadRow& row = chosen.matching[i];
    if (!shows_ended && EndedLongAgo(row, now)) {
      ++chosen.ended;
    } else if (filter.after && keys[i] <= *filter.after) {
      continue;  // on a page before
    } else if (filter.limit != 0 && chosen.shown.size() >= filter.limit) {
      ++chosen.beyond_limit;
    } else {
      chosen.shown.push_back(row);
      last = &keys[i];
    }
  }
  if (chosen.beyond_limit > 0) chosen.go_on = ContinueToken(*last, QuestionOf(filter, ns));
  return chosen;
}

}  // namespace fedra::report
