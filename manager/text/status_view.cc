#include "manager/text/status_view.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/text.h"
#include "manager/report/exit_code.h"
#include "manager/report/freshness.h"
#include "manager/report/row_states.h"
#include "manager/report/status_document.h"
#include "manager/report/viewer_roles.h"
#include "manager/text/capacity_text.h"
#include "manager/text/display_text.h"
#include "manager/text/line_text.h"
#include "manager/text/order_text.h"
#include "manager/text/status_format.h"
#include "manager/text/status_tables.h"

namespace fedra::text {
namespace {

using report::Parts;
using store::ClusterRow;
using store::WorkloadRow;

// Where the data's age ends in a heading, at most: on the screen, however long the notes are.
constexpr size_t kHeadingWidth = 100;

// Its place in the heading, and how the heading calls it. What another version wrote comes last.
std::pair<size_t, std::string> HeadingWord(const std::string& state) {
  const std::span<const report::PhaseView> views = report::PhaseViews();
  const report::PhaseView* view = report::ViewOf(state);
  return {view == nullptr ? views.size() : static_cast<size_t>(view - views.data()),
          ToLower(state)};
}

// What the table leaves out, with line ends; empty: nothing.
std::string LeftOut(const report::ChosenJobs& jobs) {
  std::string text;
  if (jobs.beyond_limit > 0) text += fmt::format("... and {} more\n", jobs.beyond_limit);
  if (jobs.ended > 0) {
    text += fmt::format("{} that ended more than an hour ago: --all shows {}\n",
                        Counted(jobs.ended, "job"), jobs.ended == 1 ? "it" : "them");
  }
  return text;
}

// "3 configured, 2 connected", and "1 removed" where there is one. Of those that this user may not
// see there is no count.
std::string WorkerSummary(const report::StatusData& data) {
  if (Contains(data.daemon.omitted, "workers"))
    return fmt::format("not shown: that is a right in the ClusterRole {}",
                       report::kFleetViewerRole);
  const auto removed = std::ranges::count_if(data.clusters, &ClusterRow::is_removed);
  const auto connected =
      std::count_if(data.clusters.begin(), data.clusters.end(), [](const ClusterRow& row) {
        return report::PhaseOf(row) == verify::ClusterPhase::kConnected;
      });
  const auto configured = static_cast<std::ptrdiff_t>(data.clusters.size()) - removed;
  return fmt::format("{} configured, {}{} connected", configured,
                     removed > 0 ? fmt::format("{} removed, ", removed) : "", connected);
}

std::string JobSummary(const report::ChosenJobs& jobs, const ViewSettings& settings) {
  std::map<std::pair<size_t, std::string>, size_t> counts;
  for (const auto& [state, count] : jobs.by_state) counts[HeadingWord(state)] += count;
  std::string text;
  for (const auto& [state, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state.second);
  }
  if (!text.empty()) return text;
  const std::string where =
      settings.query.ns.empty() ? "" : " in namespace " + Printable(settings.query.ns);
  return (report::IsFiltered(settings.query.jobs) ? "none match" : "none") + where;
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

std::string KeyLines(Parts parts, const report::StatusData& data) {
  std::string names;
  // Where both are listed each says which it is.
  const char* const worker = parts == Parts::kBoth ? "worker/" : "";
  const char* const job = parts == Parts::kBoth ? "job/" : "";
  if (report::HasWorkers(parts)) {
    for (const ClusterRow& row : data.clusters) names += worker + Printable(row.name.value) + "\n";
  }
  if (report::HasJobs(parts)) {
    for (const WorkloadRow& row : data.jobs.shown)
      names += job + Printable(row.job.ToString()) + "\n";
  }
  return names;
}

// A standby, which would not know of any, says so first.
std::string NoJobs(const report::Daemon& daemon, const ViewSettings& settings) {
  const std::string standby =
      report::IsStandby(daemon) ? report::StandbyText(daemon, settings.query.now) + ". " : "";
  const std::string which = report::IsFiltered(settings.query.jobs) ? " match" : " found";
  const std::string where = settings.query.ns.empty() ? "" : " in namespace " + settings.query.ns;
  return fmt::format("{}No jobs{}{}.", standby, which, where);
}

constexpr char kNoWorkers[] = "No workers found: no daemon has recorded any here yet.";

// What is above the tables: what makes them old, or keeps jobs from being placed.
std::string Preamble(const report::StatusData& data, const ViewSettings& settings) {
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
void NoteAge(const report::StatusData& data, const ViewSettings& settings, Output& output) {
  const bool only_rows =
      settings.format == Format::kName || (IsTable(settings.format) && !settings.style.headers);
  if (only_rows && output.note.empty())
    output.note = report::StaleText(data.daemon, settings.query.now);
}

}  // namespace

Output RenderStatus(const report::StatusData& data, const ViewSettings& settings) {
  const report::ChosenJobs& jobs = data.jobs;
  Output output;
  if (data.clusters.empty() && jobs.by_state.empty()) output.note = kNoWorkers;
  if (settings.format == Format::kName) {
    output.out = KeyLines(Parts::kBoth, data);
  } else if (!IsTable(settings.format)) {
    output.out =
        ToText(report::StatusDocument(Parts::kBoth, data, settings.query), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = FreshnessOf(data.daemon, settings.query.now);
    const Freshness of_jobs = JobFreshness(data.daemon, settings.query.now);
    const bool differ = report::IsStandby(data.daemon);
    output.out = Preamble(data, settings) +
                 Section("WORKERS", WorkerSummary(data), &freshness, WorkerTable(data, settings),
                         settings.style) +
                 "\n" +
                 Section("JOBS", JobSummary(jobs, settings), differ ? &of_jobs : nullptr,
                         JobTable(data, settings), settings.style);
    if (settings.style.headers) output.out += LeftOut(jobs);
  }
  NoteAge(data, settings, output);
  return output;
}

Output RenderWorkers(const report::StatusData& data, const ViewSettings& settings) {
  Output output;
  if (data.clusters.empty()) output.note = kNoWorkers;
  if (settings.format == Format::kName) {
    output.out = KeyLines(Parts::kWorkers, data);
  } else if (!IsTable(settings.format)) {
    output.out =
        ToText(report::StatusDocument(Parts::kWorkers, data, settings.query), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = FreshnessOf(data.daemon, settings.query.now);
    output.out = Preamble(data, settings) + Section("WORKERS", WorkerSummary(data), &freshness,
                                                    WorkerTable(data, settings), settings.style);
  }
  NoteAge(data, settings, output);
  return output;
}

Output RenderJobs(const report::StatusData& data, const ViewSettings& settings) {
  const report::ChosenJobs& jobs = data.jobs;
  Output output;
  if (report::IsStandby(data.daemon)) output.code = report::kUnknown;
  if (jobs.by_state.empty()) output.note = NoJobs(data.daemon, settings);
  if (settings.format == Format::kName) {
    output.out = KeyLines(Parts::kJobs, data);
  } else if (!IsTable(settings.format)) {
    output.out =
        ToText(report::StatusDocument(Parts::kJobs, data, settings.query), settings.format);
  } else if (output.note.empty()) {
    const Freshness freshness = JobFreshness(data.daemon, settings.query.now);
    output.out = Preamble(data, settings) + Section("JOBS", JobSummary(jobs, settings), &freshness,
                                                    JobTable(data, settings), settings.style);
    if (settings.style.headers) output.out += LeftOut(jobs);
  }
  NoteAge(data, settings, output);
  return output;
}

}  // namespace fedra::text
