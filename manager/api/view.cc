#include "manager/api/view.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "config/names.h"
#include "manager/api/withhold.h"
#include "manager/report/job_documents.h"
#include "manager/report/job_name.h"
#include "manager/report/load_status.h"
#include "manager/report/status_model.h"
#include "manager/text/history_view.h"
#include "manager/text/job_counts_view.h"
#include "manager/text/status_view.h"
#include "manager/text/why_view.h"
#include "manager/text/workload_view.h"

namespace fedra::api {
namespace {

using text::Output;
using text::ViewSettings;

// The store as a viewer sees it.
struct Sight {
  store::Reader& reader;
  const Viewer& viewer;
  std::set<std::string> hidden;  // namespaces
};

Result<Sight> SightOf(const Viewer& viewer, store::Reader& reader) {
  FEDRA_ASSIGN_OR_RETURN(std::set<std::string> hidden, HiddenFrom(viewer, reader));
  if (!viewer.everywhere) FEDRA_RETURN_IF_ERROR(reader.ShowOnly(viewer.namespaces));
  return Sight{reader, viewer, std::move(hidden)};
}

// Workers that are configured, or that jobs were on. Where none is known yet, none is wrong.
Result<void> CheckWorkers(const Sight& sight, const report::StatusData& data,
                          const std::vector<std::string>& asked) {
  std::set<std::string> known;
  if (sight.viewer.fleet)
    for (const store::ClusterRow& row : data.clusters) known.insert(row.name.value);
  const auto is_known = [&](const std::string& name) { return known.contains(name); };
  if (std::ranges::all_of(asked, is_known)) return {};
  FEDRA_ASSIGN_OR_RETURN(std::set<std::string> of_jobs, sight.reader.JobWorkers());
  known.merge(of_jobs);
  for (const std::string& name : asked) {
    if (known.empty() || is_known(name)) continue;
    return Fail(WrongOption(
        "worker", fmt::format("there is no such worker; there are {}", fmt::join(known, ", ")),
        name));
  }
  return {};
}

report::JobDetail DetailOf(text::Format format) {
  if (format == text::Format::kName) return report::JobDetail::kNone;
  return format == text::Format::kWide ? report::JobDetail::kWide : report::JobDetail::kDocument;
}

// No more of it than the view shows.
Result<report::StatusData> Load(View view, const Sight& sight, const ViewSettings& settings) {
  FEDRA_ASSIGN_OR_RETURN(report::StatusData data, report::LoadFleet(sight.reader));
  FEDRA_RETURN_IF_ERROR(CheckWorkers(sight, data, settings.query.jobs.workers));
  if (view == View::kStatus || view == View::kWorkers)
    FEDRA_RETURN_IF_ERROR(report::LoadJobsByWorker(sight.reader, data));
  if (view == View::kStatus || view == View::kJobs)
    FEDRA_RETURN_IF_ERROR(
        report::LoadJobs(sight.reader, settings.query, DetailOf(settings.format), data));
  if (view == View::kCounts)
    FEDRA_RETURN_IF_ERROR(report::LoadGroups(sight.reader, settings.query, data));
  Withhold(sight.viewer, sight.hidden, data);
  return data;
}

Output Render(View view, const report::StatusData& data, const ViewSettings& settings) {
  if (view == View::kWorkers) return text::RenderWorkers(data, settings);
  if (view == View::kJobs) return text::RenderJobs(data, settings);
  if (view == View::kCounts) return text::RenderJobCounts(data, settings);
  return text::RenderStatus(data, settings);
}

// What a word is that is no job's name; empty: nothing known.
std::string WhatElse(const Sight& sight, const std::string& word, bool may_be_table) {
  const auto data = report::LoadFleet(sight.reader);
  if (!data) return {};
  for (const store::ClusterRow& row : data->clusters) {
    if (row.name.value == word)
      return fmt::format("{} is a worker: `fedra status workers` shows it", word);
  }
  const auto is_namespace = report::HasJobs(sight.reader, word);
  if (is_namespace && *is_namespace)
    return fmt::format("{} is a namespace: `fedra status -n {}` shows its jobs", word, word);
  if (!may_be_table) return {};
  const std::string closest =
      config::ClosestName(word, {"workers", "jobs", "clusters", "workloads"});
  return closest.empty() ? "" : fmt::format("there is no job {}; did you mean {}?", word, closest);
}

Result<Output> OfFleet(View view, const Sight& sight, const ViewSettings& settings) {
  FEDRA_ASSIGN_OR_RETURN(const report::StatusData data, Load(view, sight, settings));
  return Render(view, data, settings);
}

Result<Output> OfJob(const std::string& job, const Sight& sight, const ViewSettings& settings,
                     Output (*render)(const report::WorkloadData&, const ViewSettings&)) {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<report::JobName> names,
                         report::ParseWorkloadName(job, settings.query.ns));
  FEDRA_ASSIGN_OR_RETURN(report::WorkloadData data,
                         report::LoadWorkload(sight.reader, names, settings.query.now));
  Withhold(sight.viewer, sight.hidden, data);
  return render(data, settings);
}

// OfJob, with a hint where the word names something else. `may_be_table`: as behind `status`.
Result<Output> OfWord(const std::string& job, const Sight& sight, const ViewSettings& settings,
                      Output (*render)(const report::WorkloadData&, const ViewSettings&),
                      bool may_be_table = false) {
  Result<Output> output = OfJob(job, sight, settings, render);
  if (output || output.error().code != ErrorCode::kNotFound) return output;
  // What is wrong with the manager's connection is no business of theirs.
  if (!sight.viewer.fleet)
    return Fail(ErrorCode::kNotFound,
                "no such job or Workload is known to fedra, of those that you may see");
  const std::string hint = WhatElse(sight, job, may_be_table);
  if (hint.empty()) return output;
  return Fail(ErrorCode::kNotFound, hint);
}

}  // namespace

Result<Output> RenderView(View view, const std::string& job, store::Reader& reader,
                          const ViewSettings& settings) {
  return RenderView(view, job, reader, settings, Viewer::OfEverything());
}

Result<Output> RenderView(View view, const std::string& job, store::Reader& reader,
                          const ViewSettings& settings, const Viewer& viewer) {
  FEDRA_ASSIGN_OR_RETURN(const Sight sight, SightOf(viewer, reader));
  switch (view) {
    case View::kJob:
      return OfWord(job, sight, settings, &text::RenderWorkload, /*may_be_table=*/true);
    case View::kWhy:
      return OfWord(job, sight, settings, &text::RenderWhy);
    case View::kHistory:
      return OfWord(job, sight, settings, &text::RenderHistory);
    case View::kStatus:
    case View::kWorkers:
    case View::kJobs:
    case View::kCounts:
      break;
  }
  return OfFleet(view, sight, settings);
}

Result<Output> RenderWhyOf(const std::vector<std::string>& jobs, store::Reader& reader,
                           const ViewSettings& settings, const Viewer& viewer) {
  if (!text::IsForPrograms(settings.format))
    return Fail(WrongOption("output", "of several jobs there is a document alone: json or yaml"));
  FEDRA_ASSIGN_OR_RETURN(const Sight sight, SightOf(viewer, reader));
  FEDRA_ASSIGN_OR_RETURN(report::StatusData fleet, report::LoadFleet(reader));
  Withhold(viewer, sight.hidden, fleet);
  std::vector<report::WorkloadData> known;
  for (const std::string& job : jobs) {
    FEDRA_ASSIGN_OR_RETURN(const std::vector<report::JobName> names,
                           report::ParseWorkloadName(job, settings.query.ns));
    FEDRA_ASSIGN_OR_RETURN(std::optional<report::WorkloadData> data,
                           report::FindWorkload(reader, names));
    if (!data) continue;
    Withhold(viewer, sight.hidden, *data);
    known.push_back(*std::move(data));
  }
  return Output{text::ToText(report::WhyDocument(fleet, known, settings.query), settings.format),
                {}};
}

}  // namespace fedra::api
