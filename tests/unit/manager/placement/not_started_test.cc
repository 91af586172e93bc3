// A job that its worker has admitted, and that nothing there has taken up: it is told, once, and
// the job stays.

#include "manager/placement/not_started.h"

#include <string>

#include <nlohmann/json.hpp>

#include "manager/placement/note_reasons.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::not_started_test {

using namespace std::chrono_literals;
using testing::Does;
using testing::Retries;
using testing::RunningOnA;
using testing::World;

namespace {

constexpr const char* kNoStatus = R"({"status":{}})";
constexpr const char* kSomeStatus = R"({"status":{"active":1}})";

// On worker "a", and as its copy shows itself there.
World CopyThat(bool is_suspended, bool is_untouched) {
  World world = RunningOnA();
  const auto copy = world.EditJob(world.worker("a"));
  copy->kind = &tracking::BatchJobAdapter();
  copy->suspended = is_suspended;
  copy->text = std::make_shared<const std::string>(is_untouched ? kNoStatus : kSomeStatus);
  copy->shows_activity = !is_suspended && !is_untouched;
  return world;
}

int Told(const World& world) {
  return static_cast<int>(std::ranges::count_if(world.notes(), [](const std::string& note) {
    return note.starts_with(notes::kNotStarted.name);
  }));
}

}  // namespace

TEST_CASE("what nothing on its worker takes up is told once, and stays there") {
  struct Row {
    bool is_suspended;
    bool is_untouched;
    const char* why;  // empty: nothing is missing
  };
  const Row row = GENERATE(values<Row>({
      {true, true, "Kueue on a has not started it: is its integration for Job on there?"},
      {true, false, "Kueue on a has not started it: is its integration for Job on there?"},
      {false, true, "no controller on a has looked at it: does the one of Job run there?"},
      {false, false, ""},
  }));
  World world = CopyThat(row.is_suspended, row.is_untouched);
  const std::string missing = row.why;
  INFO(missing);
  const WallTime admitted = world.worker("a").clone->admitted->since;
  world.Settle();
  CHECK(Told(world) == 0);
  const Decision before = world.Look();
  CHECK(before.why.empty());
  if (!missing.empty()) CHECK(before.wake_at == admitted + kStartPatience);
  world.Advance(kStartPatience);
  const Decision after = world.Look();
  CHECK(after.phase == Phase::kRunning);
  CHECK_FALSE(Retries(after));
  CHECK(after.why.ends_with(missing));
  CHECK(after.why.empty() == missing.empty());
  world.Settle();
  world.Advance(10min);
  world.Settle();
  CHECK(Told(world) == (missing.empty() ? 0 : 1));
  CHECK(world.WorkersWithJob() == std::vector<std::string>{"a"});
}

// As tracking/job_fields.cc keeps it of a copy.
TEST_CASE("a copy without a status has not been looked at") {
  const auto parsed = [](const char* status) {
    nlohmann::json job =
        nlohmann::json::parse(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {
        "name": "train", "namespace": "ml", "uid": "1", "labels": {
        "kueue.x-k8s.io/multikueue-origin": "fedra"}, "annotations": {
        "kueue.x-k8s.io/prebuilt-workload-name": "job-train"}},
        "spec": {"template": {"spec": {"containers": []}}}})");
    if (status != nullptr) job["status"] = nlohmann::json::parse(status);
    auto read = tracking::BatchJobAdapter().Parse(job);
    REQUIRE(read.has_value());
    return *std::move(read);
  };
  const char* status = GENERATE(as<const char*>(), nullptr, "{}", R"({"active": 1})");
  World world = RunningOnA();
  world.Advance(kStartPatience);
  const auto copy = world.EditJob(world.worker("a"));
  const tracking::Job job = parsed(status);
  copy->kind = job.kind;
  copy->text = job.text;
  const bool is_untouched = status == nullptr || std::string(status) == "{}";
  CHECK(world.Look().why.empty() != is_untouched);
}

TEST_CASE("a job that is taken up late, ends or goes is not asked about") {
  World world = CopyThat(/*is_suspended=*/false, /*is_untouched=*/true);
  world.Advance(kStartPatience);
  REQUIRE_FALSE(world.Look().why.empty());
  const auto copy = world.EditJob(world.worker("a"));
  SECTION("a controller has written a status") {
    copy->text = std::make_shared<const std::string>(kSomeStatus);
  }
  SECTION("its status is not known") { copy->text = nullptr; }
  SECTION("it is being deleted") { copy->deleting = true; }
  SECTION("its end is known") { copy->finished = true; }
  SECTION("when it was admitted is not known") {
    world.Edit(world.worker("a"))->admitted->since = {};
  }
  CHECK(world.Look().why.empty());
}

// Of both there would be news at each look.
TEST_CASE("while a move stands it is told in the state alone") {
  World world = CopyThat(/*is_suspended=*/false, /*is_untouched=*/true);
  world.SetVerdict("b", testing::No("no room"));
  world.Advance(kStartPatience);
  world.AskToMove({.at = world.now(), .from = "a"});
  world.Settle();
  CHECK(Told(world) == 0);
  CHECK(world.Look().why.find("no controller on a") != std::string::npos);
  CHECK(world.Look().why.find("asked to move") != std::string::npos);
}

}  // namespace fedra::placement::not_started_test
