#include "manager/api/routes.h"

#include <algorithm>

#include "manager/api/changes.h"
#include "manager/report/job_filter.h"

namespace fedra::api {
namespace {

using Form = ParameterForm;

const std::vector<Parameter>& Filters() {
  static const std::vector<Parameter> filters = {
      {"namespace", Form::kText, "Only jobs of this namespace"},
      {"state", Form::kList,
       "Only jobs in these states. Deleted jobs, as long as their history is kept, are listed "
       "where "
       "Deleted is among them, with the state that they were in last, and `removedAt`"},
      {"reason", Form::kList, "Only blocked jobs with one of these reasons against a worker"},
      {"worker", Form::kList,
       "Only jobs that run on these workers, are dispatched to them, or have ended there"},
      {"queue", Form::kList, "Only jobs of these LocalQueues: NAME or NAMESPACE/NAME"},
      {"name", Form::kText,
       "Only jobs with this in their name, in whatever case; with a slash, in NAMESPACE/NAME; of "
       "several words with each"},
      {"selector", Form::kText, "Only jobs with these labels, as kubectl takes them"},
      {"sort-by", Form::kChoice,
       "The order; state, which it is without this, begins with what needs a person, and has of "
       "Deleted the newest first; ended: what has ended, or was deleted, last comes first",
       false, report::SortColumns()},
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

const std::vector<Parameter>& Jobs() {
  static const std::vector<Parameter> parameters = {
      {.name = "job",
       .form = Form::kList,
       .meaning = "NAMESPACE/NAME, NAME, or KIND/NAMESPACE/NAME. Of several there is a document "
                  "alone, without those that are not known",
       .is_required = true,
       .most = 50},
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

const std::vector<Parameter>& DeviceMapFilters() {
  static const std::vector<Parameter> filters = {
      {"worker", Form::kText, "This worker", true},
      {"node", Form::kText, "Only this node"},
      {"limit", Form::kNumber,
       "At most so many nodes; 0, nothing, or more than 200: 200. `remaining` counts those behind "
       "them, and `continue` leads to them"},
      {"continue", Form::kText,
       "`continue` of the answer before, about the same worker: what comes behind it"},
  };
  return filters;
}

const std::vector<Parameter>& WatchParameters() {
  static const std::vector<Parameter> parameters = {
      {"topics", Form::kList,
       "The topics to follow; without it all. `daemon` is what documents say of the daemon", false,
       TopicNames()},
      {"namespace", Form::kText, "Only jobs of this namespace"},
  };
  return parameters;
}

const std::vector<Parameter>& CheckParameters() {
  static const std::vector<Parameter> parameters = {
      {"namespace", Form::kText, "Of documents that name none; without it \"default\""},
      {"worker", Form::kList, "Only these workers"},
  };
  return parameters;
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
       Topic::kView, View::kJob, OneJob(), "OneJobReport"},
      {"why", "fedra why JOB", "WhyReport",
       "For each worker why it can or cannot run a job, and what comes next", Topic::kView,
       View::kWhy, Jobs()},
      {"history", "fedra history JOB", "HistoryReport",
       "What happened to a job: attempts and events of every incarnation", Topic::kView,
       View::kHistory, OneJob()},
      {"devices", "fedra devices", "DeviceReport",
       "The workers' devices, counted: total, free, allocated, tainted. As the daemon sees them "
       "now: "
       "no worker is asked",
       Topic::kDevices, View::kStatus, DeviceFilters()},
      {"device-map", "fedra devices --map --worker WORKER", "DeviceMap",
       "The devices of one worker, one by one, by node: free, allocated (by whom), shared, tainted "
       "or unusable. As the daemon sees them now: no worker is asked",
       Topic::kDeviceMap, View::kStatus, DeviceMapFilters()},
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
      {"reasons", "fedra explain", "ReasonList",
       "What the words of the other documents mean, and what to do: reasons, states, events",
       Topic::kCatalogue},
      {kWatchPath, "", "Changed",
       "Which documents are not as they were, and of which jobs, until the client goes: "
       "text/event-stream, see [Stream](#stream)",
       Topic::kStream, View::kStatus, WatchParameters()},
      {"check", "fedra check -f FILE", "CheckReport",
       "Where the jobs in the body could run, before they are submitted; nothing is written. "
       "Judged by what the daemon sees now: no worker is asked. The body, of at most 1 MiB, is "
       "YAML or JSON as `kubectl apply -f` takes it, or a CheckRequest with several files. Jobs "
       "times workers may be 10,000",
       Topic::kCheck, View::kStatus, CheckParameters()},
  };
  return routes;
}

std::string_view NamelessIn(Topic topic) {
  switch (topic) {
    case Topic::kView:
    case Topic::kStream:
      return {};
    case Topic::kDevices:
    case Topic::kDeviceMap:
      return "devices";
    case Topic::kTemplates:
      return "steps";
    case Topic::kCheck:
      return "verdicts";
    case Topic::kCatalogue:
      return "words";
  }
  return {};
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

std::span<const AnswerCode> AnswerCodes() {
  static constexpr AnswerCode kCodes[] = {
      {200,
       "`Warning: 299 fedra \"...\"` is what the command would say on standard error; of many "
       "lines the first, and how many more there are"},
      {304,
       "nothing but ages has changed since the answer whose `ETag` was sent as `If-None-Match`"},
      {400, "a parameter is wrong, which `details.causes[0].field` names"},
      {401, "over TLS: there is no token, or none that the manager knows"},
      {403, "a page of another site asks; over TLS: a right is missing, which the message names"},
      {404, "the path or the job is not known"},
      {405, "the method is not one of those in `Allow`"},
      {406, "`Accept` does not take the answer's media type"},
      {413, "the body is longer than 1 MiB"},
      {414, "the URL is longer than 16 KiB"},
      {415, "the body is neither application/yaml nor application/json"},
      {421, "`Host` is another server's"},
      {429,
       "over TLS: too many questions about tokens or rights are to be asked: again after "
       "`Retry-After`"},
      {431, "the headers are longer than 16 KiB"},
      {500, "the store cannot be read"},
      {503,
       "more questions at a time than are answered: again after `Retry-After`; what is asked about "
       "cannot be read now; or, over TLS, the manager does not answer about the reader"},
  };
  return kCodes;
}

std::string_view SchemaOf(const Route& route) {
  return route.schema.empty() ? route.document : route.schema;
}

const Route* FindRoute(std::string_view path) {
  const auto found = std::ranges::find(Routes(), path, &Route::path);
  return found == Routes().end() ? nullptr : &*found;
}

const Parameter* FindParameter(const Route& route, std::string_view name) {
  const auto own = std::ranges::find(route.parameters, name, &Parameter::name);
  if (own != route.parameters.end()) return &*own;
  if (!IsPrinted(route)) return nullptr;
  const auto common = std::ranges::find(CommonParameters(), name, &Parameter::name);
  return common == CommonParameters().end() ? nullptr : &*common;
}

std::string PathsText() {
  std::string text;
  for (const Route& route : Routes()) text.append(route.path).append(", ");
  return text.append(kOpenApiPath);
}

}  // namespace fedra::api
