#include "manager/cli/status_view.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/cli/display_text.h"
#include "manager/cli/status_tables.h"
#include "manager/cli/view_parts.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;
using store::ClusterRow;
using store::WorkloadRow;

// What needs somebody comes first.
constexpr std::array<std::string_view, 9> kByUrgency = {"Blocked", "Requeued", "Dispatching",
                                                        "Waiting", "Running",  "Suspended",
                                                        "Failed",  "Finished", "Deleted"};
// Where the data's age ends in a heading, at most: on the screen, however long the notes are.
constexpr size_t kHeadingWidth = 100;
// How the heading counts them.
constexpr std::array<std::string_view, 9> kByProgress = {"Running",  "Dispatching", "Requeued",
                                                         "Waiting",  "Blocked",     "Suspended",
                                                         "Finished", "Failed",      "Deleted"};

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
  ordered_json document = Report(kind, data.daemon, data.manager, settings.now);
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

std::string KeyLines(Parts parts, const StatusData& data, const ViewSettings& settings) {
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

// What stands above the tables: what makes them old, or keeps jobs from being placed.
std::string Preamble(const StatusData& data, const ViewSettings& settings) {
  return (settings.style.headers ? DaemonLine(data.daemon, settings) : "") +
         ManagerLine(data.manager, settings);
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
  const std::vector<WorkloadRow> workloads = Chosen(data, settings);
  Output output;
  if (data.clusters.empty() && workloads.empty()) output.note = kNoWorkers;
  if (settings.format == Format::kName) {
    output.out = KeyLines(kBoth, data, settings);
  } else if (!IsTable(settings.format)) {
    output.out = ToText(StatusDocument("StatusReport", kBoth, data, settings), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = FreshnessOf(data.daemon, settings.now);
    output.out = Preamble(data, settings) +
                 Section("WORKERS", ClusterSummary(data), &freshness, ClusterTable(data, settings),
                         settings.style) +
                 "\n" +
                 Section("WORKLOADS", WorkloadSummary(workloads), nullptr,
                         WorkloadTable(workloads, data, settings), settings.style);
  }
  NoteAge(data, settings, output);
  return output;
}

Output RenderClusters(const StatusData& data, const ViewSettings& settings) {
  Output output;
  if (data.clusters.empty()) output.note = kNoWorkers;
  if (settings.format == Format::kName) {
    output.out = KeyLines(kClusters, data, settings);
  } else if (!IsTable(settings.format)) {
    output.out =
        ToText(StatusDocument("ClusterReport", kClusters, data, settings), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = FreshnessOf(data.daemon, settings.now);
    output.out = Preamble(data, settings) + Section("WORKERS", ClusterSummary(data), &freshness,
                                                    ClusterTable(data, settings), settings.style);
  }
  NoteAge(data, settings, output);
  return output;
}

Output RenderWorkloads(const StatusData& data, const ViewSettings& settings) {
  const std::vector<WorkloadRow> rows = Chosen(data, settings);
  Output output;
  if (rows.empty()) output.note = NoWorkloads(settings);
  if (settings.format == Format::kName) {
    output.out = KeyLines(kWorkloads, data, settings);
  } else if (!IsTable(settings.format)) {
    output.out =
        ToText(StatusDocument("WorkloadReport", kWorkloads, data, settings), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = FreshnessOf(data.daemon, settings.now);
    output.out =
        Preamble(data, settings) + Section("WORKLOADS", WorkloadSummary(rows), &freshness,
                                           WorkloadTable(rows, data, settings), settings.style);
  }
  NoteAge(data, settings, output);
  return output;
}

}  // namespace fedra::cli
