#include "manager/text/job_counts_view.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "manager/report/exit_code.h"
#include "manager/report/freshness.h"
#include "manager/report/job_counts.h"
#include "manager/text/display_text.h"
#include "manager/text/status_format.h"

namespace fedra::text {
namespace {

using store::JobGroup;

// Jobs that are on no worker.
std::string NameOf(const JobGroup& group) { return group.name.empty() ? "-" : group.name; }

std::string NamesOf(const std::vector<JobGroup>& groups) {
  std::string names;
  for (const JobGroup& group : groups) names += Printable(NameOf(group)) + "\n";
  return names;
}

Table TableOf(const std::vector<JobGroup>& groups, const ViewSettings& settings) {
  Table table(
      {ToUpper(report::ToString(settings.query.jobs.grouping.value())), "JOBS", "LONGEST", "JOB"});
  for (const JobGroup& group : groups)
    table.Add({NameOf(group), std::to_string(group.jobs), Since(group.since, settings.query.now),
               group.longest.ToString()});
  return table;
}

}  // namespace

Output RenderJobCounts(const report::StatusData& data, const ViewSettings& settings) {
  const std::vector<JobGroup>& groups = data.groups;
  Output output;
  if (report::IsStandby(data.daemon)) output.code = report::kUnknown;
  if (groups.empty()) {
    // A standby would not know of any.
    const report::Daemon& daemon = data.daemon;
    const std::string standby =
        report::IsStandby(daemon) ? report::StandbyText(daemon, settings.query.now) + ". " : "";
    output.note = standby + "No jobs to count.";
  }
  if (settings.format == Format::kName) {
    output.out = NamesOf(groups);
  } else if (!IsTable(settings.format)) {
    output.out = ToText(report::JobCountsDocument(data, settings.query), settings.format);
  } else if (output.note.empty()) {
    if (settings.style.headers) output.out = DaemonLine(data.daemon, settings);
    output.out += TableOf(groups, settings).Render(settings.style);
  }
  if (!IsForPrograms(settings.format) && output.note.empty() && !settings.style.headers)
    output.note = report::StaleText(data.daemon, settings.query.now);
  return output;
}

}  // namespace fedra::text
