#include "manager/cli/screen/document.h"

#include <fmt/format.h>

#include "base/time.h"
#include "manager/cli/screen/columns.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/cli/screen/player.h"

namespace fedra::cli::screen::document_test {

using Catch::Matchers::EndsWith;

namespace {

Result<Document> Read(What what, const std::string& out, const std::string& note = {}) {
  return ReadDocument(
      {.what = what, .subject = "gpu-east", .group_by = store::JobGrouping::kState, .columns = 60},
      {out, note}, report::kNow, true);
}

}  // namespace

TEST_CASE("rows of a document of anybody: what is missing or of another type is empty") {
  for (const What what : {What::kGroups, What::kJobs, What::kWorkers, What::kWorker}) {
    for (const char* const out :
         {"{}", R"({"jobs":null,"workers":7,"groups":"x"})", R"({"jobs":[1,null,"x",[]]})",
          R"({"workers":[{"name":7,"state":[],"devices":3,"quota":{"a":1}}]})",
          R"({"workers":[{"name":"gpu-east","capabilities":{"jobKinds":7,"dra":[1]}}]})",
          R"({"groups":[{"jobs":"many","longest":7,"longestSince":"yesterday"}]})",
          R"({"asOf":7,"daemon":[],"manager":"x","omitted":[1],"remaining":-5})"}) {
      CAPTURE(static_cast<int>(what), out);
      const auto document = Read(what, out);
      REQUIRE(document);
      for (const Row& row : document->rows) CHECK(row.values.size() == document->columns.size());
      CHECK(document->beyond == 0);
    }
    for (const char* const out : {"", "no JSON", "[]", "7"}) {
      CAPTURE(static_cast<int>(what), out);
      REQUIRE(!Read(what, out));
      CHECK(Read(what, out).error().code == ErrorCode::kBadResponse);
    }
  }
}

TEST_CASE("a job's row: what the keys ask about it") {
  const auto jobs = Read(What::kJobs, R"({"jobs":[
    {"namespace":"ml","name":"a","kind":"Job","uid":"1","state":"Running","worker":"gpu-east"},
    {"namespace":"ml","name":"a","kind":"JobSet","uid":"2","state":"Blocked","note":"n",
     "reasons":[{"code":"QueueMissing","workers":2}]}]})");
  REQUIRE(jobs);
  REQUIRE(jobs->rows.size() == 2);
  CHECK(jobs->rows[0].subject == "ml/a");
  CHECK(jobs->rows[0].worker == "gpu-east");
  CHECK(jobs->rows[0].values[1].tone == text::Tone::kGood);
  CHECK(jobs->rows[1].subject == "jobset/ml/a");
  CHECK(jobs->columns[4].title == "KIND");
}

TEST_CASE("a job's row says what `fedra status` does: whom it waits for, and when it ended") {
  struct Row {
    const char* job;
    const char* note;
  };
  const Row rows[] = {
      {R"("state":"Blocked","note":"n","reasons":[{"code":"QueueMissing","workers":2}])",
       "no worker eligible: QueueMissing on 2"},
      {R"("state":"Blocked","waitsForWorkers":["gpu-west",7],"reasons":[
          {"code":"NoMatchingDevice","workers":2},{"code":"DevicesAllocated","workers":1}])",
       "waits for gpu-west: NoMatchingDevice on 2, DevicesAllocated on 1"},
      {R"("state":"Blocked","note":"n")", "n"},
      {R"("state":"Finished","finishedAt":"2026-11-21T16:10:33Z")", "ended 13m ago"},
      {R"("state":"Failed","note":"the limit","finishedAt":"2026-11-21T16:10:33Z")",
       "ended 13m ago: the limit"},
      {R"("state":"Blocked","note":"n","removedAt":"2026-11-21T16:10:33Z",
          "finishedAt":"2026-11-21T15:10:33Z","reasons":[{"code":"QueueMissing","workers":2}])",
       "deleted 13m ago: n"},
  };
  const WallTime now = *ParseRfc3339("2026-11-21T16:23:33Z");
  for (const Row& row : rows) {
    CAPTURE(row.job);
    const auto jobs = Read(What::kJobs, fmt::format("{{\"jobs\":[{{{}}}]}}", row.job));
    REQUIRE(jobs);
    const Columns columns(*jobs, {0}, now, 200, true);
    CHECK_THAT(TextOf(columns.Of(jobs->rows[0], false)), EndsWith(std::string("  ") + row.note));
  }
}

TEST_CASE("what makes a document doubtful is said above it") {
  struct Row {
    const char* out;
    const char* warning;  // empty: none
  };
  const Row rows[] = {
      {R"({"daemon":{"running":true},"manager":{"state":"Connected","why":""}})", ""},
      {R"({"daemon":{"running":false}})", "DAEMON  not running"},
      {R"({"daemon":{"running":true,"replica":{"role":"Standby","leader":"fedra-0"}}})",
       "the leader is fedra-0"},
      {R"({"manager":{"state":"Rejected","why":"401"}})", "MANAGER  Rejected: 401"},
      {R"({"omitted":["workers","namespaces"]})", "all workers and all namespaces"}};
  for (const Row& row : rows) {
    CAPTURE(row.out);
    const auto document = Read(What::kWorkers, row.out);
    REQUIRE(document);
    const std::string_view warning = row.warning;
    REQUIRE(document->warnings.size() == (warning.empty() ? 0 : 1));
    if (!warning.empty())
      CHECK_THAT(TextOf(document->warnings.front()), ContainsSubstring(std::string(warning)));
  }
}

TEST_CASE("a text is its lines, with their colours, and the note behind them") {
  const auto text = Read(What::kWhy, "a\n\n\033[31mNo\033[0m b\n", "the daemon is not running");
  REQUIRE(text);
  REQUIRE(text->lines.size() == 4);
  CHECK(TextOf(text->lines[1]).empty());
  CHECK(text->lines[2].cells ==
        std::vector<text::Cell>{text::Cell("No", text::Tone::kBad), text::Cell(" b")});
  CHECK(TextOf(text->lines[3]) == "the daemon is not running");
}

TEST_CASE("a worker's page says what it can, each only where there is any") {
  const auto page = Read(What::kWorker, R"({"workers":[{"name":"gpu-east","draVersion":"v1",
    "capabilities":{"jobKinds":["Job","JobSet"],"jobKindsMissing":["RayJob"],"kueueVersions":[],
    "dra":{"versions":["v1"],"release":"1.36","features":["DRAAdminAccess","DRADeviceTaints"]},
    "missingRights":[],"declared":["gpu.example.com/sharing",7]}}]})");
  REQUIRE(page);
  std::string text;
  for (const Line& line : page->lines) text += TextOf(line) + "\n";
  CHECK_THAT(text, ContainsSubstring("DRA    v1\n"
                                     "gates  DRAAdminAccess, DRADeviceTaints\n"
                                     "kinds  Job, JobSet\n"
                                     "lacks  RayJob\n"
                                     "config gpu.example.com/sharing\n"));
}

TEST_CASE("a worker that is not there any more says so") {
  const auto page = Read(What::kWorker, R"({"workers":[]})");
  REQUIRE(page);
  REQUIRE(page->lines.size() == 1);
  CHECK(TextOf(page->lines.front()) == "There is no worker gpu-east.");
}

}  // namespace fedra::cli::screen::document_test
