// The pages of docs/ that list things are made from the tables in the code. `make docs` writes them
// (it runs this test with FEDRA_WRITE_DOCS=1); otherwise the test fails when a page has fallen
// behind.

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/write_file.h"
#include "config/print.h"
#include "manager/cli/command_line.h"
#include "manager/http/metrics.h"
#include "manager/placement/note_reasons.h"
#include "manager/report/states.h"
#include "tests/support/catch.h"
#include "verdict/reason.h"

using namespace fedra;

namespace {

void CheckPage(const std::string& name, const std::string& expected) {
  const std::string path = std::string(FEDRA_TEST_DATA) + "/../../docs/" + name;
  if (std::getenv("FEDRA_WRITE_DOCS") != nullptr) REQUIRE(WriteFile(path, expected));
  std::ifstream file(path, std::ios::binary);
  const std::string found(std::istreambuf_iterator<char>(file), {});
  INFO("docs/" << name << " has fallen behind the code; run `make docs`");
  CHECK((found == expected));
}

std::string ReasonsPage() {
  std::string page =
      "# Reasons\n\nWhy a worker cannot, or may not, run a job. Generated from `dra/reason.cc` by "
      "`make docs`;\n"
      "`fedra explain REASON` prints the same. [verdicts.md](verdicts.md) shows how to read a "
      "verdict.\n";
  std::string_view group;
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue()) {
    if (entry.group != group) page += fmt::format("\n## {}\n", entry.group);
    group = entry.group;
    page += fmt::format("\n### {}\n\n{}.\n\n- Cause: {}\n- Remedy: {}\n", entry.name, entry.summary,
                        entry.cause, entry.remedy);
  }
  return page;
}

std::string StatesPage() {
  std::string page =
      "# States\n\nThe words in the columns STATE and VERDICT. Generated from "
      "`manager/report/states.cc` "
      "by `make docs`;\n`fedra explain STATE` prints the same, [reasons.md](reasons.md) has the "
      "reasons.\n";
  std::string_view group;
  for (const report::StateEntry& entry : report::StateEntries()) {
    if (entry.group != group)
      page += fmt::format("\n## {}\n\n| state | meaning | next |\n|---|---|---|\n", entry.group);
    group = entry.group;
    page += fmt::format("| `{}` | {} | {} |\n", entry.name, entry.meaning, entry.next);
  }
  return page;
}

std::string MetricsPage() {
  std::string page =
      "# Metrics\n\n`GET /metrics` at `http.address`, Prometheus text format. Generated from "
      "`manager/http/metrics.cc` by `make docs`.\n\n| name | type | labels | meaning "
      "|\n|---|---|---|---|\n";
  for (const pages::MetricFamily& family : pages::MetricFamilies())
    page += fmt::format("| `{}` | {} | {} | {} |\n", family.name, family.type, family.labels,
                        family.help);
  return page;
}

std::string EventsPage() {
  std::string page =
      "# Events\n\nEvents (events.k8s.io/v1) that fedra writes on the Workload and its job, and "
      "the lines of "
      "`fedra history`.\nGenerated from `manager/placement/note_reasons.h` by `make docs`.\n\n"
      "| reason | type | meaning |\n|---|---|---|\n";
  for (const placement::notes::NoteReason& reason : placement::notes::kNoteReasons)
    page += fmt::format("| `{}` | {} | {} |\n", reason.name,
                        reason.is_warning ? "Warning" : "Normal", reason.meaning);
  return page;
}

}  // namespace

TEST_CASE("docs/reasons.md is what the catalogue says") { CheckPage("reasons.md", ReasonsPage()); }
TEST_CASE("docs/states.md is what the states are") { CheckPage("states.md", StatesPage()); }
TEST_CASE("docs/metrics.md is what the registry says") { CheckPage("metrics.md", MetricsPage()); }
TEST_CASE("docs/events.md is what decisions may say") { CheckPage("events.md", EventsPage()); }
TEST_CASE("docs/commands.md is what the options say") {
  CheckPage("commands.md", cli::CommandsPage());
}
TEST_CASE("docs/configuration.md is what the schema says") {
  CheckPage("configuration.md", config::ReferencePage());
}

TEST_CASE("docs/alerts: every metric that the rules name exists") {
  std::ifstream file(std::string(FEDRA_TEST_DATA) + "/../../deploy/alerts.yaml");
  const std::string rules(std::istreambuf_iterator<char>(file), {});
  const auto exists = [](const std::string& name) {
    for (const pages::MetricFamily& family : pages::MetricFamilies()) {
      const std::string known(family.name);
      if (name == known) return true;
      if (family.type != "histogram") continue;
      for (const char* suffix : {"_bucket", "_sum", "_count"})
        if (name == known + suffix) return true;
    }
    return false;
  };
  int names = 0;
  for (size_t at = rules.find("fedra_"); at != std::string::npos; at = rules.find("fedra_", at)) {
    const size_t end = rules.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at);
    const std::string name = rules.substr(at, end - at);
    // Behind a colon it is the name of a recording rule, as in job:fedra_devices:sum.
    if (rules[at - 1] != ':') {
      INFO(name);
      CHECK(exists(name));
      ++names;
    }
    at = end;
  }
  CHECK(names >= 20);
}
