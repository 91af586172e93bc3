// Judging manifests when the workers are known: how long it goes on, and who is said to judge.

#include "manager/cli/fleet/check_run.h"

#include <string>

#include <fmt/format.h>

#include "manager/tracking/kinds/job_kinds.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/cli/manifests/manifest_text.h"
#include "tests/unit/manager/cli/raw_cluster.h"
#include "tests/unit/manager/support/contract.h"

namespace fedra::cli::check_run_test {
namespace {

std::string Jobs(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format(
        "---\napiVersion: batch/v1\nkind: Job\n"
        "metadata: {{name: j{}, namespace: ml, labels: {{kueue.x-k8s.io/queue-name: gpu}}}}\n"
        "spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: "
        "i}}]}}}}}}\n",
        i);
  return text;
}

CheckInput InputOf(const std::string& text) {
  auto input = ParseCheckInput({{"-", text}}, *tracking::BuiltInKinds(), "ml");
  REQUIRE(input);
  return *std::move(input);
}

}  // namespace

TEST_CASE("judging goes on from job to job until it is told to end") {
  Fleet fleet;
  fleet.workers.push_back(MakeWorker(MakeCluster(), WorkerNamed("east")));
  CheckInput input = InputOf(Jobs(5));
  int asked = 0;
  int most = 1000;
  const JudgeOptions judge{.ns = "ml", .goes_on = [&]() -> Result<void> {
                             if (++asked <= most) return {};
                             return Fail(ErrorCode::kUnavailable, "enough");
                           }};
  const Result<Checked> all = JudgeInput(input, judge, fleet, nullptr);
  REQUIRE(all);
  CHECK(all->reports.size() == 5);
  const int needed = asked;
  CHECK(needed >= 5);
  // Wherever it is told.
  for (most = 0; most < needed; ++most) {
    INFO(most);
    asked = 0;
    const Result<Checked> some = JudgeInput(input, judge, fleet, nullptr);
    REQUIRE_FALSE(some);
    CHECK(some.error().message == "enough");
    CHECK(asked == most + 1);
  }
}

TEST_CASE("a claim is compared with the workers only while judging goes on") {
  const std::string lacking =
      "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\n"
      "metadata: {name: mine, namespace: ml}\n"
      "spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}], "
      "constraints: [{requests: [gpu], matchAttribute: gpu.example.com/nothing}]}}}\n";
  Fleet fleet;
  fleet.workers.push_back(MakeWorker(MakeCluster(), WorkerNamed("east")));
  CheckInput input = InputOf(lacking);
  REQUIRE(input.findings.empty());
  const JudgeOptions judge{.ns = "ml", .goes_on = []() -> Result<void> {
                             return Fail(ErrorCode::kUnavailable, "enough");
                           }};
  CHECK_FALSE(JudgeInput(input, judge, fleet, nullptr));
  CHECK(input.findings.empty());
  CHECK(JudgeInput(input, {.ns = "ml"}, fleet, nullptr));
  CHECK(input.findings.size() == 1);
}

TEST_CASE("the document names what was not looked at, and of much the first") {
  Fleet fleet;
  fleet.workers.push_back(MakeWorker(MakeCluster(), WorkerNamed("east")));
  const auto document = [&](int others) {
    std::string text = Jobs(1);
    for (int i = 0; i < others; ++i)
      text += "---\napiVersion: v1\nkind: " + std::string(400, 'X') + "\nmetadata: {name: x}\n";
    CheckInput input = InputOf(text);
    const Result<Checked> checked = JudgeInput(input, {.ns = "ml"}, fleet, nullptr);
    REQUIRE(checked);
    return testing::HeldDocument(
        RenderCheck(input, {.ns = "ml"}, *checked, &fleet.as_of, text::Format::kJson, text::Style{})
            .out);
  };
  CHECK_FALSE(document(0).contains("skipped"));
  const auto one = document(1)["skipped"];
  REQUIRE(one.size() == 1);
  CHECK_THAT(one[0].get<std::string>(), ContainsSubstring("- (document 2): \"v1, Kind=XXX"));
  CHECK(one[0].get<std::string>().size() < 320);
  const auto many = document(13)["skipped"];
  REQUIRE(many.size() == 11);
  CHECK(many[10] == "3 more were skipped");
  // The same where there is nothing else.
  std::string others;
  for (int i = 0; i < 13; ++i) others += "---\napiVersion: v1\nkind: ConfigMap\n";
  const auto nothing = ParseCheckInput({{"-", others}}, *tracking::BuiltInKinds(), "ml");
  REQUIRE_FALSE(nothing);
  CHECK_THAT(nothing.error().message, Catch::Matchers::EndsWith("\n3 more were skipped"));
}

TEST_CASE("the document says which of several daemons answers") {
  Fleet fleet;
  fleet.workers.push_back(MakeWorker(MakeCluster(), WorkerNamed("east")));
  fleet.as_of.replica = store::HeartbeatRow{.role = "Standby", .identity = "fedra-1_5e"};
  CheckInput input = InputOf(Jobs(1));
  const JudgeOptions options{.judge = Judge::kDaemon, .ns = "ml"};
  const Result<Checked> checked = JudgeInput(input, options, fleet, nullptr);
  REQUIRE(checked);
  const auto document = testing::HeldDocument(
      RenderCheck(input, options, *checked, &fleet.as_of, text::Format::kJson, text::Style{}).out);
  CHECK(document["replica"]["role"] == "Standby");
}

TEST_CASE("what only the command does is not said by the daemon") {
  Fleet fleet;
  fleet.workers.push_back(MakeWorker(MakeCluster(), WorkerNamed("east")));
  struct Row {
    Judge judge;
    bool says;
  };
  for (const Row& row : {Row{Judge::kCommand, true}, Row{Judge::kDaemon, false}}) {
    CheckInput input = InputOf(kJob + kMine);
    const JudgeOptions options{.judge = row.judge, .ns = "ml"};
    Result<Checked> checked = JudgeInput(input, options, fleet, nullptr);
    REQUIRE(checked);
    checked->age = {WallTime{}, "not running"};
    for (const text::Format format : {text::Format::kTable, text::Format::kJson}) {
      const text::Output output =
          RenderCheck(input, options, *checked, &fleet.as_of, format, text::Style{});
      const std::string all = output.out + output.note;
      INFO(all);
      CHECK((all.find("--assume-templates") != std::string::npos) == row.says);
      CHECK((all.find("workers were asked just now") != std::string::npos) == row.says);
      CHECK_THAT(all, ContainsSubstring("DAEMON  not running. Lines and dispatched jobs"));
    }
  }
}

}  // namespace fedra::cli::check_run_test
