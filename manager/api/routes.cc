#include "manager/api/routes.h"

#include <algorithm>

#include "manager/report/job_filter.h"

namespace fedra::api {
namespace {

using Form = ParameterForm;

const std::vector<Parameter>& Filters() {
  static const std::vector<Parameter> filters = {
      {"namespace", Form::kText, "Only jobs of this namespace"},
      {"state", Form::kList, "Only jobs in these states"},
      {"reason", Form::kList, "Only blocked jobs with one of these reasons against a worker"},
      {"worker", Form::kList, "Only jobs that run on these workers, or are dispatched to them"},
      {"queue", Form::kList, "Only jobs of these LocalQueues: NAME or NAMESPACE/NAME"},
      {"selector", Form::kText, "Only jobs with these labels, as kubectl takes them"},
      {"sort-by", Form::kChoice,
       "The order; state, which it is without this, begins with what needs a person", false,
       report::SortColumns()},
      {"limit", Form::kNumber,
       "At most so many jobs; 0, or nothing: all. `remaining` counts those behind them, and "
       "`continue` leads to them"},
      {"continue", Form::kText,
       "`continue` of the answer before, with the same filters and order: what comes behind it"},
      {"all", Form::kFlag, "Also jobs that ended more than an hour ago"},
  };
  return filters;
}

// Of what is counted there are no pages.
std::vector<Parameter> CountFilters() {
  std::vector<Parameter> filters = {
      {"group-by", Form::kChoice, "What is counted", true, report::GroupColumns()}};
  for (const Parameter& filter : Filters())
    if (filter.name != "sort-by" && filter.name != "limit" && filter.name != "continue")
      filters.push_back(filter);
  return filters;
}

const std::vector<Parameter>& OneJob() {
  static const std::vector<Parameter> parameters = {
      {"job", Form::kText, "NAMESPACE/NAME, NAME, or KIND/NAMESPACE/NAME", true},
      {"namespace", Form::kText, "Of a NAME alone"},
  };
  return parameters;
}

const std::vector<Parameter>& DeviceFilters() {
  static const std::vector<Parameter> filters = {
      {"worker", Form::kList, "Only these workers"},
      {"class", Form::kText, "Only devices that this DeviceClass means, as it is on each worker"},
      {"selector", Form::kText, "Only devices that this CEL selector matches"},
  };
  return filters;
}

}  // namespace

std::span<const Route> Routes() {
  static const std::vector<Route> routes = {
      {"status", "fedra status", "StatusReport", "The workers and the jobs", Topic::kView,
       View::kStatus, Filters()},
      {"workers", "fedra status workers", "WorkerReport", "The workers", Topic::kView,
       View::kWorkers},
      {"jobs", "fedra status jobs", "JobReport", "The jobs", Topic::kView, View::kJobs, Filters()},
      {"counts", "fedra status jobs --group-by WHAT", "JobCounts",
       "How many jobs there are of each, which has been so for longest, and a reason's remedy",
       Topic::kView, View::kCounts, CountFilters()},
      {"job", "fedra status JOB", "JobReport", "Where one job is and where it has been",
       Topic::kView, View::kJob, OneJob()},
      {"why", "fedra why JOB", "WhyReport",
       "For each worker why it can or cannot run a job, and what comes next", Topic::kView,
       View::kWhy, OneJob()},
      {"history", "fedra history JOB", "HistoryReport",
       "What happened to a job: attempts and events of every incarnation", Topic::kView,
       View::kHistory, OneJob()},
      {"devices", "fedra devices", "DeviceReport",
       "The workers' devices, counted: total, free, allocated, tainted. As the daemon sees them "
       "now: "
       "no worker is asked",
       Topic::kDevices, View::kStatus, DeviceFilters()},
      {"templates",
       "fedra templates diff",
       "TemplateSync",
       "What the daemon would do now about copies of ResourceClaimTemplates. 503 while the "
       "manager's "
       "lists are not complete",
       Topic::kTemplates,
       View::kStatus,
       {
           {"mode",
            Form::kChoice,
            "As if verification.templates.sync were this",
            false,
            {"IfMissing", "Reconcile"}},
       }},
  };
  return routes;
}

std::span<const Parameter> CommonParameters() {
  static const std::vector<Parameter> common = {
      {"output",
       Form::kChoice,
       "The form: json, which it is without this, and yaml are the document, the others text as "
       "the "
       "command prints it",
       false,
       {"json", "yaml", "table", "wide", "name"}},
      {"headers", Form::kFlag, "Of text: false leaves out everything but rows"},
      {"columns", Form::kNumber, "Of text: the width of a line; 0, or nothing: no limit"},
      {"color", Form::kFlag, "Of text: with a terminal's escape sequences for colours"},
      {"ascii", Form::kFlag, "Of text: no characters but those of ASCII"},
  };
  return common;
}

const Route* FindRoute(std::string_view path) {
  const auto found = std::ranges::find(Routes(), path, &Route::path);
  return found == Routes().end() ? nullptr : &*found;
}

const Parameter* FindParameter(const Route& route, std::string_view name) {
  const auto own = std::ranges::find(route.parameters, name, &Parameter::name);
  if (own != route.parameters.end()) return &*own;
  const auto common = std::ranges::find(CommonParameters(), name, &Parameter::name);
  return common == CommonParameters().end() ? nullptr : &*common;
}

std::string PathsText() {
  std::string text;
  for (const Route& route : Routes()) text.append(text.empty() ? "" : ", ").append(route.path);
  return text;
}

}  // namespace fedra::api
