#include "manager/api/api.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "manager/api/delivery.h"
#include "manager/api/openapi.h"
#include "manager/api/parameters.h"
#include "manager/api/problem.h"
#include "manager/api/routes.h"
#include "manager/api/streams.h"
#include "manager/api/withhold.h"
#include "manager/report/device_map.h"
#include "manager/report/exit_code.h"
#include "manager/report/row_json.h"
#include "manager/report/template_document.h"
#include "manager/text/as_of_text.h"
#include "manager/text/catalogue_view.h"
#include "manager/text/device_map_view.h"
#include "manager/text/device_view.h"
#include "manager/text/template_view.h"

namespace fedra::api {
namespace {

// Wider than any terminal.
constexpr size_t kMostColumns = 10'000;

// Of one answer, but for the one that says how many more there are: proxies take some KiB of
// headers, and our own client 16 warnings (http::Reply).
constexpr size_t kMostWarnings = 15;
constexpr size_t kMostWarningBytes = 4 << 10;

std::string_view TypeOf(text::Format format) {
  switch (format) {
    case text::Format::kJson:
      return "application/json";
    case text::Format::kYaml:
      return "application/yaml";
    default:
      return "text/plain";
  }
}

report::JobFilter FilterOf(const Parameters& asked) {
  report::JobFilter filter;
  filter.states = asked.List("state");
  filter.reasons = asked.List("reason");
  filter.workers = asked.List("worker");
  filter.queues = asked.List("queue");
  filter.name = asked.Text("name");
  filter.labels = asked.Text("selector");
  if (const std::string order = asked.Text("sort-by"); !order.empty()) filter.sort_by = order;
  filter.limit = asked.Number("limit");
  filter.all = asked.Flag("all");
  filter.go_on = asked.Text("continue");
  filter.group_by = asked.Text("group-by");
  return filter;
}

Result<text::ViewSettings> SettingsOf(const Parameters& asked, const report::Query& defaults,
                                      WallTime now) {
  text::ViewSettings settings;
  const std::string output = asked.Text("output");
  FEDRA_ASSIGN_OR_RETURN(settings.format, text::ParseFormat(output.empty() ? "json" : output));
  settings.style = {.headers = asked.Flag("headers", true),
                    .color = asked.Flag("color"),
                    .utf8 = !asked.Flag("ascii"),
                    .width = std::min(asked.Number("columns"), kMostColumns)};
  settings.query = defaults;
  settings.query.now = now;
  settings.query.ns = asked.Text("namespace");
  return settings;
}

// Those that are asked for; none: all.
Result<std::vector<report::DeviceSource>> Chosen(std::vector<report::DeviceSource> all,
                                                 const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::ranges::find(all, name, &report::DeviceSource::worker) == all.end())
      return Fail(WrongOption("worker", "there is no such worker", name));
  }
  std::erase_if(all, [&](const report::DeviceSource& source) {
    return !names.empty() && !Contains(names, source.worker);
  });
  return all;
}

// For a header: no line ends, no quotes that would end it.
std::string InQuotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  }
  return quoted + "\"";
}

// Of the lines of a note as many as headers may have, and how many more there are.
std::vector<std::string> WarningsOf(const std::string& note) {
  std::vector<std::string> warnings;
  std::istringstream lines(note);
  size_t bytes = 0;
  size_t more = 0;
  for (std::string line; std::getline(lines, line);) {
    line = "299 fedra " + InQuotes(Cut(line, kMostWarningBytes / 2));
    bytes += line.size();
    const bool fits = warnings.size() < kMostWarnings && bytes <= kMostWarningBytes;
    if (warnings.empty() || (more == 0 && fits))
      warnings.push_back(std::move(line));
    else
      ++more;
  }
  if (more > 0) warnings.push_back(fmt::format("299 fedra \"and {} more\"", more));
  return warnings;
}

httpd::Answer ToAnswer(text::Output output, text::Format format) {
  std::string type(TypeOf(format));
  if (!text::IsForPrograms(format)) type += "; charset=utf-8";
  httpd::Answer answer{.content_type = std::move(type), .body = std::move(output.out)};
  if (output.code != 0) answer.headers.emplace_back(kExitCodeHeader, std::to_string(output.code));
  // As an API server tells kubectl what belongs on standard error (RFC 7234, 5.5).
  for (std::string& warning : WarningsOf(output.note))
    answer.headers.emplace_back("Warning", std::move(warning));
  return answer;
}

// What is posted is not got, and what is got is not posted.
std::optional<httpd::Answer> RefusalOfMethod(const Route& route, const httpd::Request& request) {
  if (IsPosted(route) == request.is_post) {
    const std::string type = httpd::HeaderOf(request, "content-type");
    if (!request.is_post || TakesBody(type)) return std::nullopt;
    return Problem(415, "the body is to be application/yaml or application/json");
  }
  httpd::Answer answer =
      Problem(405, fmt::format("{} takes only {}", route.path, request.is_post ? "GET" : "POST"));
  if (!request.is_post) answer.headers.emplace_back("Allow", "POST");
  return answer;
}

Result<CheckRequest> CheckRequestOf(const Parameters& asked, const httpd::Request& request) {
  FEDRA_ASSIGN_OR_RETURN(std::vector<report::ManifestFile> files, FilesIn(request));
  return CheckRequest{
      .files = std::move(files), .ns = asked.Text("namespace"), .workers = asked.List("worker")};
}

Result<void> CheckFormat(const Route& route, text::Format format) {
  const std::string_view nameless = NamelessIn(route.topic);
  if (format != text::Format::kName || nameless.empty()) return {};
  return Fail(WrongOption("output", fmt::format("{} have no list of names", nameless)));
}

// What the API has, for programs. It takes no parameters.
Result<httpd::Answer> AnswerOpenApi(const httpd::Request& request) {
  if (request.target.find('?') != std::string::npos)
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} has no parameters", kOpenApiPath));
  constexpr std::string_view kType = "application/json";
  if (!Accepts(HeaderOf(request, "accept"), kType))
    return Problem(406, fmt::format("the answer is {}, which you do not accept", kType));
  const std::string text(OpenApi().front().text);
  return Deliver(request, {.content_type = std::string(kType), .body = text}, text);
}

}  // namespace

Api::Api(Sources sources) : sources_(std::move(sources)) {}

httpd::Answer Api::Answer(const httpd::Request& request) const {
  if (auto refusal = RefusalOf(request)) return *std::move(refusal);
  return AnswerTo(Viewer::OfEverything(), request);
}

httpd::Answer Api::AnswerTo(const Viewer& viewer, const httpd::Request& request,
                            const ReadCheck* posted) const {
  Result<httpd::Answer> answer = Find({request, viewer, posted});
  return answer ? *std::move(answer) : ProblemOf(answer.error());
}

Result<httpd::Answer> Api::Find(const Question& question) const {
  const httpd::Request& request = question.request;
  if (IsOpenApi(request.target) && !request.is_post) return AnswerOpenApi(request);
  FEDRA_ASSIGN_OR_RETURN(const Route* const route, RouteOf(request.target));
  if (auto refusal = RefusalOfMethod(*route, request)) return *std::move(refusal);
  FEDRA_ASSIGN_OR_RETURN(const Parameters asked, Parameters::Parse(*route, request.target));
  if (route->topic == Topic::kStream)
    return AnswerWatch(sources_.streams, asked, request, question.viewer);
  FEDRA_ASSIGN_OR_RETURN(const text::ViewSettings settings,
                         SettingsOf(asked, sources_.settings, sources_.clock->Now()));
  if (const std::string_view type = TypeOf(settings.format);
      !Accepts(HeaderOf(request, "accept"), type))
    return Problem(406, fmt::format("the answer is {}, which you do not accept", type));
  FEDRA_RETURN_IF_ERROR(CheckFormat(*route, settings.format));
  FEDRA_ASSIGN_OR_RETURN(text::Output output, Print(*route, asked, settings, question));
  const std::string news = settings.format == text::Format::kJson ? report::WithoutAges(output.out)
                                                                  : output.out + output.note;
  return Deliver(request, ToAnswer(std::move(output), settings.format), news);
}

Result<text::Output> Api::Print(const Route& route, const Parameters& asked,
                                const text::ViewSettings& settings,
                                const Question& question) const {
  if (route.topic == Topic::kView) return PrintView(route.view, asked, settings, question);
  if (route.topic == Topic::kCatalogue)
    return text::RenderCatalogue(settings.format, settings.style);
  Result<text::Output> output = PrintSeen(route.topic, asked, settings, question);
  if (output && text::IsTable(settings.format) && settings.style.headers)
    output->out.insert(0, text::StandbyLine(AsOfNow(settings, question.viewer), settings.style));
  return output;
}

Result<text::Output> Api::PrintView(View view, const Parameters& asked,
                                    const text::ViewSettings& settings,
                                    const Question& question) const {
  text::ViewSettings filtered = settings;
  FEDRA_ASSIGN_OR_RETURN(filtered.query.jobs, report::Checked(FilterOf(asked), filtered.query.ns));
  FEDRA_ASSIGN_OR_RETURN(const auto reader, sources_.store());
  const std::vector<std::string> jobs = asked.List("job");
  if (jobs.size() > 1) return RenderWhyOf(jobs, *reader, filtered, question.viewer);
  return RenderView(view, asked.Text("job"), *reader, filtered, question.viewer);
}

Result<text::Output> Api::PrintSeen(Topic topic, const Parameters& asked,
                                    const text::ViewSettings& settings,
                                    const Question& question) const {
  if (topic == Topic::kDevices) return PrintDevices(asked, settings, question);
  if (topic == Topic::kDeviceMap) return PrintDeviceMap(asked, settings, question);
  if (topic == Topic::kTemplates) return PrintTemplates(asked, settings, question);
  return PrintCheck(asked, settings, question);
}

Result<text::Output> Api::PrintCheck(const Parameters& asked, const text::ViewSettings& settings,
                                     const Question& question) const {
  std::optional<ReadCheck> read;
  if (question.posted == nullptr) {
    FEDRA_ASSIGN_OR_RETURN(read, ReadPosted(asked, question.request));
  }
  const ReadCheck& check = question.posted != nullptr ? *question.posted : *read;
  return check.judge({.format = settings.format,
                      .style = settings.style,
                      .as_of = AsOfNow(settings, question.viewer)},
                     question.viewer);
}

Result<ReadCheck> Api::ReadPosted(const Parameters& asked, const httpd::Request& request) const {
  if (!sources_.check.read) return Fail(ErrorCode::kUnavailable, "this daemon judges no manifests");
  FEDRA_ASSIGN_OR_RETURN(CheckRequest check, CheckRequestOf(asked, request));
  return sources_.check.read(std::move(check));
}

report::AsOf Api::AsOfNow(const text::ViewSettings& settings, const Viewer& viewer) const {
  report::AsOf now{.at = settings.query.now};
  if (sources_.replica) now.replica = sources_.replica();
  if (now.replica) Withhold(viewer, *now.replica);
  return now;
}

Result<text::Output> Api::PrintDevices(const Parameters& asked, const text::ViewSettings& settings,
                                       const Question& question) const {
  FEDRA_ASSIGN_OR_RETURN(const auto sources, Chosen(sources_.devices(), asked.List("worker")));
  const report::DeviceFilter filter{asked.Text("class"), asked.Text("selector")};
  Result<std::vector<report::WorkerDevices>> workers = report::CountDevices(sources, filter);
  if (!workers) return Fail(std::move(workers).error().WithOption("selector"));
  text::Output output = text::RenderDevices(*workers, AsOfNow(settings, question.viewer),
                                            settings.format, settings.style, filter.device_class);
  output.code = report::ExitCodeOf(*workers);
  return output;
}

Result<text::Output> Api::PrintDeviceMap(const Parameters& asked,
                                         const text::ViewSettings& settings,
                                         const Question& question) const {
  FEDRA_ASSIGN_OR_RETURN(const auto sources, Chosen(sources_.devices(), {asked.Text("worker")}));
  const report::DeviceSource& source = sources.front();
  if (!source.problem.empty())
    return Fail(ErrorCode::kUnavailable, fmt::format("{}: {}", source.worker, source.problem));
  FEDRA_ASSIGN_OR_RETURN(const report::DeviceMap map,
                         report::MapDevices(source, {.node = asked.Text("node"),
                                                     .limit = asked.Number("limit"),
                                                     .go_on = asked.Text("continue")}));
  return text::RenderDeviceMap(map, AsOfNow(settings, question.viewer), settings.format,
                               settings.style);
}

Result<text::Output> Api::PrintTemplates(const Parameters& asked,
                                         const text::ViewSettings& settings,
                                         const Question& question) const {
  std::optional<templates::SyncPolicy> mode;
  for (const auto each : {templates::SyncPolicy::kIfMissing, templates::SyncPolicy::kReconcile})
    if (asked.Text("mode") == report::NameOf(each)) mode = each;
  templates::TemplateSurvey survey = sources_.templates(mode);
  if (!survey.problem.empty()) return Fail(ErrorCode::kUnavailable, survey.problem);
  Withhold(question.viewer, survey);
  text::Output output = text::RenderTemplates(survey, AsOfNow(settings, question.viewer),
                                              settings.format, settings.style);
  if (!survey.unread.empty()) output.code = report::kUnknown;
  return output;
}

}  // namespace fedra::api
