#include "manager/cli/migration/migration_view.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::cli::migration_view_test {
namespace {

const report::AsOf kRead{WallTime(std::chrono::milliseconds(1'795'277'479'000)), {}};

Forecast Of(const std::string& name, Outcome outcome, const std::string& why = {}) {
  Forecast forecast;
  forecast.workload = {"ml", "job-" + name};
  forecast.workload_uid = "uid-" + name;
  forecast.kind = "Job";
  forecast.job = name;
  forecast.worker = ClusterName("east");
  forecast.Become(outcome, why);
  return forecast;
}

Found Around(Direction direction) {
  Found found;
  found.direction = direction;
  found.origin = "multikueue";
  found.kueue_namespace = "kueue-system";
  found.named = found.workers = found.worker_clusters = {"east"};
  return found;
}

std::vector<std::string> Texts(const Found& found, bool blocks) {
  std::vector<std::string> texts;
  for (const ToDo& todo : ToDos(found))
    if (todo.blocks == blocks) texts.push_back(todo.text);
  return texts;
}

TEST_CASE("a migration for people: what happens, what to do, counts, and the answer") {
  Migration migration;
  migration.forecasts = {Of("lost", Outcome::kLeftBehind, "its origin is another"),
                         Of("train", Outcome::kGoesOn)};
  migration.todos = {{"apply the rights", true}, {"switch it off", false}};
  CHECK(RenderMigration(migration, kRead, text::Format::kTable, {}).out ==
        "JOB           WORKER  WHAT HAPPENS  DETAIL\n"
        "Job ml/lost   east    left behind   its origin is another\n"
        "Job ml/train  east    goes on\n"
        "\n"
        "first  apply the rights\n"
        "then   switch it off\n"
        "2 jobs: 1 left behind, 1 going on as they are\n"
        "Something would be lost when fedra takes over.\n");
  migration.forecasts[0].outcome = Outcome::kRunsTwice;
  CHECK_THAT(RenderMigration(migration, kRead, text::Format::kTable, {}).out,
             ContainsSubstring("runs twice") && ContainsSubstring("1 running in two places") &&
                 ContainsSubstring("Jobs would run in two places at once when fedra takes over"));
  const text::Output none = RenderMigration({}, kRead, text::Format::kTable, {});
  CHECK(none.out == "0 jobs\nNothing is lost when fedra takes over.\n");
}

TEST_CASE("the answer: what is lost, what blocks, what is not known") {
  Migration migration;
  CHECK(LossOf(migration) == Loss::kNone);
  migration.forecasts = {Of("a", Outcome::kDispatched), Of("b", Outcome::kWaits)};
  migration.todos = {{"a step", false}};
  CHECK(LossOf(migration) == Loss::kNone);
  migration.unread = {{"west", "connection refused"}};
  CHECK(LossOf(migration) == Loss::kNotKnown);
  migration.unread.clear();
  migration.forecasts.push_back(Of("c", Outcome::kNotKnown));
  CHECK(LossOf(migration) == Loss::kNotKnown);
  migration.todos.push_back({"rights", true});
  CHECK(LossOf(migration) == Loss::kSome);
  migration.todos.clear();
  for (const Outcome lost :
       {Outcome::kRunsTwice, Outcome::kLeftBehind, Outcome::kRejected, Outcome::kRestarts}) {
    migration.forecasts = {Of("d", lost)};
    CHECK(LossOf(migration) == Loss::kSome);
  }
}

TEST_CASE("a migration for programs") {
  Migration migration;
  migration.direction = Direction::kToMultiKueue;
  migration.forecasts = {Of("train", Outcome::kGoesOn)};
  migration.forecasts[0].copies = {{.worker = ClusterName("east"),
                                    .clone_uid = "c",
                                    .clone_is = tracking::Ownership::kOurs,
                                    .admitted = true,
                                    .job_uid = "j",
                                    .job_is = tracking::Ownership::kOursEarlier}};
  migration.unread = {{"west", "connection refused"}};
  const auto json =
      nlohmann::json::parse(RenderMigration(migration, kRead, text::Format::kJson, {}).out);
  CHECK(json["kind"] == "MigrationReport");
  CHECK(json["direction"] == "ToMultiKueue");
  CHECK(json["counts"]["GoesOn"] == 1);
  CHECK(json["counts"]["LeftBehind"] == 0);
  const auto& workload = json["workloads"][0];
  CHECK(workload["outcome"] == "GoesOn");
  CHECK(workload["copies"][0]["job"]["uid"] == "j");
  CHECK(workload["copies"][0]["job"]["ownership"] == "oursEarlier");
  CHECK(workload["copies"][0]["removed"] == false);
  CHECK(json["unreadWorkers"][0]["worker"] == "west");
}

TEST_CASE("what must be done before fedra takes over") {
  Found found = Around(Direction::kToFedra);
  CHECK(Texts(found, true).empty());
  REQUIRE(Texts(found, false).size() == 1);
  CHECK_THAT(Texts(found, false)[0],
             ContainsSubstring("switch MultiKueue off") && ContainsSubstring("it is on"));
  found.kueue->runs_multi_kueue = false;
  CHECK(ToDos(found).empty());
  found.kueue = Fail(ErrorCode::kForbidden, "not allowed");
  CHECK_THAT(Texts(found, false)[0],
             ContainsSubstring("kueue-system/kueue-manager-config cannot be read (not allowed)"));
  found.kueue = KueueSetup{.origin = "team-a", .dispatcher = {}};
  found.named = {"east", "north"};
  found.problems = {{"manager",
                     "Forbidden (cluster-wide): patch multikueueclusters/status; apply "
                     "manager-rbac-multikueue.yaml of deploy/ there"},
                    {"east", "Unreachable: connection refused"}};
  const std::vector<std::string> blocks = Texts(found, true);
  REQUIRE(blocks.size() == 4);
  CHECK(blocks[0] == "east: Unreachable: connection refused");
  CHECK_THAT(blocks[1], ContainsSubstring("manager-rbac-multikueue.yaml"));
  CHECK_THAT(blocks[2], ContainsSubstring("north: a MultiKueueConfig names it"));
  CHECK_THAT(blocks[3], ContainsSubstring("multiKueue.origin is team-a"));
}

TEST_CASE("what must be done before MultiKueue takes back") {
  Found found = Around(Direction::kToMultiKueue);
  found.kueue->runs_multi_kueue = false;
  found.kueue->dispatcher = "example.com/mine";
  found.added_kinds = {"PipelineRun.v1.tekton.dev"};
  found.named.insert("north");
  CHECK_THAT(Texts(found, true)[0], ContainsSubstring("no such MultiKueueCluster"));
  const std::vector<std::string> steps = Texts(found, false);
  REQUIRE(steps.size() == 4);
  CHECK(steps[0] == "stop fedra first");
  CHECK_THAT(steps[1], ContainsSubstring("switch MultiKueue on"));
  CHECK_THAT(steps[2], ContainsSubstring("example.com/mine"));
  CHECK_THAT(steps[3], ContainsSubstring("PipelineRun.v1.tekton.dev"));
}

TEST_CASE("Kueue's configuration as its ConfigMap has it") {
  const auto parse = [](const std::string& yaml) {
    return ParseKueueSetup({{"data", {{"controller_manager_config.yaml", yaml}}}});
  };
  const auto usual = parse("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n");
  REQUIRE(usual);
  CHECK(usual->runs_multi_kueue);
  CHECK(usual->origin == "multikueue");
  const auto off = parse(
      "featureGates: {MultiKueue: false}\nmultiKueue: {origin: team-a, dispatcherName: x/y}\n");
  REQUIRE(off);
  CHECK_FALSE(off->runs_multi_kueue);
  CHECK(off->origin == "team-a");
  CHECK(off->dispatcher == "x/y");
  CHECK_FALSE(parse(""));
  CHECK_FALSE(parse("a: ["));
  CHECK_FALSE(ParseKueueSetup(nullptr));
}

}  // namespace
}  // namespace fedra::cli::migration_view_test
