// A running job that a user wants on another worker.

#include "manager/placement/move.h"

#include "manager/placement/decide.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::move_test {

using namespace fedra::placement::testing;
using tracking::CheckState;
using tracking::MoveRequest;
using Names = std::vector<std::string>;
using namespace std::chrono_literals;

namespace {

const WallTime kNow{12h};

// On east since an hour; asked for `move`.
WorkloadView OnEast(MoveRequest move, WallTime since = kNow - 1h) {
  auto workload = std::make_shared<tracking::Workload>();
  workload->cluster_name = "east";
  workload->quota_reserved = tracking::Condition{.is_true = true, .since = since};
  workload->checks = {{"fedra", CheckState::kReady, "", since}};
  workload->requests = std::make_shared<const tracking::JobRequests>(std::nullopt, std::move(move));
  WorkloadView view;
  view.workload = std::move(workload);
  view.check = "fedra";
  return view;
}

ClusterView Cluster(const std::string& name, verdict::Outcome outcome = verdict::Outcome::kYes) {
  ClusterView cluster;
  cluster.name = ClusterName(name);
  cluster.contact = Contact::kFull;
  cluster.verdict.outcome = outcome;
  return cluster;
}

verdict::Verdict Full() {
  return {.outcome = verdict::Outcome::kYes,
          .reasons = {{verdict::ReasonCode::kQueueFull, "", verdict::Sentence{"it is full"}}}};
}

// Evicted, and given quota again.
void Requeue(World& world) {
  world.Settle();
  world.ReserveQuota();
  world.Settle();
}

}  // namespace

TEST_CASE("a move is due once, from where it was asked, and not for ever") {
  struct Row {
    MoveRequest move;
    bool is_due;
  };
  const std::vector<Row> rows = {
      {{kNow - 1s}, true},
      {{kNow}, true},
      {{kNow - 1s, "east"}, true},
      {{kNow - 1s, "east", "west"}, true},
      {{kNow + 1s, "east"}, false},      // a time to come
      {{kNow - 1s, "west"}, false},      // it was on west then: it has moved
      {{kNow - 1s, "", "east"}, false},  // it is where it is wanted
      {{kNow - 1h, "east"}, false},      // it has begun since
      {{kNow - 2h, "east"}, false},      // the same
      {{kNow - 10min, "east"}, false},   // no worker could take it for ten minutes
      {{kNow - 10min + 1s, "east"}, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.move.from, row.move.to, (kNow - row.move.at).count());
    CHECK((DueMove(OnEast(row.move), kNow) != nullptr) == row.is_due);
  }
  CHECK(NextMove(OnEast({kNow + 1s, "east"}), kNow) == kNow + 1s);
  CHECK_FALSE(NextMove(OnEast({kNow, "east"}), kNow));
  WorkloadView waiting = OnEast({kNow - 1s});
  auto nowhere = std::make_shared<tracking::Workload>(*waiting.workload);
  nowhere->cluster_name.clear();
  waiting.workload = nowhere;
  CHECK(DueMove(waiting, kNow) == nullptr);
}

TEST_CASE("a job is moved to a worker that can take it at that moment, and to no other") {
  const ClusterView east = Cluster("east");
  ClusterView full = Cluster("full");
  full.verdict = Full();
  ClusterView gone = Cluster("gone");
  gone.contact = Contact::kNone;
  ClusterView no = Cluster("no");
  no.verdict = No("the template is missing");
  const ClusterView maybe = Cluster("maybe", verdict::Outcome::kUnknown);
  const ClusterView scales = Cluster("scales", verdict::Outcome::kMayScale);
  const ClusterView west = Cluster("west");
  PlacementRecord record;
  record.failures = {{.cluster = ClusterName("paused"),
                      .at = kNow - 1s,
                      .message = "paused refused the job",
                      .refused = true}};
  const ClusterView paused = Cluster("paused");
  struct Row {
    std::vector<ClusterView> clusters;
    std::string to;
    std::string found;    // empty: none is
    std::string why_not;  // is part of it
  };
  const std::vector<Row> rows = {
      {{east, west}, "", "west", ""},
      {{east, full, gone, no, maybe, scales, paused, west}, "", "west", ""},
      {{east, west}, "west", "west", ""},
      {{east, no, west},
       "no",
       "",
       "no, which cannot ever take it as it is (TemplateMissing: the template is missing)"},
      {{east, full},
       "",
       "",
       "another worker, and none can take it now (full, QueueFull: it is full)"},
      {{east, gone}, "", "", "gone, no contact"},
      {{east, maybe}, "", "", "maybe, Unknown"},
      {{east, scales}, "", "", "scales, MayScale"},
      {{east, paused}, "", "", "paused, paused refused the job"},
      {{east, full, gone, no, maybe, scales}, "", "", "; 2 more"},
      {{east, west}, "north", "", "north, and there is no such worker"},
      {{east}, "", "", "another worker, and there is none"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.to, row.found, row.why_not);
    const MoveTarget target = TargetOf({kNow, "east", row.to}, row.clusters.front(), row.clusters,
                                       record, {}, kNow, "ml");
    CHECK((target.worker == nullptr ? "" : target.worker->name.value) == row.found);
    CHECK(target.why_not.find(row.why_not) != std::string::npos);
    CHECK(target.why_not.empty() == (target.worker != nullptr));
  }
}

TEST_CASE("a running job is given back, and goes to another worker") {
  const bool holds_check = GENERATE(false, true);
  World world({"a", "b", "c"}, {}, {.holds_check = holds_check});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Settle();
  REQUIRE(world.WorkersWithJob() == Names{"a"});
  world.Advance(5s);
  world.AskToMove({world.now(), "a"});
  CHECK(world.Look().why == "it is moved to another worker, as asked");
  CHECK(world.Look().phase == Phase::kRequeued);
  Requeue(world);
  CHECK(world.WorkersWithJob().empty());
  CHECK(world.WorkersWithClone() == Names{"b"});
  REQUIRE(world.Admit("b"));
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"b"});
  // It is over, whatever is forgotten.
  world.LoseStore();
  world.Advance(1min);
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"b"});
  CHECK(world.Look().phase == Phase::kRunning);
}

TEST_CASE("a running job goes to the worker that is named, also in a race") {
  const bool race = GENERATE(false, true);
  World world({"a", "b", "c"}, race ? Race() : Policy{});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Settle();
  world.Advance(5s);
  world.AskToMove({world.now(), "a", "c"});
  Requeue(world);
  CHECK(world.WorkersWithClone() == Names{"c"});
  world.Advance(1s);
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"c"});
  REQUIRE(world.Admit("c"));
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"c"});
}

TEST_CASE("a job stays where it runs until the worker can take it, and why says so") {
  World world = RunningOnA();
  world.Advance(5s);
  world.SetVerdict("b", No("the template is missing"));
  world.AskToMove({world.now(), "a", "b"});
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"a"});
  const Decision decision = world.Look();
  CHECK(decision.phase == Phase::kRunning);
  CHECK_THAT(decision.why,
             ContainsSubstring("asked to move to b, which cannot ever take it as it is "
                               "(TemplateMissing: the template is missing); the "
                               "request stands until "));
  CHECK_THAT(decision.why, ContainsSubstring("`fedra move --cancel` takes it back"));
  CHECK(decision.wake_at == world.now() + kMoveRecheck);
  const auto requests = [&] { return std::ranges::count(world.notes(), "MoveRequested"); };
  CHECK(requests() == 1);
  world.Advance(1s);
  world.Settle();
  CHECK(requests() == 1);
  SECTION("it is moved as soon as that can") {
    world.SetVerdict("b", {.outcome = verdict::Outcome::kYes});
    Requeue(world);
    CHECK(world.WorkersWithClone() == Names{"b"});
  }
  SECTION("and not much later") {
    world.Advance(kMoveStands);
    world.SetVerdict("b", {.outcome = verdict::Outcome::kYes});
    world.Settle();
    CHECK(world.WorkersWithJob() == Names{"a"});
    CHECK(world.Look().why.empty());
  }
}

TEST_CASE("a job that has ended, or whose worker is out of reach, is not moved") {
  World world = RunningOnA();
  world.Advance(5s);
  SECTION("ended") {
    world.Finish("a");
    world.AskToMove({world.now(), "a"});
    world.Settle();
    CHECK(world.JobFinished());
  }
  SECTION("out of reach") {
    world.Disconnect("a");
    world.AskToMove({world.now(), "a"});
    world.Settle();
    CHECK(world.State() == CheckState::kReady);
    CHECK(world.workload().cluster_name == "a");
  }
}

TEST_CASE("where the other workers cannot run it any more, a moved job may go back") {
  World world = RunningOnA();
  world.Advance(5s);
  world.AskToMove({world.now(), "a"});
  world.Settle();
  REQUIRE(world.WorkersWithJob().empty());
  world.SetVerdict("b", No("the template is missing"));
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
  // Its beginning there is later than the move.
  REQUIRE(world.Admit("a"));
  world.Settle();
  world.SetVerdict("b", {.outcome = verdict::Outcome::kYes});
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"a"});
}

TEST_CASE("a moved job that waits where it was leaves it as soon as another worker can take it") {
  const bool race = GENERATE(false, true);
  World world({"a", "b"}, race ? Race() : Policy{});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Settle();
  world.Advance(5s);
  world.AskToMove({world.now(), "a"});
  world.Settle();
  world.SetVerdict("b", No("the template is missing"));
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.WorkersWithClone() == Names{"a"});
  const bool was_admitted = GENERATE(false, true);
  world.SetVerdict("b", {.outcome = verdict::Outcome::kYes});
  if (was_admitted) REQUIRE(world.Admit("a"));
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
  REQUIRE(world.Admit("b"));
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"b"});
}

TEST_CASE(
    "a worker that failed the job before that may be moved to, and one that fails it then not "
    "again") {
  World world = RunningOnA();
  world.Fail("b");
  world.Advance(1min);
  world.AskToMove({world.now(), "a", "b"});
  Requeue(world);
  CHECK(world.WorkersWithClone() == Names{"b"});
  REQUIRE(world.Admit("b"));
  world.Settle();
  world.EvictOn("b");
  Requeue(world);
  CHECK(world.WorkersWithClone() == Names{"a"});
}

TEST_CASE("where Kueue has the job, a move is not possible, and why says so") {
  World world = RunningOnA();
  world.Advance(5s);
  world.AskToMove({world.now(), "a"});
  WorkloadView view = world.View();
  view.kueue_copies = true;
  const WallTime asked = world.now();
  const auto at = [&](WallTime now) { return Decide(view, world.Seen(), world.record(), {}, now); };
  const Decision decision = at(asked);
  CHECK(decision.phase == Phase::kRunning);
  CHECK_THAT(decision.why,
             ContainsSubstring("with kueue.mode dispatcher only Kueue can take the job back"));
  // The row is written again when that is over, and when it begins.
  CHECK(decision.wake_at == asked + kMoveStands);
  CHECK_FALSE(ContainsSubstring("to be moved").match(at(asked + kMoveStands).why));
  CHECK_FALSE(at(asked + kMoveStands).wake_at);
  CHECK_FALSE(ContainsSubstring("to be moved").match(at(asked - 1s).why));
  CHECK(at(asked - 1s).wake_at == asked);
}

TEST_CASE("a job is left where it runs while jobs in line go first where it is wanted") {
  World world = RunningOnA();
  world.Advance(5s);
  world.SetLine("b", {.after = ObjectKey{"ml", "head"}, .after_waiting = true, .ahead = 2});
  const std::string to = GENERATE(as<std::string>{}, "", "b");
  world.AskToMove({world.now(), "a", to});
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"a"});
  CHECK_THAT(world.Look().why, ContainsSubstring("InLine: free devices go to those ahead in line: "
                                                 "2 jobs); the request stands until "));
  world.SetLine("b", {});
  Requeue(world);
  CHECK(world.WorkersWithClone() == Names{"b"});
}

TEST_CASE("a worker that a moved job has left says so, and until when") {
  World world = RunningOnA();
  world.Advance(5s);
  const WallTime asked = world.now();
  const std::string to = GENERATE(as<std::string>{}, "", "b");
  world.AskToMove({asked, "a", to});
  world.Settle();
  world.ReserveQuota();
  const auto reason_of_a = [&] {
    const verdict::Verdict left = world.Seen().front().verdict;
    return left.reasons.empty() ? std::optional<verdict::Reason>() : left.reasons.front();
  };
  const verdict::Reason moved{verdict::ReasonCode::kMovedAway, "",
                              verdict::MovedAway{.to = to, .until = asked + kMoveMemory}};
  CHECK(reason_of_a() == moved);
  CHECK(world.Seen().front().verdict.outcome == verdict::Outcome::kNo);
  SECTION("also while those ahead are only being looked at") {
    world.SetLine("b", {.after = ObjectKey{"ml", "next"}});
    CHECK(reason_of_a() == moved);
    world.Settle();
    CHECK(world.WorkersWithClone().empty());
  }
  SECTION("and takes it back where it would have to wait for others") {
    world.SetLine("b", {.after = ObjectKey{"ml", "head"}, .after_waiting = true});
    CHECK_FALSE(reason_of_a());
    world.Settle();
    CHECK(world.WorkersWithClone() == Names{"a"});
  }
  SECTION("and where it is in line at both") {
    world.SetLine("a", {.after = ObjectKey{"ml", "head"}, .after_waiting = true});
    world.SetLine("b", {.after = ObjectKey{"ml", "head"}, .after_waiting = true});
    world.Settle();
    CHECK(world.Message() == "waiting in line for devices on a, b");
  }
  SECTION("and no longer than that") {
    world.Advance(kMoveMemory);
    CHECK_FALSE(reason_of_a());
  }
}

TEST_CASE("the lines are asked for a moved job as Kueue will show it") {
  const WorkloadView view = OnEast({kNow - 1s});
  const WorkloadView requeued = AsRequeued(view, kNow);
  CHECK(requeued.workload->cluster_name.empty());
  CHECK(requeued.workload->quota_reserved->since == kNow);
  CHECK(requeued.workload->Check("fedra")->state == CheckState::kPending);
  CHECK(view.workload->cluster_name == "east");
  CHECK(view.workload->Check("fedra")->state == CheckState::kReady);
}

}  // namespace fedra::placement::move_test
