#include "manager/cli/logs/job_place.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/placement/attempt_end.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;
using placement::AttemptEnd;

std::string TextAt(const ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const ordered_json* ListAt(const ordered_json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_array() ? &*found : nullptr;
}

// Attempts that end so had no job on their worker.
bool HadNoJob(const std::string& outcome) {
  constexpr std::array kEnds = {AttemptEnd::kLostRace, AttemptEnd::kTimedOut,
                                AttemptEnd::kWithdrawn, AttemptEnd::kRefused};
  return std::ranges::any_of(kEnds, [&](AttemptEnd end) { return ToString(end) == outcome; });
}

// The worker of the last attempt that may have had the job; empty: there was none.
std::string LastWorker(const ordered_json& job) {
  const ordered_json* attempts = ListAt(job, "attempts");
  if (attempts == nullptr) return {};
  std::string worker;
  for (const ordered_json& attempt : *attempts)
    if (attempt.is_object() && !HadNoJob(TextAt(attempt, "outcome")))
      worker = TextAt(attempt, "worker");
  return worker;
}

}  // namespace

Result<JobPlace> PlaceOf(const ordered_json& report) {
  const ordered_json* jobs = ListAt(report, "jobs");
  if (jobs == nullptr || jobs->empty() || !jobs->front().is_object())
    return Fail(ErrorCode::kBadResponse, "the daemon's answer is about no job");
  const ordered_json& job = jobs->front();
  JobPlace place{.job = {TextAt(job, "namespace"), TextAt(job, "name")},
                 .kind = TextAt(job, "kind"),
                 .worker = TextAt(job, "worker"),
                 .state = TextAt(job, "state")};
  place.is_there = !place.worker.empty() && TextAt(job, "removedAt").empty() &&
                   TextAt(job, "finishedAt").empty();
  if (place.worker.empty()) place.worker = LastWorker(job);
  if (!place.worker.empty()) return place;
  const std::string note = TextAt(job, "note");
  return Fail(ErrorCode::kNotFound,
              fmt::format("{0} has been on no worker: it is {1}{2}{3}; fedra why {0} says what it "
                          "waits for",
                          place.job.ToString(), place.state, note.empty() ? "" : ": ", note));
}

}  // namespace fedra::cli
