#include "manager/cli/text/status_view.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "base/text.h"
#include "manager/cli/text/capacity_text.h"
#include "manager/cli/text/display_text.h"
#include "manager/cli/text/line_text.h"
#include "manager/cli/text/order_text.h"
#include "manager/cli/text/status_tables.h"
#include "manager/cli/text/view_parts.h"
#include "manager/report/row_states.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;
using store::ClusterRow;
using store::WorkloadRow;

// Where the data's age ends in a heading, at most: on the screen, however long the notes are.
constexpr size_t kHeadingWidth = 100;

// Its place in the heading, and how the heading calls it. What another version wrote comes last.
std::pair<size_t, std::string> HeadingWord(const WorkloadRow& row) {
  const std::span<const PhaseView> views = PhaseViews();
  const PhaseView* view = ViewOf(row);
  return {view == nullptr ? views.size() : static_cast<size_t>(view - views.data()),
          ToLower(row.state)};
}

ChosenJobs Chosen(const StatusData& data, const ViewSettings& settings) {
  return Choose(data.workloads, data.verdicts, data.places, settings.ns, settings.jobs,
                settings.now);
}

// What the table leaves out, with line ends; empty: nothing.
std::string LeftOut(const ChosenJobs& jobs) {
  std::string text;
  if (jobs.beyond_limit > 0) text += fmt::format("... and {} more\n", jobs.beyond_limit);
  if (jobs.ended > 0) {
    text += fmt::format("{} that ended more than an hour ago: --all shows {}\n",
                        Counted(jobs.ended, "job"), jobs.ended == 1 ? "it" : "them");
  }
  return text;
}

std::string WorkerSummary(const StatusData& data) {
  const auto connected = std::count_if(
      data.clusters.begin(), data.clusters.end(),
      [](const ClusterRow& row) { return PhaseOf(row) == reconcile::ClusterPhase::kConnected; });
  return fmt::format("{} configured, {} connected", data.clusters.size(), connected);
}

std::string JobSummary(const std::vector<WorkloadRow>& rows) {
  std::map<std::pair<size_t, std::string>, size_t> counts;
  for (const WorkloadRow& row : rows) ++counts[HeadingWord(row)];
  std::string text;
  for (const auto& [state, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state.second);
  }
  return text.empty() ? "none" : text;
}

// A heading with the data's age at the right edge of the table below it.
std::string Heading(const std::string& title, const Freshness& freshness, const Table& table,
                    const Style& style) {
  constexpr size_t kLeastGap = 3;
  const size_t width = std::min(table.Width(style), kHeadingWidth);
  const size_t used = DisplayWidth(title) + DisplayWidth(freshness.text);
  const size_t gap = std::max(kLeastGap, std::max(width, used) - used);
  return title + std::string(gap, ' ') + Toned(freshness.text, freshness.tone, style) + "\n";
}

ordered_json WorkerJson(const ClusterRow& row, size_t jobs, size_t left) {
  ordered_json object = {{"name", row.name.value}, {"state", row.phase}};
  PutTime(object, "since", row.phase_since);
  object["why"] = row.why;
  PutTime(object, "lostSince", row.lost_since);
  PutTime(object, "lastContact", row.last_contact);
  object["kubernetesVersion"] = row.kubernetes_version;
  object["draVersion"] = row.dra_version;
  verify::PutCapacity(object, CapacityOf(row));
  object["jobs"] = jobs;
  object["jobsLeftBehind"] = left;
  object["note"] = row.note;
  return object;
}

std::map<std::string, std::vector<ReasonCount>> ReasonsByJob(
    const std::vector<store::VerdictRow>& verdicts) {
  std::map<std::string, std::vector<store::VerdictRow>> of_job;
  for (const store::VerdictRow& verdict : verdicts) of_job[verdict.uid].push_back(verdict);
  std::map<std::string, std::vector<ReasonCount>> reasons;
  for (const auto& [uid, rows] : of_job) reasons[uid] = CountReasons(rows);
  return reasons;
}

// With its place in line, and the first reason of each worker against a blocked job, counted.
ordered_json JobJson(const WorkloadRow& row,
                     const std::map<std::string, std::vector<ReasonCount>>& reasons,
                     const PlacesByUid& places, const FindJob& first) {
  ordered_json object = ToJson(row);
  if (const auto in_line = places.find(row.uid); in_line != places.end())
    object["line"] = LineJson(in_line->second, first);
  const auto known = reasons.find(row.uid);
  if (PhaseOf(row) != placement::Phase::kBlocked || known == reasons.end()) return object;
  ordered_json& list = object["reasons"] = ordered_json::array();
  for (const ReasonCount& count : known->second)
    list.push_back({{"code", count.code}, {"workers", count.workers}});
  return object;
}

enum Parts { kWorkers = 1, kJobs = 2, kBoth = 3 };

ordered_json StatusDocument(std::string_view kind, Parts parts, const StatusData& data,
                            const ViewSettings& settings) {
  ordered_json document = Report(kind, data.daemon, data.manager, settings.now);
  if ((parts & kWorkers) != 0) {
    std::map<ClusterName, size_t> jobs = JobsByWorker(data);
    std::map<ClusterName, size_t> left = LeftByWorker(data);
    document["workers"] = ordered_json::array();
    for (const ClusterRow& row : data.clusters)
      document["workers"].push_back(WorkerJson(row, jobs[row.name], left[row.name]));
  }
  if ((parts & kJobs) != 0) {
    document["jobs"] = ordered_json::array();
    const ChosenJobs jobs = Chosen(data, settings);
    const std::map<std::string, std::vector<ReasonCount>> reasons = ReasonsByJob(data.verdicts);
    const PlacesByUid places = InLine(data);
    std::map<std::string, const WorkloadRow*> by_key;
    for (const WorkloadRow& row : data.workloads) by_key[row.key.ToString()] = &row;
    const FindJob first = [&](const std::string& key) -> const WorkloadRow* {
      const auto found = by_key.find(key);
      return found == by_key.end() ? nullptr : found->second;
    };
    for (const WorkloadRow& row : jobs.shown)
      document["jobs"].push_back(JobJson(row, reasons, places, first));
    document["remaining"] = jobs.beyond_limit;
    document["ended"] = jobs.ended;
  }
  return document;
}

std::string KeyLines(Parts parts, const StatusData& data, const ViewSettings& settings) {
  std::string names;
  // Where both are listed each says which it is.
  const char* const worker = parts == kBoth ? "worker/" : "";
  const char* const job = parts == kBoth ? "job/" : "";
  if ((parts & kWorkers) != 0) {
    for (const ClusterRow& row : data.clusters) names += worker + Printable(row.name.value) + "\n";
  }
  if ((parts & kJobs) != 0) {
    for (const WorkloadRow& row : Chosen(data, settings).shown)
      names += job + Printable(row.job.ToString()) + "\n";
  }
  return names;
}

std::string NoJobs(const ViewSettings& settings) {
  const std::string which = IsFiltered(settings.jobs) ? " match" : " found";
  return settings.ns.empty() ? "No jobs" + which + "."
                             : fmt::format("No jobs{} in namespace {}.", which, settings.ns);
}

constexpr char kNoWorkers[] = "No workers found: no daemon has recorded any here yet.";

// What stands above the tables: what makes them old, or keeps jobs from being placed.
std::string Preamble(const StatusData& data, const ViewSettings& settings) {
  return (settings.style.headers ? DaemonLine(data.daemon, settings) : "") +
         ManagerLine(data.manager, settings) + QueueLines(data, settings);
}

// Without headings nothing stands on stdout but rows.
std::string Section(const char* title, const std::string& summary, const Freshness* freshness,
                    const Table& table, const Style& style) {
  std::string text;
  const std::string heading = fmt::format("{}  {}", title, summary);
  if (style.headers)
    text = freshness != nullptr ? Heading(heading, *freshness, table, style) : heading + "\n";
  return table.empty() ? text : text + table.Render(style);
}

// Where only rows, or names, go to stdout, standard error says that they are old.
void NoteAge(const StatusData& data, const ViewSettings& settings, Output& output) {
  const bool only_rows =
      settings.format == Format::kName || (IsTable(settings.format) && !settings.style.headers);
  if (only_rows && output.note.empty()) output.note = StaleText(data.daemon, settings.now);
}

}  // namespace

Output RenderStatus(const StatusData& data, const ViewSettings& settings) {
  const ChosenJobs jobs = Chosen(data, settings);
  Output output;
  if (data.clusters.empty() && jobs.matching.empty()) output.note = kNoWorkers;
  if (settings.format == Format::kName) {
    output.out = KeyLines(kBoth, data, settings);
  } else if (!IsTable(settings.format)) {
    output.out = ToText(StatusDocument("StatusReport", kBoth, data, settings), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = FreshnessOf(data.daemon, settings.now);
    output.out = Preamble(data, settings) +
                 Section("WORKERS", WorkerSummary(data), &freshness, WorkerTable(data, settings),
                         settings.style) +
                 "\n" +
                 Section("JOBS", JobSummary(jobs.matching), nullptr,
                         JobTable(jobs.shown, data, settings), settings.style);
    if (settings.style.headers) output.out += LeftOut(jobs);
  }
  NoteAge(data, settings, output);
  return output;
}

Output RenderWorkers(const StatusData& data, const ViewSettings& settings) {
  Output output;
  if (data.clusters.empty()) output.note = kNoWorkers;
  if (settings.format == Format::kName) {
    output.out = KeyLines(kWorkers, data, settings);
  } else if (!IsTable(settings.format)) {
    output.out = ToText(StatusDocument("WorkerReport", kWorkers, data, settings), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = FreshnessOf(data.daemon, settings.now);
    output.out = Preamble(data, settings) + Section("WORKERS", WorkerSummary(data), &freshness,
                                                    WorkerTable(data, settings), settings.style);
  }
  NoteAge(data, settings, output);
  return output;
}

Output RenderJobs(const StatusData& data, const ViewSettings& settings) {
  const ChosenJobs jobs = Chosen(data, settings);
  Output output;
  if (jobs.matching.empty()) output.note = NoJobs(settings);
  if (settings.format == Format::kName) {
    output.out = KeyLines(kJobs, data, settings);
  } else if (!IsTable(settings.format)) {
    output.out = ToText(StatusDocument("JobReport", kJobs, data, settings), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = FreshnessOf(data.daemon, settings.now);
    output.out =
        Preamble(data, settings) + Section("JOBS", JobSummary(jobs.matching), &freshness,
                                           JobTable(jobs.shown, data, settings), settings.style);
    if (settings.style.headers) output.out += LeftOut(jobs);
  }
  NoteAge(data, settings, output);
  return output;
}

}  // namespace fedra::cli
