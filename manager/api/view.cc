#include "manager/api/view.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/names.h"
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

// Workers that are configured, or that jobs were on. Where none is known yet, none is wrong.
Result<void> CheckWorkers(const report::StatusData& data, const std::vector<std::string>& asked) {
  std::set<std::string> known;
  for (const store::ClusterRow& row : data.clusters) known.insert(row.name.value);
  for (const store::WorkloadRow& row : data.workloads)
    if (!row.worker.empty()) known.insert(row.worker.value);
  for (const std::string& name : asked) {
    if (known.empty() || known.contains(name)) continue;
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--worker {}: there is no such worker; there are {}", name,
                            fmt::join(known, ", ")));
  }
  return {};
}

// What a word is that is no job's name; empty: nothing known.
std::string WhatElse(store::Reader& reader, const std::string& word, bool may_be_table) {
  const Result<report::StatusData> data = report::LoadStatus(reader);
  if (!data) return {};
  for (const store::ClusterRow& row : data->clusters) {
    if (row.name.value == word)
      return fmt::format("{} is a worker: `fedra status workers` shows it", word);
  }
  for (const store::WorkloadRow& row : data->workloads) {
    if (row.job.ns == word)
      return fmt::format("{} is a namespace: `fedra status -n {}` shows its jobs", word, word);
  }
  if (!may_be_table) return {};
  const std::string closest =
      config::ClosestName(word, {"workers", "jobs", "clusters", "workloads"});
  return closest.empty() ? "" : fmt::format("there is no job {}; did you mean {}?", word, closest);
}

Result<Output> OfFleet(store::Reader& reader, const ViewSettings& settings,
                       Output (*render)(const report::StatusData&, const ViewSettings&)) {
  FEDRA_ASSIGN_OR_RETURN(const report::StatusData data, report::LoadStatus(reader));
  FEDRA_RETURN_IF_ERROR(CheckWorkers(data, settings.query.jobs.workers));
  return render(data, settings);
}

Result<Output> OfJob(const std::string& job, store::Reader& reader, const ViewSettings& settings,
                     Output (*render)(const report::WorkloadData&, const ViewSettings&)) {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<report::JobName> names,
                         report::ParseWorkloadName(job, settings.query.ns));
  FEDRA_ASSIGN_OR_RETURN(const report::WorkloadData data,
                         report::LoadWorkload(reader, names, settings.query.now));
  return render(data, settings);
}

// OfJob, with a hint where the word names something else. `may_be_table`: as behind `status`.
Result<Output> OfWord(const std::string& job, store::Reader& reader, const ViewSettings& settings,
                      Output (*render)(const report::WorkloadData&, const ViewSettings&),
                      bool may_be_table = false) {
  Result<Output> output = OfJob(job, reader, settings, render);
  if (output || output.error().code != ErrorCode::kNotFound) return output;
  const std::string hint = WhatElse(reader, job, may_be_table);
  if (hint.empty()) return output;
  return Fail(ErrorCode::kNotFound, hint);
}

}  // namespace

Result<Output> RenderView(View view, const std::string& job, store::Reader& reader,
                          const ViewSettings& settings) {
  switch (view) {
    case View::kWorkers:
      return OfFleet(reader, settings, &text::RenderWorkers);
    case View::kJobs:
      return OfFleet(reader, settings, &text::RenderJobs);
    case View::kCounts:
      return OfFleet(reader, settings, &text::RenderJobCounts);
    case View::kJob:
      return OfWord(job, reader, settings, &text::RenderWorkload, /*may_be_table=*/true);
    case View::kWhy:
      return OfWord(job, reader, settings, &text::RenderWhy);
    case View::kHistory:
      return OfWord(job, reader, settings, &text::RenderHistory);
    case View::kStatus:
      break;
  }
  return OfFleet(reader, settings, &text::RenderStatus);
}

}  // namespace fedra::api
