#include "manager/cli/screen/document.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "base/time.h"
#include "manager/cli/screen/worker_page.h"
#include "manager/report/job_columns.h"
#include "manager/text/capacity_text.h"
#include "manager/text/display_text.h"
#include "manager/text/row_tones.h"
#include "manager/text/status_format.h"
#include "manager/tracking/json_fields.h"
#include "manager/verify/capacity.h"
#include "manager/verify/cluster_phase.h"

namespace fedra::cli::screen {
namespace {

using nlohmann::json;
using text::Tone;
using tracking::Flag;
using tracking::Member;
using tracking::Number;
using tracking::Text;

std::optional<WallTime> TimeIn(const json& object, std::string_view name) {
  const auto time = ParseRfc3339(Text(object, name));
  return time ? std::optional(*time) : std::nullopt;
}

Value AgeOf(const json& object, std::string_view name) {
  const auto since = TimeIn(object, name);
  return since ? Value{.since = since} : Value{.text = "-"};
}

Value Plain(const std::string& text) { return {.text = text::OrDash(text)}; }

Value StateOfJob(const std::string& state) {
  store::WorkloadRow row;
  row.state = state;
  return {.text = text::OrDash(state), .tone = text::ToneOf(row)};
}

std::string KeyIn(const json& job) {
  return fmt::format("{}/{}", Text(job, "namespace"), Text(job, "name"));
}

// "no worker eligible: TemplateMissing on 2, QueueMissing on 1", "waits for gpu-east: ...", or what
// fedra notes of the job.
std::string WhyOfJob(const json& job) {
  std::vector<std::string> reasons;
  for (const json& reason : Member(job, "reasons"))
    reasons.push_back(fmt::format("{} on {}", Text(reason, "code"), Number(reason, "workers", 0)));
  if (reasons.empty()) return Text(job, "note");
  std::vector<std::string> busy;
  for (const json& worker : Member(job, "waitsForWorkers"))
    if (worker.is_string()) busy.push_back(worker.get<std::string>());
  return fmt::format("{}: {}", text::BlockedText(busy), fmt::join(reasons, ", "));
}

// As the table of `status` says it: "ended 13m ago: ...".
Value NoteOfJob(const json& job) {
  const std::string note = Text(job, "note");
  const std::string ago = note.empty() ? " ago" : " ago: " + note;
  if (const auto removed = TimeIn(job, "removedAt"))
    return {.text = ago, .since = removed, .before = "deleted "};
  if (const auto ended = TimeIn(job, "finishedAt"))
    return {.text = ago, .since = ended, .before = "ended "};
  return {.text = WhyOfJob(job)};
}

Document JobsIn(const json& document) {
  Document jobs{
      .columns = {{"JOB"}, {"STATE"}, {"WORKER", 3}, {"AGE", 4}, {"KIND", 5}, {"NOTE", 2}},
      .beyond = static_cast<size_t>(std::max(0, Number(document, "remaining", 0))),
      .ended = static_cast<size_t>(std::max(0, Number(document, "ended", 0)))};
  bool is_mixed = false;
  for (const json& job : Member(document, "jobs")) {
    const std::string kind = Text(job, "kind");
    const bool is_job = kind.empty() || kind == "Job";
    is_mixed = is_mixed || !is_job;
    jobs.rows.push_back({Text(job, "uid"),
                         is_job ? KeyIn(job) : ToLower(kind) + "/" + KeyIn(job),
                         Text(job, "worker"),
                         {{KeyIn(job)},
                          StateOfJob(Text(job, "state")),
                          Plain(Text(job, "worker")),
                          AgeOf(job, "createdAt"),
                          Plain(kind),
                          NoteOfJob(job)}});
  }
  if (is_mixed) return jobs;
  // Where all of them are Jobs the column says nothing.
  constexpr ptrdiff_t kKind = 4;
  jobs.columns.erase(jobs.columns.begin() + kKind);
  for (Row& row : jobs.rows) row.values.erase(row.values.begin() + kKind);
  return jobs;
}

Document WorkersIn(const json& document) {
  Document workers{.columns = {{"NAME"},
                               {"STATE"},
                               {"SINCE", 5},
                               {"QUEUES", 6},
                               {"QUOTA", 4},
                               {"DEVICES", 2},
                               {"JOBS", 3},
                               {"NOTE", 1}}};
  for (const json& worker : Member(document, "workers")) {
    const verify::Capacity capacity =
        verify::ParseCapacity(tracking::Dump(worker)).value_or(verify::Capacity());
    const std::string name = Text(worker, "name");
    workers.rows.push_back({name,
                            name,
                            name,
                            {{name},
                             {StateOfWorker(worker), ToneOfWorker(worker)},
                             AgeOf(worker, "since"),
                             {text::QueuesText(capacity)},
                             {text::QuotaText(capacity, /*wide=*/false)},
                             {text::DevicesText(capacity)},
                             {JobsOfWorker(worker)},
                             {NoteOfWorker(worker)}}});
  }
  return workers;
}

Document GroupsIn(const json& document, store::JobGrouping by) {
  using enum store::JobGrouping;
  Document groups{
      .columns = {{ToUpper(report::ToString(by))}, {"JOBS"}, {"LONGEST", 2}, {"JOB", 1}}};
  if (by == kReason) groups.columns.push_back({"REMEDY", 3});
  for (const json& group : Member(document, "groups")) {
    const std::string name = Text(group, "name");
    Row row{name,
            name,
            by == kWorker ? name : std::string(),
            {by == kState ? StateOfJob(name) : Plain(name),
             {std::to_string(Number(group, "jobs", 0))},
             AgeOf(group, "longestSince"),
             {KeyIn(Member(group, "longest"))}}};
    if (by == kReason) row.values.push_back({Text(group, "remedy")});
    groups.rows.push_back(std::move(row));
  }
  return groups;
}

// What every document of the store begins with.
void AddOrigin(const json& document, Document& read) {
  read.as_of = TimeIn(document, "asOf");
  const auto warn = [&](std::string text) {
    read.warnings.push_back(LineOf(std::move(text), Tone::kWarning));
  };
  const json& daemon = Member(document, "daemon");
  if (daemon.is_object() && !Flag(daemon, "running", true))
    warn("DAEMON  not running: what follows is what it knew last");
  const json& replica = Member(daemon, "replica");
  if (Text(replica, "role") == store::kStandbyRole)
    warn("REPLICA  a standby, whose jobs are old; the leader is " + Text(replica, "leader"));
  const json& manager = Member(document, "manager");
  if (const std::string state = Text(manager, "state");
      manager.is_object() && (state != verify::ToString(verify::ClusterPhase::kConnected) ||
                              !Text(manager, "why").empty()))
    warn(fmt::format("MANAGER  {}: {}", state, text::OrDash(Text(manager, "why"))));
  std::vector<std::string> omitted;
  for (const json& each : Member(document, "omitted"))
    if (each.is_string()) omitted.push_back(each.get<std::string>());
  if (!omitted.empty())
    warn(fmt::format("RIGHTS  you may not see all {}", fmt::join(omitted, " and all ")));
}

Document TextIn(const text::Output& output) {
  Document document;
  const std::string& all = output.out;
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find('\n', begin), all.size());
    document.lines.push_back({text::Untoned(std::string_view(all).substr(begin, end - begin))});
    begin = end + 1;
  }
  if (!output.note.empty()) document.lines.push_back(LineOf(output.note, Tone::kFaint));
  return document;
}

}  // namespace

Result<Document> ReadDocument(const Question& question, const text::Output& output, WallTime now,
                              bool utf8) {
  if (!IsRows(question.what) && question.what != What::kWorker) return TextIn(output);
  const json document = json::parse(output.out, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return Fail(ErrorCode::kBadResponse, "the answer is no document");
  Document read;
  switch (question.what) {
    case What::kGroups:
      read = GroupsIn(document, question.group_by.value());
      break;
    case What::kJobs:
      read = JobsIn(document);
      break;
    case What::kWorker:
      read.lines = WorkerPage(document, question, now, utf8);
      break;
    default:
      read = WorkersIn(document);
  }
  AddOrigin(document, read);
  return read;
}

}  // namespace fedra::cli::screen
