#include "manager/api/question.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/api/parameters.h"
#include "manager/api/routes.h"

namespace fedra::api {
namespace {

std::string_view NameOf(text::Format format) {
  switch (format) {
    case text::Format::kWide:
      return "wide";
    case text::Format::kJson:
      return "json";
    case text::Format::kYaml:
      return "yaml";
    case text::Format::kName:
      return "name";
    case text::Format::kTable:
      break;
  }
  return "table";
}

// Empty values are not sent.
std::string IfNot(bool is_usual, std::string_view value) {
  return is_usual ? std::string() : std::string(value);
}

Values ValuesOf(const std::string& job, const text::ViewSettings& settings) {
  const report::JobFilter& jobs = settings.query.jobs;
  return {{"job", job},
          {"namespace", settings.query.ns},
          {"state", fmt::format("{}", fmt::join(jobs.states, ","))},
          {"reason", fmt::format("{}", fmt::join(jobs.reasons, ","))},
          {"worker", fmt::format("{}", fmt::join(jobs.workers, ","))},
          {"queue", fmt::format("{}", fmt::join(jobs.queues, ","))},
          {"name", jobs.name},
          {"selector", jobs.labels},
          {"sort-by", jobs.sort_by},
          {"limit", IfNot(jobs.limit == 0, std::to_string(jobs.limit))},
          {"continue", jobs.go_on},
          {"group-by", jobs.group_by},
          {"all", IfNot(!jobs.all, "true")}};
}

}  // namespace

std::string TargetOf(std::string_view path, Values values, text::Format format,
                     const text::Style& style) {
  values.emplace_back("output", NameOf(format));
  values.emplace_back("headers", IfNot(style.headers, "false"));
  values.emplace_back("columns", IfNot(style.width == 0, std::to_string(style.width)));
  values.emplace_back("color", IfNot(!style.color, "true"));
  values.emplace_back("ascii", IfNot(style.utf8, "true"));
  return fmt::format("{}{}{}", kPrefix, path, QueryOf(values));
}

std::string TargetOf(View view, const std::string& job, const text::ViewSettings& settings) {
  const auto route = std::ranges::find_if(
      Routes(), [&](const Route& each) { return each.topic == Topic::kView && each.view == view; });
  Values values = ValuesOf(job, settings);
  std::erase_if(values, [&](const auto& value) { return !FindParameter(*route, value.first); });
  return TargetOf(route->path, std::move(values), settings.format, settings.style);
}

}  // namespace fedra::api
