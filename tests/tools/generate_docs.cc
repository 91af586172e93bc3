// generate-docs FOLDER           writes configuration.md, reasons.md and metrics.md from the code
// generate-docs --check FOLDER   exit 1 when one of them is not what would be written

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/print.h"
#include "dra/reason.h"
#include "manager/http/metrics.h"

namespace fedra {
namespace {

struct Page {
  std::string_view name;
  std::string text;
};

// What is free text in a table cell.
std::string Cell(std::string_view text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? "\\|" : std::string(1, c == '\n' ? ' ' : c);
  return cell;
}

std::string ReasonsPage() {
  std::string page =
      "# Reasons\n\n"
      "Why a worker cannot, or may not, run a job. The codes are the same in `fedra why`, `fedra "
      "check`, events,\n"
      "the AdmissionCheck's message and the `reason` label of metrics. `fedra explain CODE` prints "
      "one entry.\n";
  std::string_view group;
  for (const dra::ReasonEntry& entry : dra::ReasonCatalogue()) {
    if (entry.group != group) page += fmt::format("\n## {}\n", entry.group);
    group = entry.group;
    page += fmt::format("\n### {}\n\n{}\n\n- Cause: {}\n- Remedy: {}\n", entry.name, entry.summary,
                        entry.cause, entry.remedy);
  }
  return page;
}

std::string MetricsPage() {
  std::string page =
      "# Metrics\n\n"
      "`/metrics` serves these families in Prometheus' text format. Labels are bounded: cluster "
      "names come from\n"
      "the configuration, reasons and codes from closed lists; no namespaces and no workload "
      "names.\n\n"
      "| name | type | labels | meaning |\n|---|---|---|---|\n";
  for (const server::MetricFamily& family : server::MetricFamilies()) {
    page += fmt::format("| `{}` | {} | {} | {} |\n", family.name, family.type, Cell(family.labels),
                        Cell(family.help));
  }
  return page;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (!file) std::cerr << "error: cannot write " << path << "\n";
  return static_cast<bool>(file);
}

bool IsCurrent(const std::string& path, const std::string& text) {
  if (ReadAll(path) == text) return true;
  std::cerr << path << " is not what the code says: run make docs\n";
  return false;
}

int Run(bool check, const std::string& folder) {
  const std::vector<Page> pages = {{"configuration.md", config::ReferencePage()},
                                   {"reasons.md", ReasonsPage()},
                                   {"metrics.md", MetricsPage()}};
  bool ok = true;
  for (const Page& page : pages) {
    const std::string path = fmt::format("{}/{}", folder, page.name);
    ok = (check ? IsCurrent(path, page.text) : Write(path, page.text)) && ok;
  }
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace fedra

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool check = !arguments.empty() && arguments.front() == "--check";
  if (arguments.size() != (check ? 2U : 1U)) {
    std::cerr << "usage: generate-docs [--check] FOLDER\n";
    return 2;
  }
  return fedra::Run(check, arguments.back());
}
