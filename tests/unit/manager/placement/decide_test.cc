// Decide() by situations: each test is one sentence about what must happen.

#include <fmt/format.h>

#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"
#include "tests/unit/manager/placement/world.h"
#include "verdict/reason_text.h"

namespace fedra::placement::decide_test {

using namespace fedra::placement::testing;
using tracking::CheckState;
using Names = std::vector<std::string>;
using namespace std::chrono_literals;

TEST_CASE("a workload without quota is left alone") {
  World world({"a"});
  CHECK(world.Look().actions.empty());
  CHECK(world.Look().phase == Phase::kWaiting);
  CHECK(world.Look().waits_for == WaitsFor::kQuota);
  world.ReserveQuota();
  CHECK(world.Look().waits_for == WaitsFor::kNothing);
}

TEST_CASE("the first eligible worker in order gets the clone, the job only after admission") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
  CHECK(world.WorkersWithJob().empty());
  CHECK(world.Message() == "dispatched to a, waiting for admission");
  CHECK(world.Look().phase == Phase::kDispatching);
  world.Admit("a");
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"a"});
  CHECK(world.State() == CheckState::kReady);
  CHECK(world.workload().cluster_name == "a");
  CHECK(world.Look().phase == Phase::kRunning);
}

TEST_CASE("a check that is held stays Pending while a worker has the job, and is told so") {
  World world({"a", "b"}, {}, {.holds_check = true});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"a"});
  CHECK(world.State() == CheckState::kPending);
  CHECK(world.workload().cluster_name == "a");
  CHECK_FALSE(world.workload().Admitted());
  CHECK(world.Look().phase == Phase::kRunning);
  CHECK(world.Message() ==
        "The workload was admitted on \"a\"; this check stays Pending, so that nothing is started "
        "here as well");
  SECTION("its end is mirrored, and its copies go") {
    world.Finish("a");
    world.Settle();
    CHECK(world.JobFinished());
    CHECK(world.WorkersWithJob().empty());
    CHECK(world.Look().phase == Phase::kFinished);
  }
  SECTION("an eviction there brings it back, and another worker is tried") {
    world.EvictOn("a");
    world.Settle();
    CHECK(world.WorkersWithJob().empty());
    // In the same second the new reservation is dated like the check that was reset.
    world.Advance(GENERATE(0s, 2s));
    world.ReserveQuota();
    world.Settle();
    CHECK(world.WorkersWithClone() == Names{"b"});
    CHECK(world.workload().cluster_name.empty());
  }
  SECTION("an eviction on the manager that passed unseen is known by the reservation's date") {
    world.Advance(2s);
    world.EvictOnManager("Preempted");
    world.workload().quota_reserved.reset();
    world.workload().evicted->is_true = false;
    world.ReserveQuota();
    CHECK(world.Look().phase == Phase::kRequeued);
    world.Settle();
    CHECK(world.WorkersWithJob().empty());
    CHECK(world.workload().cluster_name.empty());
  }
}

TEST_CASE("a finished job is mirrored before its copies are removed") {
  World world = RunningOnA();
  world.Finish("a");
  world.Settle();
  CHECK(world.JobFinished());
  CHECK(world.WorkersWithJob().empty());
  CHECK(world.WorkersWithClone().empty());
  CHECK(world.Look().phase == Phase::kFinished);
}

TEST_CASE("an outage after a job has ended, and its copies were removed, leaves nothing behind") {
  World world = RunningOnA();
  world.Finish("a");
  world.Settle();
  REQUIRE(world.workload().Finished());
  REQUIRE(world.WorkersWithJob().empty());

  world.Disconnect("a");
  CHECK(world.Step().actions.empty());
  world.Advance(1h);
  CHECK(world.Step().actions.empty());
}

TEST_CASE("a job that was deleted while it ran has not finished") {
  World world = RunningOnA();
  world.workload().finished = tracking::Condition{
      .is_true = true, .reason = "OwnerNotFound", .message = "its owner no longer exists"};
  const Decision decision = world.Look();
  CHECK(ToString(decision.phase) == "Deleted");
  world.Settle();
  CHECK(world.WorkersWithJob().empty());
  CHECK(world.notes().back() == "Deleted");
}

TEST_CASE("a worker's further reasons are counted behind its first") {
  verdict::Verdict three = No("LocalQueue ml/gpu does not exist there");
  three.reasons.push_back({verdict::ReasonCode::kTemplateMissing, "", verdict::Sentence{"y"}});
  three.reasons.push_back({verdict::ReasonCode::kNotEnoughDevices, "", verdict::Sentence{"z"}});
  // This is nothing that a worker lacks.
  three.reasons.push_back({verdict::ReasonCode::kReleaseUnknown, "", verdict::Sentence{"w"}});
  SECTION("each worker is named") {
    World world({"a", "b"});
    world.SetVerdict("a", three);
    world.SetVerdict("b", No("x"));
    world.ReserveQuota();
    world.Settle();
    CHECK(world.Message() ==
          "no worker eligible: a: LocalQueue ml/gpu does not exist there (and 2 more); b: x");
  }
  SECTION("a long fleet is counted") {
    World world({"a", "b", "c", "d", "e", "f"});
    for (const char* worker : {"a", "b", "c", "d", "e", "f"}) world.SetVerdict(worker, No("x"));
    world.SetVerdict("f", three);
    world.ReserveQuota();
    world.Settle();
    CHECK(world.Message() ==
          "no worker eligible: 6 workers: TemplateMissing on 6 (and 1 more reason)");
  }
}

TEST_CASE("what tenants read names nothing of other namespaces") {
  verdict::CountedCause secret{.rule = verdict::Rule::kAllocated, .devices = 1};
  secret.holders = {{.is_job = true, .name = {"other", "secret"}}};
  verdict::Verdict held = No("");
  held.reasons[0].facts = verdict::DeviceCounts{
      .requested = {.request = "r", .claim = "claim g", .device_class = "gpu", .count = 1},
      .devices = 1,
      .parts = {std::move(secret)}};
  REQUIRE_THAT(verdict::MessageOf(held.reasons[0]), ContainsSubstring("job other/secret"));
  World world({"a"});
  world.SetVerdict("a", held);
  world.ReserveQuota();
  const Decision decision = world.Look();
  for (const Action& action : decision.actions) {
    if (const auto* note = std::get_if<Note>(&action))
      CHECK_THAT(note->message, !ContainsSubstring("secret"));
  }
  world.Settle();
  CHECK(world.Message() ==
        "no worker eligible: a: request r of claim g wants 1 device of class gpu: "
        "1 device: 1 allocated");
}

TEST_CASE("what is against the workers: grouped, and not as if it were for ever where it passes") {
  const auto of = [](verdict::ReasonCode code, const char* text) {
    return verdict::Verdict{.outcome = verdict::Outcome::kNo,
                            .reasons = {{code, "", verdict::Sentence{text}}}};
  };
  using enum verdict::ReasonCode;
  const verdict::Verdict in_use = of(kDevicesAllocated, "in use");
  const verdict::Verdict missing = of(kTemplateMissing, "t is missing");
  struct Row {
    const char* about;
    std::vector<verdict::Verdict> verdicts;  // of a, b, ...
    const char* message;
  };
  const Row rows[] = {
      {"none passes",
       {missing, of(kNotEnoughDevices, "too few")},
       "no worker eligible: a: t is missing; b: too few"},
      {"the same of several, in the order of the first",
       {missing, of(kNotEnoughDevices, "too few"), missing},
       "no worker eligible: a, c: t is missing; b: too few"},
      {"devices that are in use",
       {in_use, missing, in_use},
       "waits for a worker: a, c: waiting in line for devices; b: t is missing"},
      {"room on nodes",
       {missing, of(kNodeResources, "no cpu is free")},
       "waits for a worker: a: t is missing; b: no cpu is free"},
      {"a long fleet",
       {in_use, missing, missing, missing, missing, missing},
       "waits for one of 6 workers: TemplateMissing on 5, DevicesAllocated on 1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.about);
    std::vector<std::string> names;
    for (size_t i = 0; i < row.verdicts.size(); ++i)
      names.emplace_back(1, static_cast<char>('a' + static_cast<int>(i)));
    World world(names);
    for (size_t i = 0; i < row.verdicts.size(); ++i) world.SetVerdict(names[i], row.verdicts[i]);
    world.ReserveQuota();
    world.Settle();
    CHECK(world.Message() == row.message);
  }
}

TEST_CASE("workers that lack something are named with what they lack") {
  World world({"gpu-east", "gpu-west"});
  world.SetVerdict("gpu-east", No("ResourceClaimTemplate ml/one-gpu does not exist there"));
  world.SetVerdict("gpu-west", No("DeviceClass gpu.example.com does not exist there"));
  world.ReserveQuota();
  world.Settle();
  CHECK(world.Message() ==
        "no worker eligible: gpu-east: ResourceClaimTemplate ml/one-gpu does not exist there; "
        "gpu-west: DeviceClass gpu.example.com does not exist there");
  CHECK(world.WorkersWithClone().empty());
  CHECK(world.Look().phase == Phase::kBlocked);
  SECTION("and the job leaves when one of them gets it") {
    world.SetVerdict("gpu-west", {.outcome = verdict::Outcome::kYes});
    world.Settle();
    CHECK(world.WorkersWithClone() == Names{"gpu-west"});
  }
}

TEST_CASE(
    "race: every eligible worker gets a clone, the first that admits wins, the others lose theirs "
    "first") {
  World world({"a", "b", "c"}, Race());
  world.SetVerdict("c", No("x"));
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a", "b"});
  world.Admit("b");
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
  CHECK(world.WorkersWithJob() == Names{"b"});
}

TEST_CASE("the earliest admission wins when several are seen at once") {
  World world({"a", "b"}, Race());
  world.ReserveQuota();
  world.Settle();
  world.Admit("b");
  world.Advance(1s);
  world.Admit("a");
  world.Settle();
  CHECK(world.workload().cluster_name == "b");
}

TEST_CASE("a worker that does not admit in time loses the clone to the next one") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  const auto wake = world.Look().wake_at;
  REQUIRE(wake.has_value());
  world.Advance(119s);
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
  world.Advance(1s);
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
  CHECK(world.record().failures.size() == 1);
  SECTION("and comes round again when the next one does not admit either") {
    world.Advance(121s);
    world.Settle();
    CHECK(world.WorkersWithClone() == Names{"a"});
  }
}

TEST_CASE("the only eligible worker keeps the clone however long it takes") {
  World world({"a", "b"});
  world.SetVerdict("b", No("x"));
  world.ReserveQuota();
  world.Settle();
  // From then on it waits in line for others, too.
  CHECK(world.Look().wake_at == world.now() + 120s);
  world.Advance(24h);
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
}

TEST_CASE("Unknown is tried last, or never") {
  Policy policy;
  policy.unknown = GENERATE(UnknownPolicy::kTryLast, UnknownPolicy::kNever);
  World world({"a", "b"}, policy);
  world.SetVerdict("a", Unknown());
  world.ReserveQuota();
  SECTION("a Yes is preferred") {
    world.Settle();
    CHECK(world.WorkersWithClone() == Names{"b"});
  }
  SECTION("alone it is a matter of policy") {
    world.SetVerdict("b", No("x"));
    world.Settle();
    CHECK(world.WorkersWithClone() ==
          (policy.unknown == UnknownPolicy::kTryLast ? Names{"a"} : Names{}));
  }
}

TEST_CASE("a worker whose answer is on its way is waited for, and what was said stands") {
  World world({"a"});
  world.SetVerdict("a", No("10 devices wanted, 4 there"));
  world.ReserveQuota();
  world.Settle();
  const std::string message = world.Message();
  const size_t told = world.notes().size();
  world.Disconnect("a");
  world.Reconnect("a");
  world.SetVerdict("a", Unknown());
  world.worker("a").resyncing = true;
  world.Settle();
  CHECK(world.WorkersWithClone().empty());
  CHECK(world.Message() == message);
  CHECK(world.notes().size() == told);
  SECTION("the same answer is no news") {
    world.SetVerdict("a", No("10 devices wanted, 4 there"));
    world.worker("a").resyncing = false;
    world.Settle();
    CHECK(world.notes().size() == told);
  }
  SECTION("when it does not come, Unknown is tried last") {
    world.worker("a").resyncing = false;
    world.Settle();
    CHECK(world.WorkersWithClone() == Names{"a"});
  }
}

TEST_CASE("a worker with fewer of our clones waiting is preferred to an earlier one") {
  World world({"a", "b"});
  world.worker("a").waiting_clones = 3;
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
}

TEST_CASE("the worker where a claim of the job is in use comes first, and others follow") {
  World world({"a", "b"});
  world.worker("b").claims_in_use = 1;
  world.worker("a").verdict.headroom = 5;
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
  world.EvictOn("b");
  world.Fail("b");
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
}

TEST_CASE("an eviction on the worker brings the workload back, and another worker is tried first") {
  World world = RunningOnA();
  world.EvictOn("a");
  world.Settle();
  CHECK(world.WorkersWithJob().empty());
  CHECK(world.WorkersWithClone().empty());
  CHECK(world.workload().cluster_name.empty());
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
}

TEST_CASE("an eviction that passed unseen is known from Pending beside clusterName") {
  World world = RunningOnA();
  world.workload().checks.front() = {testing::kCheck, CheckState::kPending,
                                     "Reset to Pending after eviction. Previously: Retry"};
  world.workload().quota_reserved->since += 1s;
  world.Settle();
  CHECK(world.workload().cluster_name.empty());
  CHECK(world.WorkersWithJob().empty());
}

TEST_CASE("a job that ended before an eviction that passed unseen is not run again") {
  World world = RunningOnA();
  REQUIRE(world.Finish("a"));
  world.workload().checks.front() = {testing::kCheck, CheckState::kPending,
                                     "Reset to Pending after eviction. Previously: Retry"};
  world.Settle();
  CHECK(world.JobFinished());
  CHECK(world.workload().Finished());
  CHECK(world.WorkersWithJob().empty());
}

TEST_CASE("a job that ended before it was recorded as the winner's is not run again") {
  World world({"a", "b"});
  world.SetFailures(
      [](const Action& action) { return std::holds_alternative<placement::Admit>(action); });
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Step();
  REQUIRE(world.Finish("a"));
  world.SetFailures(nullptr);
  // Nothing that is said of the worker by now undoes the end.
  world.SetVerdict("a", No("the template is gone"));
  world.Settle();
  CHECK(world.JobFinished());
  CHECK(world.workload().Finished());
  CHECK(world.workload().cluster_name == "a");
  CHECK(world.WorkersWithJob().empty());
}

TEST_CASE("what ends where the job was taken back from does not count") {
  World world = RunningOnA();
  world.Disconnect("a");
  world.Advance(16min);
  world.Settle();
  REQUIRE(world.workload().cluster_name.empty());
  REQUIRE(world.Finish("a"));
  world.Reconnect("a");
  world.Settle();
  CHECK_FALSE(world.JobFinished());
  CHECK(world.WorkersWithJob().empty());
}

TEST_CASE("an end that is on the manager's way without an admitted clone is told, not recorded") {
  World world({"a", "b"});
  world.SetFailures(
      [](const Action& action) { return std::holds_alternative<placement::Admit>(action); });
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Step();
  REQUIRE(world.Finish("a"));
  world.DeleteCloneOn("a");
  world.SetFailures(nullptr);
  world.Settle();
  CHECK(world.JobFinished());
  CHECK(world.workload().Finished());
  CHECK(world.workload().cluster_name.empty());
  CHECK(world.WorkersWithJob().empty());
}

TEST_CASE("mirrored activity is taken back at an eviction") {
  World world = RunningOnA();
  world.Deactivate();
  world.Settle();
  CHECK_FALSE(world.workload().QuotaReserved());
  CHECK(world.WorkersWithJob().empty());
  CHECK(world.Look().phase == Phase::kSuspended);
}

TEST_CASE("nothing is nominated while Evicted is True, whatever the check says") {
  World world({"a"});
  world.ReserveQuota();
  world.workload().active = false;
  world.workload().evicted = tracking::Condition{true, "Deactivated", "", {}};
  for (const Action& action : world.Look().actions)
    CHECK_FALSE(std::holds_alternative<Nominate>(action));
}

TEST_CASE("a clone that our own deletion finished is nobody's result") {
  World world = RunningOnA();
  world.DeleteJobOn("a");
  world.Settle();
  CHECK_FALSE(world.JobFinished());
  CHECK_FALSE(world.workload().Finished());
  CHECK(world.workload().cluster_name.empty());
}

TEST_CASE("a lost worker is waited for, then the job runs elsewhere, then the worker is cleaned") {
  World world = RunningOnA();
  world.Disconnect("a");
  world.Advance(14min);
  world.Settle();
  CHECK(world.workload().cluster_name == "a");
  CHECK(world.Look().wake_at.has_value());
  CHECK(world.Look().why ==
        "a has been unreachable since 1970-01-01T01:00:00Z: connection refused; the job moves at "
        "1970-01-01T01:15:00Z");
  world.Advance(2min);
  world.Settle();
  world.ReserveQuota();
  world.Settle();
  world.Admit("b");
  world.Settle();
  CHECK(world.workload().cluster_name == "b");
  world.Reconnect("a");
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"b"});
  CHECK(world.WorkersWithClone() == Names{"b"});
}

TEST_CASE("a short absence moves nothing") {
  World world = RunningOnA();
  world.Disconnect("a");
  world.Advance(5min);
  world.Settle();
  world.Reconnect("a");
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"a"});
  CHECK(world.State() == CheckState::kReady);
}

TEST_CASE("a cut watch moves no waiting workload") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  world.SetContact("a", Contact::kSyncing);
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
}

TEST_CASE("a deleted workload leaves nothing behind") {
  World world = RunningOnA();
  world.DeleteWorkload();
  world.Settle();
  CHECK(world.WorkersWithJob().empty());
  CHECK(world.WorkersWithClone().empty());
}

TEST_CASE("foreign objects are never touched") {
  World world({"a"});
  world.PutForeignJob("a");
  world.SetVerdict("a", No("a Job ml/train that is not ours exists there"));
  world.ReserveQuota();
  world.Settle();
  world.DeleteWorkload();
  world.Settle();
  REQUIRE(world.worker("a").job != nullptr);
  CHECK(world.worker("a").job->uid == "foreign");
}

TEST_CASE("what another manager of our origin made is left alone, also when our workload is gone") {
  World world({"a", "b"});
  world.PutCopyOfAnotherManager("a");
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
  world.DeleteWorkload();
  world.Settle();
  CHECK(world.HasCopyOfAnotherManager("a"));
}

TEST_CASE("a copy of an earlier incarnation is removed before a new one is made") {
  World world({"a"});
  auto stale = std::make_shared<tracking::Workload>();
  stale->key = {"ml", "job-train-1a2b3"};
  stale->uid = "stale";
  stale->marks = {"fedra", "m1", "uid-0"};
  world.worker("a").clone = stale;
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.worker("a").clone != nullptr);
  CHECK(world.worker("a").clone->marks.source_uid == testing::kUid);
}

TEST_CASE("copies that a worker does not let go are waited for, as long as others in line are") {
  World world({"a"});
  auto stale = std::make_shared<tracking::Workload>();
  stale->key = {"ml", "job-train-1a2b3"};
  stale->uid = "stale";
  stale->marks = {"fedra", "m1", testing::kUid};
  stale->deleting = true;  // a finalizer holds it
  world.worker("a").clone = stale;
  world.ReserveQuota();
  const Decision decision = world.Look();
  CHECK(decision.phase == Phase::kWaiting);
  CHECK(decision.wake_at == world.workload().quota_reserved->since + kLongestCleanUp);
}

TEST_CASE("a job that Kueue does not manage is rejected with what to write") {
  World world({"a"});
  world.ReserveQuota();
  WorkloadView view;
  view.workload = std::make_shared<tracking::Workload>(world.workload());
  auto job = std::make_shared<tracking::Job>();
  view.job = job;
  view.check = testing::kCheck;
  const Decision decision = Decide(view, {}, {}, {}, {});
  REQUIRE_FALSE(decision.actions.empty());
  const auto& rejected = std::get<SetCheck>(decision.actions.front());
  CHECK(rejected.state == CheckState::kRejected);
  CHECK_THAT(rejected.message, ContainsSubstring("kueue.x-k8s.io/multikueue"));
}

TEST_CASE("a check that turned Ready without a recorded worker is taken back") {
  World world = RunningOnA();
  world.workload().cluster_name.clear();
  world.Settle();
  CHECK(world.workload().cluster_name.empty());
  CHECK(world.WorkersWithJob().empty());
}

TEST_CASE("another admission check is waited for") {
  World world({"a"});
  world.ReserveQuota();
  world.workload().checks.push_back({"budget", CheckState::kPending, ""});
  CHECK(world.Look().actions.empty());
  CHECK(world.Look().why == "waiting for the admission check budget");
  CHECK(world.Look().waits_for == WaitsFor::kAdmissionCheck);
}

TEST_CASE(
    "a worker that refuses the copy is passed over in this round, and tried again when it is "
    "alone") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.WorkersWithClone() == Names{"a"});
  world.Fail("a");
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
  world.SetVerdict("b", No("x"));
  world.Advance(11s);
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
}

TEST_CASE("workers that refuse are asked again less and less often, by themselves") {
  World world({"a", "b"});
  world.ReserveQuota();
  int asked = 0;
  WallTime begin = world.now();
  while (world.now() - begin < 30min) {
    world.Settle();
    const Names sent = world.WorkersWithClone();
    if (!sent.empty()) {
      ++asked;
      world.Fail(sent.front());
      continue;
    }
    // Nothing outside will wake us.
    const Decision decision = world.Look();
    REQUIRE(decision.wake_at.has_value());
    REQUIRE(*decision.wake_at > world.now());
    CHECK(decision.phase == Phase::kBlocked);
    CHECK(world.Message() == "no worker eligible: a refused it; b refused it");
    world.Advance(
        std::chrono::duration_cast<std::chrono::milliseconds>(*decision.wake_at - world.now()));
  }
  CHECK(asked > 10);
  CHECK(asked < 30);
}

TEST_CASE("a job that ended while its workload was evicted on the manager has ended") {
  World world = RunningOnA();
  world.Finish("a");
  world.EvictOnManager("Preempted");
  world.Settle();
  CHECK(world.JobFinished());
  CHECK(world.workload().Finished());
  CHECK(world.WorkersWithJob().empty());
}

TEST_CASE("a job whose AdmissionCheck was removed goes on, and its status is told") {
  World world = RunningOnA();
  world.workload().checks.clear();
  const Decision decision = world.Look();
  CHECK(decision.phase == Phase::kRunning);
  CHECK(decision.worker == ClusterName("a"));
  REQUIRE(decision.actions.size() == 1);
  CHECK(std::holds_alternative<MirrorStatus>(decision.actions[0]));
  SECTION("evicted, it leaves nothing behind") {
    world.workload().evicted = tracking::Condition{.is_true = true};
    for (int i = 0; i < 3; ++i) world.Step();
    CHECK(world.WorkersWithJob().empty());
  }
}

TEST_CASE("what Kueue decides about without asking us waits, and people are told why") {
  struct Row {
    Unasked unasked;
    tracking::Condition quota;
    std::string why;
  };
  const tracking::Condition refused{.reason = "Inadmissible", .message = "no claims, please"};
  const tracking::Condition reserved{.is_true = true, .message = "Quota reserved"};
  const Row row = GENERATE_COPY(
      Row{Unasked::kRefused, refused, "no claims, please"},
      Row{Unasked::kAdmitted, reserved,
          "Kueue has admitted it on the manager without its AdmissionCheck, because its pods ask "
          "for no resource that it counts there: no worker gets it"});
  // It was asked about before, or it never was.
  const bool has_copy = GENERATE(false, true);
  CAPTURE(row.why, has_copy);
  World world = has_copy ? RunningOnA() : World({"a", "b"});
  world.workload().checks.clear();
  world.workload().cluster_name.clear();
  world.workload().quota_reserved = row.quota;
  WorkloadView view = world.View();
  view.check.clear();
  const auto decide = [&] { return Decide(view, world.Seen(), world.record(), {}, world.now()); };
  CHECK(decide().phase == Phase::kGone);
  view.unasked = row.unasked;
  const Decision decision = decide();
  CHECK(decision.phase == Phase::kWaiting);
  CHECK(decision.waits_for == WaitsFor::kKueue);
  CHECK(decision.why == row.why);
  CHECK_FALSE(Does<Forget>(decision));
  CHECK(Does<DeleteRemote>(decision) == has_copy);
}

TEST_CASE("two checks of ours on one queue are named") {
  World world({"a"});
  world.ReserveQuota();
  world.SetSecondCheck("second");
  world.Settle();
  CHECK(world.WorkersWithClone().empty());
  CHECK(world.Message() ==
        "the ClusterQueue has two AdmissionChecks of fedra, fedra and second: remove one of them");
}

TEST_CASE("race: a worker that refuses holds nobody up") {
  World world({"a", "b"}, Race());
  world.ReserveQuota();
  world.Settle();
  world.Fail("a");
  world.Admit("a");
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
  world.Admit("b");
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"b"});
}

TEST_CASE("a worker that answers but cannot be listed is lost after the same time") {
  World world = RunningOnA();
  world.Disconnect("a");
  world.SetContact("a", Contact::kSyncing);
  world.Advance(14min);
  world.Settle();
  CHECK(world.workload().cluster_name == "a");
  world.Advance(2min);
  world.Settle();
  CHECK(world.workload().cluster_name.empty());
  // What it still holds cannot be removed there, and holds up no other worker.
  world.ReserveQuota();
  world.Settle();
  CHECK(world.Admit("b"));
  world.Settle();
  CHECK(world.workload().cluster_name == "b");
  CHECK(world.WorkersWithJob() == Names{"a", "b"});
  world.Reconnect("a");
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"b"});
}

TEST_CASE("a worker that is just being asked loses nothing, however long it was away") {
  World world = RunningOnA();
  world.Disconnect("a");
  world.worker("a").resyncing = true;
  world.Advance(20min);
  CHECK(world.Look().wake_at == world.now() + 10s);
  world.Settle();
  CHECK(world.workload().cluster_name == "a");
  world.worker("a").resyncing = false;
  world.Settle();
  CHECK(world.workload().cluster_name.empty());
}

TEST_CASE("the winner waits for the lists of another nominated worker that has just come back") {
  World world({"a", "b"}, Race());
  world.ReserveQuota();
  world.Settle();
  world.Disconnect("b");
  world.SetContact("b", Contact::kSyncing);
  world.Admit("a");
  CHECK(world.Look().wake_at.has_value());
  world.Settle();
  CHECK(world.WorkersWithJob().empty());
  world.Advance(61s);
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"a"});
}

TEST_CASE("a changed priority follows the workload to its clone, waiting or running") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  world.ChangePriority(7);
  world.Settle();
  CHECK(world.worker("a").clone->priority.value == 7);
  world.Admit("a");
  world.Settle();
  REQUIRE(world.WorkersWithJob() == Names{"a"});
  world.ChangePriority(9);
  world.Settle();
  CHECK(world.worker("a").clone->priority.value == 9);
  // A pod's PriorityClass is what the pods run with: it does not change.
  world.workload().priority.kind = "PriorityClass";
  world.ChangePriority(11);
  world.Settle();
  CHECK(world.worker("a").clone->priority.value == 9);
}

TEST_CASE("a worker that refuses a new priority does not keep the job from running") {
  World world = RunningOnA();
  world.ChangePriority(7);
  world.SetFailures([once = true](const Action&) mutable { return std::exchange(once, false); });
  REQUIRE(std::holds_alternative<SetClonePriority>(world.Step().actions.front()));
  CHECK(IsIndependent(SetClonePriority{}));
  world.SetFailures(nullptr);
  world.Finish("a");
  world.Settle();
  CHECK(world.workload().Finished());
}

TEST_CASE("a job goes on where the worker was removed from the configuration and is kept") {
  World world = RunningOnA();
  world.worker("a").membership = Membership::kKept;
  world.worker("a").allowed = false;
  world.Settle();
  CHECK(world.State() == CheckState::kReady);
  CHECK(world.WorkersWithJob() == Names{"a"});
  world.Finish("a");
  world.Settle();
  CHECK(world.JobFinished());
  CHECK(world.WorkersWithClone().empty());
}

TEST_CASE("a job is taken back from a worker that was removed and is drained, and runs elsewhere") {
  World world = RunningOnA();
  world.worker("a").membership = Membership::kDrained;
  world.worker("a").allowed = false;
  world.Settle();
  CHECK(world.WorkersWithClone().empty());
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
  REQUIRE(world.Admit("b"));
  world.Settle();
  CHECK(world.WorkersWithJob() == Names{"b"});
  CHECK(world.workload().cluster_name == "b");
}

TEST_CASE("a job is taken back from a worker that an administrator drains, and waits for another") {
  World world = RunningOnA();
  world.worker("a").drained_for = "firmware";
  world.SetVerdict("a", No("drained"));
  CHECK(world.Look().why == "worker a is drained: firmware");
  world.Settle();
  CHECK(world.WorkersWithClone().empty());
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
}

TEST_CASE("a worker that is drained and out of reach keeps its job until it counts as lost") {
  World world = RunningOnA();
  world.worker("a").membership = Membership::kDrained;
  world.worker("a").allowed = false;
  world.Disconnect("a");
  world.Settle();
  CHECK(world.State() == CheckState::kReady);
  world.Advance(16min);
  world.Settle();
  world.ReserveQuota();
  world.Settle();
  CHECK(world.WorkersWithClone().back() == "b");
}

TEST_CASE("a job that has ended on a drained worker is not run again") {
  World world = RunningOnA();
  world.worker("a").membership = Membership::kDrained;
  world.worker("a").allowed = false;
  REQUIRE(world.Finish("a"));
  world.Settle();
  CHECK(world.JobFinished());
  CHECK(world.WorkersWithClone().empty());
}

TEST_CASE("what waits for admission on a removed worker is sent to another one") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.WorkersWithClone() == Names{"a"});
  world.worker("a").membership = Membership::kKept;
  world.worker("a").allowed = false;
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"b"});
}

}  // namespace fedra::placement::decide_test
