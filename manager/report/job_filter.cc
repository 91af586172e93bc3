#include "manager/report/job_filter.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "config/names.h"
#include "manager/report/row_states.h"
#include "manager/report/states.h"
#include "verdict/reason.h"

namespace fedra::report {
namespace {

constexpr std::chrono::hours kShowEnded{1};
// Each is one more condition of a statement. A name has fewer parts that are worth a word.
constexpr size_t kMostNameWords = 16;

// Listed only where it is asked for.
std::string DeletedState() { return std::string(ToString(placement::Phase::kGone)); }

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

// Empty when the text is not the object that it should be.
LabelSelector::Labels LabelsIn(std::string_view labels_json) {
  LabelSelector::Labels labels;
  const auto object = nlohmann::json::parse(labels_json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return labels;
  for (const auto& [name, value] : object.items())
    if (value.is_string()) labels[name] = value;
  return labels;
}

// Many jobs have the same labels: each text is parsed once.
std::function<bool(std::string_view)> MatchesLabels(const LabelSelector& selector) {
  if (selector.empty()) return nullptr;
  const auto known = std::make_shared<std::unordered_map<std::string, bool>>();
  return [selector, known](std::string_view labels_json) {
    const auto [at, is_new] = known->try_emplace(std::string(labels_json), false);
    if (is_new) at->second = selector.Matches(LabelsIn(labels_json));
    return at->second;
  };
}

// Names of Kubernetes have no blanks.
std::vector<std::string> WordsOf(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

// What a place in a list belongs to: everything but the size of the page.
std::string QuestionOf(const JobFilter& filter, const std::string& ns) {
  return nlohmann::json{ns,          filter.states, filter.reasons, filter.workers, filter.queues,
                        filter.name, filter.labels, filter.sort_by, filter.all}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::vector<std::string> JobStates() {
  std::vector<std::string> states;
  for (const StateEntry& entry : StateEntries())
    if (entry.group == "Job") states.emplace_back(entry.name);
  return states;
}

Result<JobFilter> Checked(JobFilter filter, const std::string& ns) {
  std::vector<std::string> reasons;
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue())
    reasons.emplace_back(entry.name);
  FEDRA_RETURN_IF_ERROR(Spell("state", JobStates(), filter.states));
  FEDRA_RETURN_IF_ERROR(Spell("reason", reasons, filter.reasons));
  std::vector<std::string> sort_by{filter.sort_by};
  FEDRA_RETURN_IF_ERROR(Spell("sort-by", SortColumns(), sort_by));
  filter.sort_by = sort_by.front();
  filter.order = *ParseJobOrder(filter.sort_by);
  const std::vector<std::string> words = WordsOf(ToLower(filter.name));
  if (words.size() > kMostNameWords)
    return Fail(WrongOption("name", fmt::format("at most {} words", kMostNameWords)));
  filter.name = fmt::format("{}", fmt::join(words, " "));
  auto selector = LabelSelector::Parse(filter.labels);
  if (!selector) return Fail(std::move(selector).error().WithOption("selector"));
  filter.selector = *std::move(selector);
  std::vector<std::string> group_by;
  if (!filter.group_by.empty()) group_by.push_back(filter.group_by);
  FEDRA_RETURN_IF_ERROR(Spell("group-by", GroupColumns(), group_by));
  if (!group_by.empty()) filter.group_by = group_by.front();
  filter.grouping = ParseJobGrouping(filter.group_by);
  if (filter.go_on.empty()) return filter;
  auto after = KeyIn(filter.go_on, QuestionOf(filter, ns));
  if (!after) return Fail(std::move(after).error().WithOption("continue"));
  filter.after = *std::move(after);
  return filter;
}

bool IsFiltered(const JobFilter& filter) {
  return !filter.states.empty() || !filter.reasons.empty() || !filter.workers.empty() ||
         !filter.queues.empty() || !filter.name.empty() || !filter.labels.empty();
}

store::JobQuery StoreQueryOf(const JobFilter& filter, const std::string& ns,
                             const std::vector<std::string>& states, WallTime now) {
  store::JobQuery query;
  // Reasons are kept of all, and are what blocks a job only where it is blocked.
  const bool is_of_reasons =
      !filter.reasons.empty() || filter.grouping == store::JobGrouping::kReason;
  const bool has_deleted = !filter.states.empty() && Any(filter.states, DeletedState());
  if (has_deleted && !is_of_reasons)
    query.deleted = {.state = DeletedState(), .rank = Urgency(DeletedState())};
  for (const std::string& state : states) {
    if (!Any(filter.states, state)) continue;
    // Of a living one: it is being removed, and counts as soon as it is.
    if (has_deleted && state == DeletedState()) continue;
    if (is_of_reasons && state != ToString(placement::Phase::kBlocked)) continue;
    query.states.emplace(state, Urgency(state));
  }
  query.ns = ns;
  query.workers = filter.workers;
  query.queues = filter.queues;
  query.name_parts = WordsOf(filter.name);
  query.reasons = filter.reasons;
  query.labels = MatchesLabels(filter.selector);
  if (!filter.all && filter.states.empty()) query.ended_before = now - kShowEnded;
  query.order = filter.order;
  query.after = filter.after;
  query.limit = filter.limit;
  return query;
}

ChosenJobs Chosen(store::JobPage page, const JobFilter& filter, const std::string& ns) {
  ChosenJobs chosen{.shown = std::move(page.rows),
                    .by_state = std::move(page.matching),
                    .ended = page.ended,
                    .beyond_limit = page.beyond,
                    .go_on = {}};
  if (chosen.beyond_limit > 0) chosen.go_on = ContinueToken(*page.last, QuestionOf(filter, ns));
  return chosen;
}

}  // namespace fedra::report
