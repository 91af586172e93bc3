// Who the manager is: asked for without waiting.

#include "manager/reconcile/manager_cluster.h"

#include <algorithm>
#include <set>

#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected.h"
#include "tests/unit/manager/support/deaf_listener.h"

namespace fedra::reconcile::manager_cluster_test {

using namespace std::chrono_literals;

namespace {

ConnectedOptions Alone() {
  ConnectedOptions options;
  options.workers = {};
  return options;
}

}  // namespace

TEST_CASE("the manager's UID is asked for beside the caller, until it is known") {
  Connected f(Alone());
  f.Start();
  CHECK(WaitUntil([&] { return f.manager().identity().IdentifySoon(); }));
  CHECK_FALSE(f.manager().identity().uid().empty());
}

TEST_CASE("a manager that falls silent holds up neither who asks for its UID nor the end") {
  Connected f(Alone());
  f.Start();
  sim::Faults silent;
  silent.hang = true;
  f.manager_server().SetFaults(silent);
  const SteadyTime begin = SystemClock().Steady();
  CHECK_FALSE(f.manager().identity().IdentifySoon());
  CHECK_FALSE(f.manager().identity().IdentifySoon());
  f.manager().Stop();
  CHECK(SystemClock().Steady() - begin < 5s);
}

TEST_CASE("of two Workloads of one job the living one counts, and of these the younger") {
  const tracking::JobKey job{"Job.batch", {"ml", "train"}};
  // They are listed by name: either comes first.
  const bool older_first = GENERATE(true, false);
  CAPTURE(older_first);
  const ObjectKey older{"ml", older_first ? "a" : "b"}, younger{"ml", older_first ? "b" : "a"};
  Connected f(Alone());
  sim::Objects& objects = f.manager_server().objects();
  AddWaitingWorkload(f.manager_server(), older);
  const nlohmann::json first = *objects.Get("workloads", older);
  // Kubernetes counts in seconds.
  const auto second = [] {
    return std::chrono::time_point_cast<std::chrono::seconds>(SystemClock().Now());
  };
  REQUIRE(WaitUntil([&, begin = second()] { return second() > begin; }));
  REQUIRE(objects.Create({{"apiVersion", first["apiVersion"]},
                          {"kind", "Workload"},
                          {"metadata",
                           {{"namespace", younger.ns},
                            {"name", younger.name},
                            {"ownerReferences", first["metadata"]["ownerReferences"]}}},
                          {"spec", first["spec"]}}));
  f.Start();
  REQUIRE(f.WaitUntil([&] { return f.manager().jobs().workloads().cache().size() == 2; }));
  const auto counts = [&](const ObjectKey& workload) {
    return f.WaitUntil([&] { return f.manager().jobs().WorkloadOf(job) == workload; });
  };
  CHECK(counts(younger));
  const nlohmann::json priority{{"spec", {{"priority", 7}}}};
  REQUIRE(objects.Patch("workloads", older, priority));
  REQUIRE(
      f.WaitUntil([&] { return f.manager().jobs().workloads().Find(older)->priority.value == 7; }));
  CHECK(f.manager().jobs().WorkloadOf(job) == younger);

  SECTION("the younger one goes") {
    REQUIRE(objects.Delete("workloads", younger));
    CHECK(counts(older));
    REQUIRE(objects.Delete("workloads", older));
    CHECK(f.WaitUntil([&] { return !f.manager().jobs().WorkloadOf(job); }));
  }
  SECTION("the younger one has finished") {
    REQUIRE(objects.Patch("workloads", younger, nlohmann::json::parse(R"({"status": {"conditions": [
        {"type": "Finished", "status": "True", "reason": "Succeeded", "message": "",
         "lastTransitionTime": "2026-11-21T17:00:00Z"}]}})"),
                          "status"));
    CHECK(counts(older));
  }
  // `kubectl delete job --cascade=orphan` leaves it, and a user makes a job of this name again.
  SECTION("the younger one loses its owner") {
    REQUIRE(objects.Patch("workloads", younger, {{"metadata", {{"ownerReferences", nullptr}}}}));
    CHECK(counts(older));
    REQUIRE(objects.Delete("workloads", older));
    CHECK(f.WaitUntil([&] { return !f.manager().jobs().WorkloadOf(job); }));
  }
  SECTION("the younger one gets another owner") {
    nlohmann::json owners = first["metadata"]["ownerReferences"];
    owners[0]["name"] = "another";
    REQUIRE(objects.Patch("workloads", younger, {{"metadata", {{"ownerReferences", owners}}}}));
    CHECK(counts(older));
    CHECK(f.manager().jobs().WorkloadOf({"Job.batch", {"ml", "another"}}) == younger);
  }
  SECTION("the older one goes") {
    REQUIRE(objects.Delete("workloads", older));
    REQUIRE(f.WaitUntil([&] { return f.manager().jobs().workloads().Find(older) == nullptr; }));
    CHECK(f.manager().jobs().WorkloadOf(job) == younger);
  }
}

// Their order and their shares would be the default ones.
TEST_CASE("decisions wait for the manager's ClusterQueues, unless they are withheld") {
  Connected f(Alone());
  sim::Faults slow;
  slow.answers.push_back({.kind = sim::InjectedAnswer::Kind::kHang,
                          .method = "GET",
                          .path_contains = "/clusterqueues"});
  f.manager_server().SetFaults(slow);
  f.manager().Start();
  REQUIRE(f.WaitUntil([&] {
    return f.manager().jobs().workloads().cache().health().complete &&
           f.manager().checks().health().complete && f.manager().configs().health().complete &&
           f.manager().templates().cache().health().complete;
  }));
  CHECK_FALSE(f.manager().lists().AreListed());
  slow.answers.front().kind = sim::InjectedAnswer::Kind::kStatus;
  slow.answers.front().code = 403;
  f.manager_server().SetFaults(slow);
  f.manager_server().DropConnections();
  CHECK(f.WaitUntil([&] { return f.manager().lists().AreListed(); }));
  CHECK(f.manager().IsUsable());
  // What is left out without them is said.
  REQUIRE(f.manager().lists().Gaps().size() == 1);
  CHECK(f.manager().lists().Gaps()[0].resource == "clusterqueues.kueue.x-k8s.io");
  CHECK(f.manager().lists().Gaps()[0].why ==
        "not allowed to list or watch clusterqueues.kueue.x-k8s.io (403): annotations "
        "fedra.dev/order and fair-sharing weights of ClusterQueues have no effect, and jobs that "
        "Kueue refuses or admits without their check are not shown");
  const store::ClusterRow row = f.manager().Row(SystemClock().Now());
  CHECK(row.phase == "Connected");
  CHECK(row.why == f.manager().lists().Gaps()[0].why);
}

namespace {

std::vector<std::string> NamesOf(const std::vector<Gap>& gaps) {
  std::vector<std::string> names;
  for (const Gap& gap : gaps) names.push_back(gap.resource);
  return names;
}

}  // namespace

TEST_CASE("what is withheld is new once, until it could be read in between") {
  Connected f(Alone());
  const std::vector<std::string> templates = {"resourceclaimtemplates.resource.k8s.io"};
  sim::Faults withheld;
  withheld.answers.push_back({.kind = sim::InjectedAnswer::Kind::kStatus,
                              .method = "GET",
                              .path_contains = "/resourceclaimtemplates",
                              .code = 403});
  const auto becomes = [&](watch::CacheState state, const sim::Faults& faults) {
    sim::Faults refusing;
    refusing.refuse = true;
    f.manager_server().SetFaults(refusing);
    REQUIRE(WaitUntil([&] {
      return f.manager().cluster().state().phase != ConnectionPhase::kConnected &&
             f.manager().templates().cache().health().state == watch::CacheState::kFailing;
    }));
    CHECK(f.manager().lists().TakeNewGaps().empty());
    f.manager_server().SetFaults(faults);
    REQUIRE(WaitUntil([&] { return f.manager().templates().cache().health().state == state; }));
  };
  f.manager_server().SetFaults(withheld);
  f.manager().Start();
  REQUIRE(WaitUntil([&] { return NamesOf(f.manager().lists().Gaps()) == templates; }));
  CHECK(NamesOf(f.manager().lists().TakeNewGaps()) == templates);
  CHECK(f.manager().lists().TakeNewGaps().empty());
  becomes(watch::CacheState::kForbidden, withheld);
  CHECK(NamesOf(f.manager().lists().Gaps()) == templates);
  CHECK(f.manager().lists().TakeNewGaps().empty());
  becomes(watch::CacheState::kSynced, {});
  CHECK(f.manager().lists().TakeNewGaps().empty());
  becomes(watch::CacheState::kForbidden, withheld);
  CHECK(NamesOf(f.manager().lists().TakeNewGaps()) == templates);
}

TEST_CASE("a gap is of one resource, and not of others of its plural") {
  watch::CacheHealth forbidden;
  forbidden.state = watch::CacheState::kForbidden;
  const auto of_group = [](const std::string& group) {
    return ManagerInput{.resource = {group, "v1", "jobs", "Job", true},
                        .need = Need::kIfGranted,
                        .without = "none is dispatched"};
  };
  const auto gap = GapOf(of_group("batch.volcano.sh"), forbidden);
  REQUIRE(gap);
  CHECK(gap->resource == "jobs.batch.volcano.sh");
  CHECK(gap->why == "not allowed to list or watch jobs.batch.volcano.sh (403): none is dispatched");
  CHECK(GapOf(of_group("example.com"), forbidden)->resource == "jobs.example.com");
  watch::CacheHealth failing;
  failing.state = watch::CacheState::kFailing;
  failing.error = std::make_shared<const Error>(Error{ErrorCode::kUnavailable, "500", {}, {}});
  CHECK_FALSE(GapOf(of_group("example.com"), failing));  // the manager cannot be used without it
}

TEST_CASE("a manager whose kubeconfig cannot be used is not asked anything") {
  sim::Server server;
  Threads threads{2};
  ClusterSettings settings{ClusterName("manager"), AccessTo(server), {}, {}};
  settings.misconfigured = Error{ErrorCode::kInvalidArgument, "line 3: no server", {}, {}};
  ManagerCluster manager(std::move(settings), tracking::BuiltInKinds(), threads.loop, threads.pool,
                         SystemClock(), DeafListener());
  manager.Start();
  REQUIRE(WaitUntil(
      [&] { return manager.cluster().state().phase == ConnectionPhase::kMisconfigured; }));
  const store::ClusterRow row = manager.Row(SystemClock().Now());
  CHECK(row.why == "line 3: no server");
  CHECK_FALSE(manager.lists().AreListed());
  manager.Stop();
  CHECK(server.RequestCounts().empty());
}

TEST_CASE("what an input that cannot be read means depends on how much it is needed") {
  using watch::CacheState;
  const auto health = [](CacheState state, bool complete) {
    watch::CacheHealth made;
    made.state = state;
    made.complete = complete;
    return made;
  };
  const auto syncing = health(CacheState::kSyncing, false);
  const auto forbidden = health(CacheState::kForbidden, false);
  const auto absent = health(CacheState::kNotServed, false);
  const auto failing = health(CacheState::kFailing, true);
  struct Row {
    Need need;
    bool answers_forbidden, answers_absent;
    bool needs_forbidden, needs_absent, needs_failing;
  };
  const Row rows[] = {{Need::kRequired, false, false, true, true, true},
                      {Need::kIfServed, true, true, true, false, true},
                      {Need::kIfGranted, true, true, false, false, true},
                      {Need::kOptional, true, true, false, false, false}};
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.need));
    ManagerInput input{.resource = {}, .need = row.need};
    CHECK_FALSE(HasAnswered(input, syncing));
    CHECK(HasAnswered(input, failing));
    CHECK(HasAnswered(input, forbidden) == row.answers_forbidden);
    CHECK(HasAnswered(input, absent) == row.answers_absent);
    CHECK(IsNeeded(input, forbidden) == row.needs_forbidden);
    CHECK(IsNeeded(input, absent) == row.needs_absent);
    CHECK(IsNeeded(input, failing) == row.needs_failing);
    input.awaited = false;
    CHECK(HasAnswered(input, syncing));
  }
}

TEST_CASE("of each input it is known what follows without it, unless all stops") {
  for (const ManagerInput& input : ManagerInputs(*tracking::BuiltInKinds(), nullptr)) {
    CAPTURE(input.resource.plural);
    const bool stops = input.need == Need::kRequired || input.need == Need::kIfServed;
    CHECK(input.without.empty() == stops);
  }
}

TEST_CASE(
    "which checks a queue's jobs get is told once all queues are known, and when it changes") {
  Connected f(Alone());
  const ObjectKey train{"ml", "job-train"};
  sim::Objects& objects = f.manager_server().objects();
  AddWaitingWorkload(f.manager_server(), train);
  REQUIRE(
      objects.Patch("workloads", train, {{"status", {{"admissionChecks", nullptr}}}}, "status"));
  f.Start();
  REQUIRE(f.WaitUntil([&] { return !f.ToldOfQueueChecks().empty(); }));
  CHECK(f.ToldOfQueueChecks().size() == 1);
  const auto told = [&] {
    return std::ranges::count(f.ToldOfQueueChecks(), std::set<ObjectKey>{train});
  };
  auto seen = told();  // the Workload may be listed after the queues
  // Once more, and not twice, for all that was done since.
  const auto told_once = [&] {
    ++seen;
    return f.WaitUntil([&] { return told() >= seen; }) && told() == seen;
  };
  const auto with_check = [](const char* name) {
    const nlohmann::json check = {{"name", name}};
    return nlohmann::json{
        {"spec",
         {{"admissionChecksStrategy", {{"admissionChecks", nlohmann::json::array({check})}}}}}};
  };

  nlohmann::json other = with_check("fedra");
  other.update({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                {"kind", "ClusterQueue"},
                {"metadata", {{"name", "other"}}}});
  REQUIRE(objects.Create(other));
  REQUIRE(objects.Patch("clusterqueues", {"", "gpu"},
                        {{"metadata", {{"annotations", {{"fedra.dev/order", "Strict"}}}}}}));
  REQUIRE(objects.Patch("clusterqueues", {"", "gpu"}, with_check("another")));
  CHECK(told_once());
  const nlohmann::json queue = *objects.Get("localqueues", {"ml", "gpu"});
  REQUIRE(objects.Delete("localqueues", {"ml", "gpu"}));
  CHECK(told_once());
  REQUIRE(objects.Create({{"apiVersion", queue["apiVersion"]},
                          {"kind", "LocalQueue"},
                          {"metadata", {{"namespace", "ml"}, {"name", "gpu"}}},
                          {"spec", queue["spec"]}}));
  CHECK(told_once());
}

TEST_CASE("what an AdmissionCheck asks for concerns workloads, and what its status says does not") {
  Connected f(Alone());
  f.Start();
  sim::Objects& objects = f.manager_server().objects();
  const ObjectKey key{"", "fedra"};
  REQUIRE(f.WaitUntil([&] { return f.manager().checks().Find(key) != nullptr; }));
  const int told = f.ToldOfChecks();
  REQUIRE(objects.Patch("admissionchecks", key, nlohmann::json::parse(R"({"status": {"conditions": [
      {"type": "Active", "status": "False", "reason": "NoUsableClusters", "message": "none",
       "lastTransitionTime": "2026-11-21T16:00:00Z"}]}})"),
                        "status"));
  REQUIRE(f.WaitUntil([&] {
    const auto& condition = f.manager().checks().Find(key)->active.condition;
    return condition && condition->message == "none";
  }));
  CHECK(f.ToldOfChecks() == told);
  REQUIRE(objects.Patch("admissionchecks", key,
                        {{"metadata", {{"annotations", {{"cordon.fedra.dev/east", "away"}}}}}}));
  CHECK(f.WaitUntil([&] { return f.ToldOfChecks() == told + 1; }));
  REQUIRE(objects.Patch("admissionchecks", key, {{"spec", {{"controllerName", "another"}}}}));
  CHECK(f.WaitUntil([&] { return f.ToldOfChecks() == told + 2; }));
}

TEST_CASE(
    "what a queue says of its jobs' order concerns these, and what Kueue says of it nothing") {
  Connected f(Alone());
  const ObjectKey train{"ml", "job-train"};
  sim::Objects& objects = f.manager_server().objects();
  AddWaitingWorkload(f.manager_server(), train);
  f.Start();
  const auto queue = [](const char* name) {
    return nlohmann::json{{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                          {"kind", "ClusterQueue"},
                          {"metadata", {{"name", name}}},
                          {"spec", {{"cohortName", "all"}}}};
  };
  size_t seen = 0;
  const auto told = [&](const char* kind, const ObjectKey& key, const nlohmann::json& change) {
    REQUIRE(objects.Patch(kind, key, change));
    REQUIRE(f.WaitUntil([&] { return f.ToldOfOrders().size() > seen; }));
    return f.ToldOfOrders().at(seen++);
  };
  const auto order = [](const char* name) {
    return nlohmann::json{{"metadata", {{"annotations", {{"fedra.dev/order", name}}}}}};
  };
  const auto weight = [](const char* value) {
    return nlohmann::json{{"spec", {{"fairSharing", {{"weight", value}}}}}};
  };
  const std::set<ObjectKey> none, one{train};
  seen = f.ToldOfOrders().size();
  if (!objects.Get("clusterqueues", {"", "gpu"})) REQUIRE(objects.Create(queue("gpu")));
  REQUIRE(objects.Create(queue("other")));
  // That they are there, and how they are, says nothing of any order.
  const nlohmann::json inactive = nlohmann::json::parse(R"({"status": {"conditions": [
      {"type": "Active", "status": "False", "reason": "Stopped", "message": "is stopped",
       "lastTransitionTime": "2026-11-21T16:00:00Z"}]}})");
  REQUIRE(objects.Patch("clusterqueues", {"", "gpu"}, inactive, "status"));
  REQUIRE(f.WaitUntil([&] {
    const auto gpu = f.manager().queues().Find("gpu");
    return gpu != nullptr && gpu->why_inactive == "is stopped" &&
           f.manager().queues().Find("other");
  }));
  CHECK(f.ToldOfOrders().size() == seen);
  const int checks = f.ToldOfChecks();

  CHECK(told("clusterqueues", {"", "gpu"}, order("Strict")) == one);
  CHECK(told("clusterqueues", {"", "other"}, order("Strict")) == none);
  // From the first weight on all queues share.
  CHECK(told("clusterqueues", {"", "other"}, weight("2")) == one);
  CHECK(told("clusterqueues", {"", "other"}, weight("3")) == none);
  CHECK(told("localqueues", {"ml", "gpu"}, weight("2")) == one);
  CHECK(f.ToldOfChecks() == checks);
  // One that has ended is in no line.
  REQUIRE(objects.Delete("workloads", train));
  REQUIRE(f.WaitUntil([&] { return f.manager().jobs().workloads().Find(train) == nullptr; }));
  CHECK(told("clusterqueues", {"", "gpu"}, order("BestEffort")) == none);
}

}  // namespace fedra::reconcile::manager_cluster_test
