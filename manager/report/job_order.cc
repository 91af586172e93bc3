#include "manager/report/job_order.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "manager/report/page_token.h"
#include "manager/report/row_states.h"

namespace fedra::report {
namespace {

using store::WorkloadRow;

uint64_t Urgency(const WorkloadRow& row) {
  const PhaseView* view = ViewOf(row);
  return view == nullptr ? std::numeric_limits<uint64_t>::max()
                         : static_cast<uint64_t>(view->urgency);
}

int64_t Milliseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// Compares as people count: eq-6 before eq-10. Each number follows its number of digits; of more
// than nine the longer ones are not told apart.
std::string InNaturalOrder(const std::string& name) {
  constexpr std::string_view kDigits = "0123456789";
  std::string text;
  for (size_t at = 0; at < name.size();) {
    const size_t number = std::min(name.find_first_of(kDigits, at), name.size());
    const size_t end = std::min(name.find_first_not_of(kDigits, number), name.size());
    const size_t significant = std::min(name.find_first_not_of('0', number), end);
    text += name.substr(at, number - at);
    if (number < end) text += static_cast<char>('0' + std::min<size_t>(end - significant, 9));
    text += name.substr(significant, end - significant);
    at = end;
  }
  return text;
}

// The best place of each workload that is in line.
std::unordered_map<std::string, uint64_t> BestPlaces(const std::vector<store::PlaceRow>& places) {
  std::unordered_map<std::string, uint64_t> best;
  for (const store::PlaceRow& row : places) {
    const auto place = static_cast<uint64_t>(std::max(row.place, 0));
    const auto [at, is_new] = best.try_emplace(row.uid, place);
    at->second = std::min(at->second, place);
  }
  return best;
}

}  // namespace

std::vector<JobKey> KeysOf(const std::vector<WorkloadRow>& jobs,
                           const std::vector<store::PlaceRow>& places, const std::string& by) {
  const std::unordered_map<std::string, uint64_t> best = BestPlaces(places);
  std::vector<JobKey> keys;
  keys.reserve(jobs.size());
  for (const WorkloadRow& row : jobs) {
    JobKey& key = keys.emplace_back();
    if (by == "state") key.rank = Urgency(row);
    if (by == "line") {
      // Behind all places: the blocked before those that run, and what has ended last.
      constexpr uint64_t kNoPlace = uint64_t{1} << 32;
      const auto place = best.find(row.uid);
      key.rank = place == best.end() ? kNoPlace + std::min(Urgency(row), kNoPlace) : place->second;
    }
    if (by == "worker") key.text = InNaturalOrder(row.worker.value);
    if (by == "queue") key.text = InNaturalOrder(row.queue);
    key.created_at = Milliseconds(row.created_at);
    if (by == "age") key.age = key.created_at;
    key.ns = InNaturalOrder(row.job.ns);
    key.name = InNaturalOrder(row.job.name);
    key.uid = row.uid;
  }
  return keys;
}

std::string ContinueToken(const JobKey& key, const std::string& question) {
  const nlohmann::json parts = {HashHex(question), key.rank,       key.text, key.age, key.ns,
                                key.name,          key.created_at, key.uid};
  return PageToken(parts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Result<JobKey> KeyIn(const std::string& token, const std::string& question) {
  const auto text = TextOfPageToken(token);
  const auto parts = nlohmann::json::parse(text.value_or(""), nullptr, /*allow_exceptions=*/false);
  const auto is = [&](size_t at, auto test) { return (parts[at].*test)(); };
  constexpr auto kText = &nlohmann::json::is_string;
  constexpr auto kNumber = &nlohmann::json::is_number_integer;
  if (!parts.is_array() || parts.size() != 8 || !is(0, kText) || !is(1, kNumber) || !is(2, kText) ||
      !is(3, kNumber) || !is(4, kText) || !is(5, kText) || !is(6, kNumber) || !is(7, kText))
    return Fail(ErrorCode::kInvalidArgument, "this is no word of `continue` of an answer");
  if (parts[0] != HashHex(question))
    return Fail(ErrorCode::kInvalidArgument,
                "it belongs to another question: ask with the same filters and order, or begin "
                "without it");
  return JobKey{parts[1], parts[2], parts[3], parts[4], parts[5], parts[6], parts[7]};
}

}  // namespace fedra::report
