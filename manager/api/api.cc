#include "manager/api/api.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "manager/api/delivery.h"
#include "manager/api/parameters.h"
#include "manager/api/problem.h"
#include "manager/api/routes.h"
#include "manager/cli/text/view_settings.h"
#include "manager/report/row_json.h"

namespace fedra::api {
namespace {

// Wider than any terminal.
constexpr size_t kMostColumns = 10'000;

std::string_view TypeOf(cli::Format format) {
  switch (format) {
    case cli::Format::kJson:
      return "application/json";
    case cli::Format::kYaml:
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
  filter.labels = asked.Text("selector");
  if (const std::string order = asked.Text("sort-by"); !order.empty()) filter.sort_by = order;
  filter.limit = asked.Number("limit");
  filter.all = asked.Flag("all");
  return filter;
}

Result<cli::ViewSettings> SettingsOf(const Parameters& asked, const report::Query& defaults,
                                     WallTime now) {
  cli::ViewSettings settings;
  const std::string output = asked.Text("output");
  FEDRA_ASSIGN_OR_RETURN(settings.format, cli::ParseFormat(output.empty() ? "json" : output));
  settings.style = {.headers = asked.Flag("headers", true),
                    .color = asked.Flag("color"),
                    .utf8 = !asked.Flag("ascii"),
                    .width = std::min(asked.Number("columns"), kMostColumns)};
  settings.query = defaults;
  settings.query.now = now;
  settings.query.ns = asked.Text("namespace");
  FEDRA_ASSIGN_OR_RETURN(settings.query.jobs, report::Checked(FilterOf(asked)));
  return settings;
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

pages::Answer ToAnswer(cli::Output output, cli::Format format) {
  std::string type(TypeOf(format));
  if (!cli::IsForPrograms(format)) type += "; charset=utf-8";
  pages::Answer answer{.content_type = std::move(type), .body = std::move(output.out)};
  // As an API server tells kubectl what belongs on standard error (RFC 7234, 5.5).
  if (!output.note.empty())
    answer.headers.emplace_back("Warning", "299 fedra " + InQuotes(output.note));
  return answer;
}

}  // namespace

Api::Api(Sources sources) : sources_(std::move(sources)) {}

pages::Answer Api::Answer(const pages::Request& request) const {
  if (auto refusal = RefusalOf(request)) return *std::move(refusal);
  Result<pages::Answer> answer = Find(request);
  return answer ? *std::move(answer) : ProblemOf(answer.error());
}

Result<pages::Answer> Api::Find(const pages::Request& request) const {
  FEDRA_ASSIGN_OR_RETURN(const std::string path, PathOf(request.target));
  const Route* const route = path.starts_with(kPrefix)
                                 ? FindRoute(std::string_view(path).substr(kPrefix.size()))
                                 : nullptr;
  if (route == nullptr)
    return Fail(ErrorCode::kNotFound,
                fmt::format("there is no such page; below {} there are {}", kPrefix, PathsText()));
  FEDRA_ASSIGN_OR_RETURN(const Parameters asked, Parameters::Parse(*route, request.target));
  FEDRA_ASSIGN_OR_RETURN(const cli::ViewSettings settings,
                         SettingsOf(asked, sources_.settings, sources_.clock->Now()));
  if (const std::string_view type = TypeOf(settings.format);
      !Accepts(HeaderOf(request, "accept"), type))
    return Problem(406, fmt::format("the answer is {}, which you do not accept", type));
  FEDRA_ASSIGN_OR_RETURN(const auto reader, sources_.store());
  FEDRA_ASSIGN_OR_RETURN(cli::Output output,
                         RenderView(route->view, asked.Text("job"), *reader, settings));
  const std::string news = settings.format == cli::Format::kJson ? report::WithoutAges(output.out)
                                                                 : output.out + output.note;
  return Deliver(request, ToAnswer(std::move(output), settings.format), news);
}

}  // namespace fedra::api
