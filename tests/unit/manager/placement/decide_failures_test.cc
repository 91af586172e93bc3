// Decide() when something goes wrong on a worker again and again.

#include "base/time.h"
#include "manager/placement/assumption.h"
#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::decide_failures_test {

using namespace fedra::placement::testing;
using tracking::CheckState;
using Names = std::vector<std::string>;
using namespace std::chrono_literals;

namespace {

bool CreatesJobOnA(const Action& action) {
  const auto* create = std::get_if<CreateJob>(&action);
  return create != nullptr && create->cluster.value == "a";
}

}  // namespace

TEST_CASE("a worker that admits but cannot be given the job gives way to another one in time") {
  World world({"a", "b"});
  world.SetFailures(CreatesJobOnA);
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Step();
  CHECK(world.Look().phase == Phase::kDispatching);
  CHECK(world.Look().why == "admitted on a; its job is being created there");
  world.Advance(119s);
  world.Step();
  CHECK(world.WorkersWithClone() == Names{"a"});
  world.Advance(1s);
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
  CHECK_THAT(world.record().failures.back().message,
             ContainsSubstring("a admitted the workload, but its job could not be created"));
  REQUIRE(world.Admit("b"));
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"b"});
}

TEST_CASE("workers that refused a job are asked again at once when somebody asks for that") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  for (int i = 0; i < 3; ++i) {
    world.Fail("a");
    world.Fail("b");
  }
  world.Settle();
  REQUIRE(world.WorkersWithClone().empty());
  world.Advance(30s);
  world.Settle();
  REQUIRE(world.WorkersWithClone().empty());
  world.Retry();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
  // The next refusal is the first again: ten seconds.
  world.Fail("a");
  world.Fail("b");
  world.Settle();
  CHECK(world.WorkersWithClone().empty());
  world.Advance(10s);
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
}

TEST_CASE("a worker that evicted a job is no longer its last choice when that is forgotten") {
  World world = RunningOnA();
  world.EvictOn("a");
  world.Settle();
  world.Retry();
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
}

TEST_CASE("a job that is there runs, although the manager does not show it yet") {
  World world({"a"});
  world.SetFailures(
      [](const Action& action) { return std::holds_alternative<placement::Admit>(action); });
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Step();
  REQUIRE(world.WorkersWithJob() == Names{"a"});
  CHECK(world.Look().phase == Phase::kRunning);
}

TEST_CASE("a job that is there, and that the manager could not be told of, is not run elsewhere") {
  World world({"a", "b"});
  bool broken = true;
  world.SetFailures([&](const Action& action) {
    return broken && std::holds_alternative<placement::Admit>(action);
  });
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Step();
  REQUIRE(world.WorkersWithJob() == Names{"a"});
  world.Disconnect("a");
  const bool is_rejected = GENERATE(false, true);
  world.worker("a").fault_is_ours = is_rejected;
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
  CHECK(world.Look().worker.value == "a");
  SECTION("it comes back") {
    broken = false;
    world.worker("a").fault_is_ours = false;
    world.Reconnect("a");
    world.Settle();
    CHECK(world.WorkersWithJob() == Names{"a"});
    CHECK(world.workload().cluster_name == "a");
  }
  SECTION("it counts as lost") {
    broken = false;
    world.Advance(16min);
    world.Settle();
    CHECK(world.WorkersWithClone() == (is_rejected ? Names{"a"} : Names{"a", "b"}));
  }
}

TEST_CASE("the only worker that cannot be given the job keeps being tried") {
  World world({"a"});
  bool broken = true;
  world.SetFailures(
      [&](const Action& action) { return broken && std::holds_alternative<CreateJob>(action); });
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Step();
  world.Advance(1h);
  world.Step();
  CHECK(world.WorkersWithClone() == Names{"a"});
  broken = false;
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"a"});
}

TEST_CASE("what a worker said that did not admit in time outlives its copy") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  world.Edit(world.worker("a"))->quota_reserved =
      tracking::Condition{false, "Pending", "insufficient unused quota for cpu", {}};
  world.Advance(2min);
  const Decision decision = world.Look();
  const auto recorded = std::find_if(
      decision.actions.begin(), decision.actions.end(),
      [](const Action& action) { return std::holds_alternative<RecordFailure>(action); });
  REQUIRE(recorded != decision.actions.end());
  const auto& failure = std::get<RecordFailure>(*recorded);
  CHECK(failure.end == AttemptEnd::kTimedOut);
  CHECK(failure.failure.message ==
        "a did not admit the workload in time: insufficient unused quota for cpu");
  // The first end of an attempt counts, so it must be told before the copy goes.
  CHECK(std::holds_alternative<DeleteRemote>(*std::next(recorded)));
}

TEST_CASE("a worker that flaps costs its blocked jobs neither a write nor a note") {
  World world({"a", "b"});
  world.SetVerdict("a", No("x"));
  world.SetVerdict("b", No("y"));
  world.ReserveQuota();
  world.Settle();
  const std::string said = world.Message();
  CHECK_THAT(said, ContainsSubstring("a: x; b: y"));
  world.Advance(1min);
  world.Disconnect("a");
  world.SetVerdict("a", Unknown());
  const Decision gone = world.Look();
  CHECK(gone.actions.empty());
  CHECK(gone.why == said);
  CHECK(gone.wake_at == world.now() + 30s);
  // Longer than that it is a reason, and no news: the others say what they said.
  world.Advance(30s);
  const Decision later = world.Look();
  REQUIRE(later.actions.size() == 2);
  const auto& note = std::get<Note>(later.actions[1]);
  CHECK(note.subjects == std::set<std::string>{"b=TemplateMissing"});
  CHECK_THAT(note.message, ContainsSubstring("a: 403"));
}

TEST_CASE(
    "a worker that rejects our credentials keeps its jobs, unless the policy says otherwise") {
  World world = RunningOnA();
  world.Disconnect("a");
  world.worker("a").fault_is_ours = true;
  world.Advance(2h);
  world.Settle();
  CHECK(world.workload().cluster_name == "a");
  CHECK(world.Look().phase == Phase::kRunning);
  CHECK_THAT(world.Look().why,
             ContainsSubstring("fedra's own credentials for a have not worked since "));
  CHECK(world.Look().wake_at.has_value());
  Policy policy;
  policy.leaves_rejected = true;
  World leaves = RunningOnA(policy);
  leaves.Disconnect("a");
  leaves.worker("a").fault_is_ours = true;
  leaves.Advance(16min);
  leaves.Settle();
  CHECK(leaves.workload().cluster_name.empty());
}

TEST_CASE("a job that failed is told as failed, with how its pods ended") {
  World world = RunningOnA();
  ClusterView& a = world.worker("a");
  a.pod_failures = "exit code 137 (OOMKilled)";
  world.Edit(a)->finished = tracking::Condition{true, "FailedToStart", "too many failures", {}};
  world.EditJob(a)->suspended = true;
  world.Step();
  REQUIRE(world.workload().Finished());
  const Decision decision = world.Look();
  const std::string words = "too many failures; its pods: exit code 137 (OOMKilled)";
  REQUIRE(decision.actions.size() == 2);
  const auto& remove = std::get<DeleteRemote>(decision.actions[0]);
  CHECK(remove.end == AttemptEnd::kFailed);
  CHECK(remove.message == words);
  const auto& note = std::get<Note>(decision.actions[1]);
  CHECK(note.reason == "JobFailed");
  CHECK(note.message == words);
}

// The job has failed on worker "a" just now, and the manager's Kueue has finished its Workload.
World FailedOnA(const Policy& policy) {
  World world = RunningOnA(policy);
  world.Edit(world.worker("a"))->finished = tracking::Condition{true, "Failed", "it failed", {}};
  world.EditJob(world.worker("a"))->finished = true;
  world.EditJob(world.worker("a"))->failed = true;
  world.Step();
  world.RunManagerKueue();
  REQUIRE(world.workload().Finished());
  world.workload().finished = tracking::Condition{true, "Failed", "it failed", world.now()};
  return world;
}

// The same, and its copies stay there for an hour.
World KeptOnA() {
  Policy policy;
  policy.keep_failed = 1h;
  return FailedOnA(policy);
}

TEST_CASE("a failed job stays on its worker as long as it is to be kept, and no longer") {
  World world = KeptOnA();
  const WallTime end = world.now();

  Decision decision = world.Step();
  REQUIRE(decision.actions.size() == 2);
  CHECK(std::get<KeepRemote>(decision.actions[0]).message == "it failed");
  CHECK(std::get<Note>(decision.actions[1]).reason == "JobFailed");
  CHECK(decision.why == "it failed; its job and pods stay on a until " + FormatRfc3339(end + 1h));
  CHECK(std::get<Note>(decision.actions[1]).message == decision.why);
  CHECK(decision.wake_at == end + 1h);
  for (const ClusterView& cluster : world.Seen())  // nothing is reserved for it
    CHECK_FALSE(AssumptionOn(world.View(), cluster));

  world.Restart();
  world.LoseStore();
  world.Advance(1h - 1s);
  world.Step();
  CHECK(world.WorkersWithJob() == Names{"a"});

  // A worker that does not answer in time is cleaned when it does.
  SECTION("in reach") {}
  SECTION("out of reach") {
    world.Disconnect("a");
    world.Advance(2h);
    decision = world.Step();
    CHECK(std::get<RecordResidue>(decision.actions.at(0)).cluster.value == "a");
    world.Reconnect("a");
  }
  world.Advance(1s);
  decision = world.Step();
  CHECK(decision.why == "it failed");
  CHECK(world.WorkersWithJob().empty());
  CHECK(world.WorkersWithClone().empty());
}

TEST_CASE("the log of a failed pod is kept before its job is removed, where that is wanted") {
  const int lines = GENERATE(0, 20);
  const bool seen = GENERATE(true, false);
  Policy policy;
  policy.failure_log_lines = lines;
  World world = FailedOnA(policy);
  // The exit codes are waited for in any case.
  world.worker("a").pods_watched = true;
  {
    const Decision first = world.Step();
    // How its pods ended is not seen yet.
    REQUIRE(first.actions.size() == 1);
    CHECK(std::holds_alternative<RecordEnd>(first.actions[0]));
    CHECK(first.wake_at == world.now() + 1s);
    if (seen)
      world.worker("a").pod_failures = "exit code 1";
    else
      world.Advance(6s);
  }
  const std::vector<Action> actions = world.Step().actions;
  REQUIRE_FALSE(actions.empty());
  const KeepLog* keep = std::get_if<KeepLog>(&actions.front());
  REQUIRE((keep != nullptr) == (lines > 0));
  if (keep == nullptr) {
    const std::string& message = std::get<DeleteRemote>(actions.front()).message;
    CHECK((message.find("exit code 1") != std::string::npos) == seen);
    return;
  }
  CHECK(keep->cluster.value == "a");
  CHECK(keep->lines == 20);
  CHECK(std::holds_alternative<DeleteRemote>(actions[1]));
}

TEST_CASE("a manager's clock that is ahead does not hold up what a failed job leaves") {
  Policy policy;
  policy.failure_log_lines = 20;
  World world = FailedOnA(policy);
  world.worker("a").pods_watched = true;
  world.workload().finished->since = world.now() + 1h;
  for (int i = 0; i < 5; ++i) {
    world.Step();
    CHECK(world.WorkersWithJob() == Names{"a"});
    world.Advance(1s);
  }
  world.Step();
  CHECK(world.WorkersWithJob().empty());
}

TEST_CASE("a failed job is not kept for a job that is gone or a worker that was removed") {
  World world = KeptOnA();
  world.Step();
  REQUIRE(world.WorkersWithJob() == Names{"a"});
  SECTION("the Workload was deleted") { world.DeleteWorkload(); }
  SECTION("the worker leaves the configuration") {
    world.worker("a").membership = Membership::kKept;
  }
  SECTION("the job did not fail") { world.workload().finished->reason = "Succeeded"; }
  world.Step();
  CHECK(world.WorkersWithJob().empty());
}

TEST_CASE("race: a winner that cannot be given the job gives way, and comes back") {
  World world({"a", "b"}, Race());
  world.SetFailures(CreatesJobOnA);
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Step();
  REQUIRE(world.WorkersWithClone() == Names{"a"});
  world.Advance(2min);
  world.Settle();
  REQUIRE(world.WorkersWithClone() == Names{"b"});
  // b has no quota; after a while a is asked again.
  world.SetFailures(nullptr);
  REQUIRE(world.Look().wake_at.has_value());
  world.Advance(5min);
  world.Settle();
  REQUIRE(world.WorkersWithClone() == Names{"a", "b"});
  REQUIRE(world.Admit("a"));
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"a"});
}

TEST_CASE("a worker that admitted long before we came back is given the job") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Advance(1h);
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"a"});
}

TEST_CASE("race: of workers that all admitted while we were away, the first is given the job") {
  World world({"a", "b", "c"}, Race());
  world.ReserveQuota();
  world.Settle();
  for (const char* name : {"b", "a", "c"}) {
    world.Advance(1s);
    REQUIRE(world.Admit(name));
  }
  world.Advance(1h);
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"b"});
  CHECK(world.WorkersWithClone() == Names{"b"});
}

TEST_CASE("race: one that had the job in an earlier admission is not blamed for it in the next") {
  World world({"a", "b"}, Race());
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Settle();
  REQUIRE(world.WorkersWithJob() == Names{"a"});
  world.Advance(1h);
  world.EvictOnManager("Preempted");
  world.Settle();
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.WorkersWithClone() == Names{"a", "b"});
  world.Advance(5min);
  REQUIRE(world.Admit("a"));
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"a"});
}

TEST_CASE("a winner stays the winner while the loser's copy cannot be removed") {
  World world({"a", "b"}, Race());
  const auto deletes_b = [](const Action& action) {
    const auto* remove = std::get_if<DeleteRemote>(&action);
    return remove != nullptr && remove->cluster.value == "b";
  };
  world.SetFailures(deletes_b);
  world.ReserveQuota();
  world.Settle();
  world.Advance(1s);
  REQUIRE(world.Admit("a"));
  world.Step();
  REQUIRE(world.Admit("b"));
  world.Advance(119s);
  world.Step();
  CHECK(world.Look().worker.value == "a");
  // Then it is the turn of the one that cannot be rid of.
  world.Advance(1s);
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"b"});
  CHECK(world.WorkersWithClone() == Names{"b"});
}

TEST_CASE("a copy that could not be created is not said to wait for admission only") {
  World world({"a"});
  bool broken = true;
  world.SetFailures(
      [&](const Action& action) { return broken && std::holds_alternative<CreateClone>(action); });
  world.ReserveQuota();
  world.Step();
  world.Step();
  CHECK(world.Message() ==
        "dispatched to a, waiting for admission (a: the copy could not be "
        "created there yet)");
  broken = false;
  world.Settle();
  CHECK(world.Message() == "dispatched to a, waiting for admission");
}

TEST_CASE("a copy that its worker ends without running it is an end, and is told") {
  World world = RunningOnA();
  ClusterView& a = world.worker("a");
  world.Edit(a)->finished =
      tracking::Condition{true, "FailedToStart", "podset main: no flavor", {}};
  world.EditJob(a)->suspended = true;
  world.Settle();
  REQUIRE(world.workload().Finished());
  CHECK(world.workload().finished->reason == "FailedToStart");
  CHECK(world.workload().finished->message == "podset main: no flavor");
  CHECK(world.Look().phase == Phase::kFailed);
  CHECK(world.WorkersWithJob().empty());
}

TEST_CASE("a worker that changes every job is not given it again at once") {
  World world = RunningOnA();
  world.SetVerdict("b", No("x"));
  world.Edit(world.worker("a"))->finished =
      tracking::Condition{true, "OutOfSync", "the pod template differs", {}};
  world.Settle();
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone().empty());
  CHECK(world.Look().phase == Phase::kBlocked);
  CHECK_THAT(world.Message(), ContainsSubstring("a does not match its job there"));
  REQUIRE(world.Look().wake_at.has_value());
  world.Advance(11s);
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
}

TEST_CASE("a copy that is switched off on its worker is not made again at once") {
  World world({"a"});
  world.ReserveQuota();
  world.Settle();
  world.Edit(world.worker("a"))->active = false;
  world.Settle();
  CHECK(world.WorkersWithClone().empty());
  CHECK(world.Message() ==
        "no worker eligible: a has deactivated the copy (spec.active is false there)");
  REQUIRE(world.Look().wake_at.has_value());
  world.Advance(11s);
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
}

TEST_CASE("a re-admission does not begin before the copies of the old one are gone") {
  World world = RunningOnA();
  world.SetFailures(
      [](const Action& action) { return std::holds_alternative<DeleteRemote>(action); });
  world.EvictOnManager("Preempted");
  world.Step();
  world.RunManagerKueue();
  world.Step();
  world.ReserveQuota();
  world.Step();
  // Whatever the order of events: the job that was never stopped is not taken for the new one.
  CHECK(world.State() == CheckState::kPending);
  CHECK(world.workload().cluster_name == "a");
  world.SetFailures(nullptr);
  world.Settle();
  CHECK(world.WorkersWithJob().empty());
}

TEST_CASE("somebody looks when a resyncing worker's time is over") {
  World world({"a"});
  world.worker("a").verdict = Unknown();
  world.worker("a").resyncing = true;
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone().empty());
  REQUIRE(world.Look().wake_at.has_value());
  world.Advance(10s);
  world.worker("a").resyncing = false;
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
}

TEST_CASE("a copy that its worker's Kueue has ended to take the quota back has not failed") {
  // Kueue finishes the clone behind it, for the job's end is all it sees then.
  const bool finished = GENERATE(false, true);
  World world = RunningOnA();
  ClusterView& a = world.worker("a");
  const auto clone = world.Edit(a);
  clone->evicted = tracking::Condition{true, "Preempted", "", world.now()};
  if (finished)
    clone->finished = tracking::Condition{true, std::string(tracking::kFailed), "", world.now()};
  world.EditJob(a)->stopped = true;
  const Decision decision = world.Look();
  CHECK(Retries(decision));
  CHECK(Does<RecordFailure>(decision));
  CHECK_FALSE(Does<MirrorStatus>(decision));
  CHECK_FALSE(Does<FinishWorkload>(decision));
}

}  // namespace fedra::placement::decide_failures_test
