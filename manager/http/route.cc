#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "manager/http/server.h"

namespace fedra::httpd {
namespace {

struct Query {
  std::string path;
  bool verbose = false;
  std::vector<std::string> excluded;
};

Query Split(const std::string& target) {
  const size_t mark = target.find('?');
  Query query{.path = target.substr(0, mark)};
  const std::string rest = mark == std::string::npos ? std::string() : target.substr(mark + 1);
  for (size_t start = 0; start < rest.size();) {
    const size_t end = std::min(rest.find('&', start), rest.size());
    const std::string part = rest.substr(start, end - start);
    if (part == "verbose" || part.starts_with("verbose=")) query.verbose = true;
    if (part.starts_with("exclude=")) query.excluded.push_back(part.substr(8));
    start = end + 1;
  }
  return query;
}

bool IsExcluded(const Query& query, const HealthCheck& check) {
  return std::find(query.excluded.begin(), query.excluded.end(), check.name) !=
         query.excluded.end();
}

Answer Health(const Query& query, const std::vector<HealthCheck>& checks) {
  std::string lines;
  bool ok = true;
  for (const HealthCheck& check : checks) {
    const bool excluded = IsExcluded(query, check);
    if (check.problem.empty() || excluded) {
      lines += fmt::format("[+]{} {}\n", check.name, excluded ? "excluded: ok" : "ok");
      continue;
    }
    ok &= check.informational;
    lines += fmt::format("[{}]{} {}\n", check.informational ? "!" : "-", check.name, check.problem);
  }
  Answer answer;
  answer.status = ok ? 200 : 500;
  const std::string name = query.path.substr(1);
  if (ok && !query.verbose) {
    answer.body = "ok";
  } else {
    answer.body = fmt::format("{}{} check {}\n", lines, name, ok ? "passed" : "failed");
  }
  return answer;
}

// Which part is meant, and not what is wrong with it. Of those that are only shown nothing is said:
// they are called as workers are.
Answer BriefHealth(const Query& query, const std::vector<HealthCheck>& checks) {
  std::string lines;
  for (const HealthCheck& check : checks) {
    if (!check.informational && !check.problem.empty() && !IsExcluded(query, check))
      lines += fmt::format("[-]{} failed: reason withheld\n", check.name);
  }
  if (lines.empty()) return {.body = "ok"};
  return {.status = 500, .body = fmt::format("{}{} check failed\n", lines, query.path.substr(1))};
}

}  // namespace

bool IsHealth(const std::string& target) {
  const std::string path = Split(target).path;
  return path == "/livez" || path == "/healthz" || path == "/readyz";
}

std::string_view PageName(std::string_view target) {
  constexpr std::array<std::string_view, 5> kPages = {"livez", "healthz", "readyz", "metrics",
                                                      "version"};
  const std::string_view path = target.substr(0, target.find('?'));
  const auto found = std::ranges::find_if(kPages, [&](std::string_view page) {
    return path.size() == page.size() + 1 && path.ends_with(page) && path.front() == '/';
  });
  return found == kPages.end() ? "other" : *found;
}

Answer RouteHealth(const std::string& target, const Pages& pages) {
  const Query query = Split(target);
  if (query.path == "/readyz") return BriefHealth(query, pages.readyz());
  if (IsHealth(query.path)) return BriefHealth(query, pages.livez());
  return {.status = 404, .body = "not found; there are /livez /healthz /readyz\n"};
}

Answer Route(const std::string& target, const Pages& pages) {
  const Query query = Split(target);
  if (query.path == "/readyz") return Health(query, pages.readyz());
  if (IsHealth(query.path)) return Health(query, pages.livez());
  if (query.path == "/metrics")
    return {200, "text/plain; version=0.0.4; charset=utf-8", pages.metrics()};
  if (query.path == "/version") return {200, "application/json", pages.version()};
  return {404, "text/plain; charset=utf-8",
          "not found; there are /livez /readyz /metrics /version\n"};
}

}  // namespace fedra::httpd
