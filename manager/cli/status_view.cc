#include "manager/cli/status_view.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/cli/display_text.h"
#include "manager/cli/view_parts.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;
using store::ClusterRow;
using store::VerdictRow;
using store::WorkloadRow;

// What needs somebody comes first.
constexpr std::array<std::string_view, 8> kByUrgency = {
    "Blocked", "Requeued", "Dispatching", "Waiting", "Running", "Suspended", "Failed", "Finished"};
// Columns of a note in the narrow table; the wide one has all of it.
constexpr size_t kNoteWidth = 120;
// Where the data's age ends in a heading, at most: on the screen, however long the notes are.
constexpr size_t kHeadingWidth = 100;
// How the heading counts them.
constexpr std::array<std::string_view, 8> kByProgress = {
    "Running", "Dispatching", "Requeued", "Waiting", "Blocked", "Suspended", "Finished", "Failed"};

template <size_t N>
size_t Rank(const std::array<std::string_view, N>& order, std::string_view state) {
  return static_cast<size_t>(std::find(order.begin(), order.end(), state) - order.begin());
}

std::string Lower(std::string_view state) {
  std::string lower(state);
  if (!lower.empty() && lower[0] >= 'A' && lower[0] <= 'Z')
    lower[0] = static_cast<char>(lower[0] - 'A' + 'a');
  return lower;
}

std::vector<WorkloadRow> Chosen(const StatusData& data, const ViewSettings& settings) {
  std::vector<WorkloadRow> chosen;
  for (const WorkloadRow& row : data.workloads) {
    if (settings.ns.empty() || row.job.ns == settings.ns) chosen.push_back(row);
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const WorkloadRow& a, const WorkloadRow& b) {
    return std::tuple(Rank(kByUrgency, a.state), a.job, a.created_at, a.uid) <
           std::tuple(Rank(kByUrgency, b.state), b.job, b.created_at, b.uid);
  });
  return chosen;
}

bool HoldsJob(const WorkloadRow& row) { return row.state != "Finished" && row.state != "Failed"; }

std::map<ClusterName, size_t> JobsByWorker(const StatusData& data) {
  std::map<ClusterName, size_t> jobs;
  for (const WorkloadRow& row : data.workloads) {
    if (HoldsJob(row)) ++jobs[row.worker];
  }
  return jobs;
}

// "; its job moves in 10m50s": what the loss of a worker means for its jobs.
std::string MovingText(const ClusterRow& row, size_t jobs, const ViewSettings& settings) {
  if (!row.lost_since || jobs == 0 || !settings.worker_lost_timeout) return {};
  const std::string whose = jobs == 1 ? "its job" : fmt::format("its {} jobs", jobs);
  const auto left = *row.lost_since + *settings.worker_lost_timeout - settings.now;
  if (left <= std::chrono::milliseconds(0))
    return fmt::format("{} {} being moved", whose, jobs == 1 ? "is" : "are");
  return fmt::format("{} {} in {}", whose, jobs == 1 ? "moves" : "move", FormatAge(left));
}

std::string ClusterNote(const ClusterRow& row, size_t jobs, const ViewSettings& settings) {
  std::string note;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) note += (note.empty() ? "" : "; ") + part;
  };
  add(row.why);
  if (row.note != row.why) add(row.note);
  add(MovingText(row, jobs, settings));
  return note;
}

std::string NoteText(const std::string& note, const ViewSettings& settings) {
  const std::string printable = Printable(note, settings.style.utf8);
  return settings.format == Format::kWide ? printable : Shortened(printable, kNoteWidth);
}

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

Table ClusterTable(const StatusData& data, const ViewSettings& settings) {
  const bool wide = settings.format == Format::kWide;
  std::vector<std::string> titles = {"NAME", "STATE", "SINCE", "KUBERNETES", "DRA", "JOBS"};
  if (wide) titles.emplace_back("LAST CONTACT");
  titles.emplace_back("NOTE");
  Table table(std::move(titles));
  std::map<ClusterName, size_t> jobs = JobsByWorker(data);
  for (const ClusterRow& row : data.clusters) {
    std::vector<Cell> cells = {row.name.value,
                               Cell(row.phase, ToneOfPhase(row.phase)),
                               Since(row.phase_since, settings.now),
                               OrDash(row.kubernetes_version),
                               OrDash(row.dra_version),
                               std::to_string(jobs[row.name])};
    if (wide) cells.emplace_back(row.last_contact ? Since(*row.last_contact, settings.now) : "-");
    cells.emplace_back(NoteText(ClusterNote(row, jobs[row.name], settings), settings));
    table.Add(std::move(cells));
  }
  return table;
}

// "no worker eligible: TemplateMissing on 2, ClusterUnreachable on 1"
std::string BlockedText(const std::vector<VerdictRow>& verdicts) {
  std::string text;
  for (const ReasonCount& count : CountReasons(verdicts)) {
    text += fmt::format("{}{} on {}", text.empty() ? "no worker eligible: " : ", ", count.code,
                        count.workers);
  }
  return text;
}

using VerdictsByUid = std::map<std::string, std::vector<VerdictRow>>;

VerdictsByUid ByUid(const std::vector<VerdictRow>& verdicts) {
  VerdictsByUid by_uid;
  for (const VerdictRow& verdict : verdicts) by_uid[verdict.uid].push_back(verdict);
  return by_uid;
}

// The whole note names every worker; in the narrow table the counts say as much.
std::string WorkloadNote(const WorkloadRow& row, const VerdictsByUid& verdicts,
                         const ViewSettings& settings) {
  const auto known = verdicts.find(row.uid);
  if (row.state != "Blocked" || settings.format == Format::kWide || known == verdicts.end())
    return row.note;
  const std::string counted = BlockedText(known->second);
  return counted.empty() ? row.note : counted;
}

Table WorkloadTable(const std::vector<WorkloadRow>& rows, const StatusData& data,
                    const ViewSettings& settings) {
  const bool wide = settings.format == Format::kWide;
  std::vector<std::string> titles = {"JOB", "STATE", "WORKER", "AGE"};
  if (wide) titles.insert(titles.end(), {"IN STATE", "KIND", "WORKLOAD", "NEEDS"});
  titles.emplace_back("NOTE");
  Table table(std::move(titles));
  const VerdictsByUid verdicts = ByUid(data.verdicts);
  for (const WorkloadRow& row : rows) {
    std::vector<Cell> cells = {row.job.ToString(), Cell(row.state, ToneOfState(row.state)),
                               OrDash(row.worker.value), Since(row.created_at, settings.now)};
    if (wide) {
      cells.insert(cells.end(), {Since(row.state_since, settings.now), row.job_kind, row.key.name,
                                 OrDash(row.needs)});
    }
    cells.emplace_back(NoteText(WorkloadNote(row, verdicts, settings), settings));
    table.Add(std::move(cells));
  }
  return table;
}

std::string ClusterSummary(const StatusData& data) {
  const auto connected =
      std::count_if(data.clusters.begin(), data.clusters.end(),
                    [](const ClusterRow& row) { return row.phase == "Connected"; });
  return fmt::format("{} configured, {} connected", data.clusters.size(), connected);
}

std::string WorkloadSummary(const std::vector<WorkloadRow>& rows) {
  std::map<std::pair<size_t, std::string>, size_t> counts;
  for (const WorkloadRow& row : rows) ++counts[{Rank(kByProgress, row.state), row.state}];
  std::string text;
  for (const auto& [state, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, Lower(state.second));
  }
  return text.empty() ? "none" : text;
}

// A heading with the data's age at the right edge of the table below it.
std::string Heading(const std::string& title, const Freshness& freshness, const Table& table,
                    const Style& style) {
  constexpr size_t kGap = 3;
  const size_t width = std::min(table.Width(style), kHeadingWidth);
  const size_t used = DisplayWidth(title) + DisplayWidth(freshness.text);
  const size_t gap = std::max(kGap, std::max(width, used) - used);
  return title + std::string(gap, ' ') + Toned(freshness.text, freshness.tone, style) + "\n";
}

ordered_json ClusterJson(const ClusterRow& row, size_t jobs) {
  ordered_json object = {{"name", row.name.value}, {"state", row.phase}};
  PutTime(object, "since", row.phase_since);
  object["why"] = row.why;
  PutTime(object, "lostSince", row.lost_since);
  PutTime(object, "lastContact", row.last_contact);
  object["kubernetesVersion"] = row.kubernetes_version;
  object["draVersion"] = row.dra_version;
  object["jobs"] = jobs;
  object["note"] = row.note;
  return object;
}

enum Parts { kClusters = 1, kWorkloads = 2, kBoth = 3 };

ordered_json StatusDocument(std::string_view kind, Parts parts, const StatusData& data,
                            const ViewSettings& settings) {
  ordered_json document = Report(kind, data.heartbeat);
  if ((parts & kClusters) != 0) {
    std::map<ClusterName, size_t> jobs = JobsByWorker(data);
    document["clusters"] = ordered_json::array();
    for (const ClusterRow& row : data.clusters)
      document["clusters"].push_back(ClusterJson(row, jobs[row.name]));
  }
  if ((parts & kWorkloads) != 0) {
    document["workloads"] = ordered_json::array();
    for (const WorkloadRow& row : Chosen(data, settings))
      document["workloads"].push_back(ToJson(row));
  }
  return document;
}

std::string Names(Parts parts, const StatusData& data, const ViewSettings& settings) {
  std::string names;
  if ((parts & kClusters) != 0) {
    for (const ClusterRow& row : data.clusters) names += Printable(row.name.value) + "\n";
  }
  if ((parts & kWorkloads) != 0) {
    for (const WorkloadRow& row : Chosen(data, settings))
      names += Printable(row.job.ToString()) + "\n";
  }
  return names;
}

std::string NoWorkloads(const ViewSettings& settings) {
  return settings.ns.empty() ? "No workloads found."
                             : fmt::format("No workloads found in namespace {}.", settings.ns);
}

constexpr char kNoWorkers[] = "No workers found: no daemon has recorded any here yet.";

// Without headings nothing stands on stdout but rows.
std::string Section(const char* title, const std::string& summary, const Freshness* freshness,
                    const Table& table, const Style& style) {
  std::string text;
  const std::string heading = fmt::format("{}  {}", title, summary);
  if (style.headers)
    text = freshness != nullptr ? Heading(heading, *freshness, table, style) : heading + "\n";
  return table.empty() ? text : text + table.Render(style);
}

}  // namespace

Output RenderStatus(const StatusData& data, const ViewSettings& settings) {
  const std::vector<WorkloadRow> workloads = Chosen(data, settings);
  Output output;
  if (data.clusters.empty() && workloads.empty()) output.note = kNoWorkers;
  if (settings.format == Format::kName) {
    output.out = Names(kBoth, data, settings);
  } else if (!IsTable(settings.format)) {
    output.out = ToText(StatusDocument("StatusReport", kBoth, data, settings), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = FreshnessOf(data.heartbeat, settings.now);
    output.out = Section("WORKERS", ClusterSummary(data), &freshness, ClusterTable(data, settings),
                         settings.style) +
                 "\n" +
                 Section("WORKLOADS", WorkloadSummary(workloads), nullptr,
                         WorkloadTable(workloads, data, settings), settings.style);
  }
  return output;
}

Output RenderClusters(const StatusData& data, const ViewSettings& settings) {
  Output output;
  if (data.clusters.empty()) output.note = kNoWorkers;
  if (settings.format == Format::kName) {
    output.out = Names(kClusters, data, settings);
  } else if (!IsTable(settings.format)) {
    output.out =
        ToText(StatusDocument("ClusterReport", kClusters, data, settings), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = FreshnessOf(data.heartbeat, settings.now);
    output.out = Section("WORKERS", ClusterSummary(data), &freshness, ClusterTable(data, settings),
                         settings.style);
  }
  return output;
}

Output RenderWorkloads(const StatusData& data, const ViewSettings& settings) {
  const std::vector<WorkloadRow> rows = Chosen(data, settings);
  Output output;
  if (rows.empty()) output.note = NoWorkloads(settings);
  if (settings.format == Format::kName) {
    output.out = Names(kWorkloads, data, settings);
  } else if (!IsTable(settings.format)) {
    output.out =
        ToText(StatusDocument("WorkloadReport", kWorkloads, data, settings), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = FreshnessOf(data.heartbeat, settings.now);
    output.out = Section("WORKLOADS", WorkloadSummary(rows), &freshness,
                         WorkloadTable(rows, data, settings), settings.style);
  }
  return output;
}

}  // namespace fedra::cli
