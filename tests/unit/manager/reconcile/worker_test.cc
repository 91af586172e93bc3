// One worker, put together: what is watched follows what it serves, and one outage has one
// beginning.

#include "manager/reconcile/worker.h"

#include <nlohmann/json.hpp>

#include "manager/tracking/kueue_api.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::worker_test {

using namespace std::chrono_literals;
using nlohmann::json;

namespace {

using Release = cel::KubernetesRelease;

const json kRule = {{"apiVersion", "resource.k8s.io/v1beta2"},
                    {"kind", "DeviceTaintRule"},
                    {"metadata", {{"name", "maintenance"}}},
                    {"spec",
                     {{"deviceSelector", {{"device", "gpu-1"}}},
                      {"taint", {{"key", "broken"}, {"effect", "NoSchedule"}}}}}};

const json kGroup = {
    {"apiVersion", "scheduling.k8s.io/v1alpha2"},
    {"kind", "PodGroup"},
    {"metadata", {{"namespace", "ml"}, {"name", "training"}}},
    {"spec",
     {{"schedulingPolicy", {{"basic", json::object()}}},
      {"resourceClaims",
       json::array({{{"name", "gpu"}, {"resourceClaimTemplateName", "one-gpu"}}})}}}};

// Pods of that group with a claim of the same name and template.
tracking::Demands GroupedPods(int count) {
  dra::PodDemand pods;
  pods.count = count;
  pods.pod_group = "training";
  pods.claims = {{.pod_claim = "gpu", .template_name = "one-gpu", .claim_name = ""}};
  return std::make_shared<const std::vector<dra::PodDemand>>(1, pods);
}

// Serves resource.k8s.io in v1, v1beta1 and v1beta2, the last with taint rules, except for what is
// hidden.
ConnectedOptions Serving(std::set<std::string> hidden, const std::string& git_version) {
  ConnectedOptions options;
  options.workers = {"east"};
  options.server.dra_versions = {"v1", "v1beta1"};
  options.server.device_taint_rules = true;
  options.faults.not_served = std::move(hidden);
  options.faults.git_version = git_version;
  return options;
}

size_t Tainted(const Worker& worker) {
  size_t devices = 0;
  worker.objects().devices()->snapshot()->pools().ForEach(
      [&](const auto&, const auto& pool) { devices += pool->rule_taints.size(); });
  return devices;
}

size_t Slices(const Worker& worker) {
  size_t slices = 0;
  worker.objects().devices()->snapshot()->pools().ForEach(
      [&](const auto&, const auto& pool) { slices += pool->slices.size(); });
  return slices;
}

json CopyOf(const std::string& workload) {
  json job = sim::MakeJob("train");
  job["metadata"]["labels"][std::string(tracking::kOriginLabel)] = "fedra";
  job["metadata"]["annotations"][std::string(tracking::kPrebuiltWorkload)] = workload;
  return job;
}

}  // namespace

TEST_CASE("an upgraded worker is watched in its new versions, by its new release's rules") {
  Connected f(Serving({"resource.k8s.io/v1", "resource.k8s.io/v1beta2"}, "v1.33.4"));
  AddDevices(f.server(0), 2);
  f.Start();
  Worker& worker = f.worker(0);
  REQUIRE(f.WaitUntil([&] { return Slices(worker) == 1; }));
  CHECK(worker.objects().devices()->snapshot()->features().release == Release::k134);
  CHECK(worker.objects().devices()->snapshot()->features().unknown_version == "v1.33.4");
  CHECK(worker.Facts().dra_versions == std::vector<std::string>{"v1beta1"});

  sim::Faults away;
  away.refuse = true;
  f.server(0).SetFaults(away);
  REQUIRE(f.WaitUntil(
      [&] { return worker.Status().connection.phase == ConnectionPhase::kUnreachable; }));
  REQUIRE(f.server(0).objects().Create(kRule));
  sim::Faults upgraded;
  upgraded.not_served = {"resource.k8s.io/v1beta1"};
  f.server(0).SetFaults(upgraded);
  CHECK(f.WaitUntil([&] { return Tainted(worker) == 1; }));
  CHECK(worker.objects().devices()->snapshot()->features().release == Release::k136);
  CHECK(worker.objects().devices()->snapshot()->features().unknown_version.empty());
  CHECK(Slices(worker) == 1);

  // The watches go on in what is served now.
  REQUIRE(f.server(0).objects().Delete("resourceslices", {"", "slice-1"}));
  CHECK(f.WaitUntil([&] { return Slices(worker) == 0; }));
  CHECK(f.WaitUntil([&] { return !worker.objects().devices()->obstacles().Lists(); }));
}

TEST_CASE("an API that is switched on is noticed when the watches are cut") {
  Connected f(Serving({"resource.k8s.io/v1beta2"}, ""));
  AddDevices(f.server(0), 2);
  REQUIRE(f.server(0).objects().Create(kRule));
  f.Start();
  Worker& worker = f.worker(0);
  REQUIRE(f.WaitUntil([&] { return Slices(worker) == 1; }));
  CHECK_FALSE(worker.objects().devices()->snapshot()->features().device_taint_rules);
  CHECK(Tainted(worker) == 0);
  f.server(0).SetFaults({});
  f.server(0).DropConnections();
  CHECK(f.WaitUntil([&] { return Tainted(worker) == 1; }));
  CHECK(worker.objects().devices()->snapshot()->features().device_taint_rules);
}

TEST_CASE("PodGroups are watched in the version that is served, once that is") {
  ConnectedOptions options = Serving({"scheduling.k8s.io/v1alpha2"}, "");
  options.server.pod_groups = true;
  Connected f(options);
  REQUIRE(f.server(0).objects().Create(kGroup));
  f.Start();
  Worker& worker = f.worker(0);
  const auto pods = GroupedPods(4);
  const auto fit = [&] {
    return worker.objects().devices()->judge().Judge("ml", *pods, {}).verdict.pods_fitting;
  };
  AddDevices(f.server(0), 2);
  REQUIRE(f.WaitUntil([&] { return fit() == 2; }));
  CHECK_FALSE(worker.objects().devices()->snapshot()->features().workload_claims);
  f.server(0).SetFaults({});
  f.server(0).DropConnections();
  CHECK(f.WaitUntil([&] { return fit() == 4; }));
  CHECK(worker.objects().devices()->snapshot()->features().workload_claims);

  REQUIRE(f.server(0).objects().Delete("podgroups", {"ml", "training"}));
  CHECK(f.WaitUntil([&] { return fit() == 2; }));
}

TEST_CASE("an outage from before the start goes on, whatever the wall clock does") {
  HandClock clock;
  ConnectedOptions options;
  options.workers = {"east"};
  options.lost_since = clock.Now() - 10min;
  const Connected f(options, clock);
  const auto found = f.workers().Now()->Find(ClusterName("east"));
  const Worker& worker = *found;
  const auto lost_for = [&] { return clock.Now() - worker.Status().lost_since.value(); };
  CHECK(lost_for() == 10min);
  clock.Advance(5min);
  CHECK(lost_for() == 15min);
  clock.JumpWall(1h);
  CHECK(lost_for() == 15min);
  clock.JumpWall(-3h);
  CHECK(lost_for() == 15min);
}

TEST_CASE("contact ends an outage, and one outage has one beginning whatever its reasons") {
  HandClock clock;
  ConnectedOptions options;
  options.workers = {"east"};
  options.lost_since = clock.Now() - 10min;
  Connected f(options, clock);
  f.Start();
  Worker& worker = f.worker(0);
  CHECK_FALSE(worker.Status().lost_since);
  clock.Advance(1h);

  sim::Faults faults;
  faults.refuse = true;
  f.server(0).SetFaults(faults);
  REQUIRE(f.WaitUntil([&] { return worker.Status().lost_since.has_value(); }));
  const WallTime lost = *worker.Status().lost_since;
  CHECK(lost == clock.Now());
  clock.Advance(1min);
  faults.refuse = false;
  faults.reject_credentials = true;
  f.server(0).SetFaults(faults);
  REQUIRE(
      f.WaitUntil([&] { return worker.Status().connection.phase == ConnectionPhase::kRejected; }));
  CHECK(worker.Status().lost_since == lost);
  f.server(0).SetFaults({});
  CHECK(f.WaitUntil([&] { return !worker.Status().lost_since; }));
}

// An outage in which jobs were kept is none: they move when the worker has been silent for long.
TEST_CASE(
    "a worker that is silent after a rejection has been lost since then, if its jobs stayed") {
  const bool keeps = GENERATE(true, false);
  HandClock clock;
  ConnectedOptions options;
  options.workers = {"east"};
  options.keeps_rejected = keeps;
  Connected f(options, clock);
  f.Start();
  Worker& worker = f.worker(0);
  sim::Faults faults;
  faults.reject_credentials = true;
  f.server(0).SetFaults(faults);
  REQUIRE(
      f.WaitUntil([&] { return worker.Status().connection.phase == ConnectionPhase::kRejected; }));
  const WallTime rejected = clock.Now();
  clock.Advance(1h);
  CHECK(worker.Status().keeps_jobs == keeps);
  CHECK(worker.Status().lost_since == rejected);
  faults.reject_credentials = false;
  faults.refuse = true;
  f.server(0).SetFaults(faults);
  f.server(0).DropConnections();
  REQUIRE(f.WaitUntil(
      [&] { return worker.Status().connection.phase == ConnectionPhase::kUnreachable; }));
  const WallTime silent = clock.Now();
  clock.Advance(1s);
  CHECK(worker.Status().lost_since.value() == (keeps ? silent : rejected));
  clock.Advance(20min);
  CHECK(worker.Status().lost_since.value() == (keeps ? silent : rejected));
}

TEST_CASE("a kubeconfig that cannot be used any more is our fault, and moves no job") {
  ConnectedOptions options;
  options.workers = {"east"};
  options.keeps_rejected = true;
  Connected f(options);
  f.Start();
  Worker& worker = f.worker(0);
  CHECK_FALSE(worker.Status().fault_is_ours);
  worker.Reconfigure({}, Error{ErrorCode::kInvalidArgument, "east.kubeconfig:2:1: not valid YAML"});
  REQUIRE(f.WaitUntil(
      [&] { return worker.Status().connection.phase == ConnectionPhase::kMisconfigured; }));
  CHECK(worker.Status().fault_is_ours);
  CHECK(worker.Status().keeps_jobs);
}

TEST_CASE("how long a worker may take to list is counted in steady time") {
  HandClock clock;
  ConnectedOptions options;
  options.workers = {"east"};
  options.faults.answers.push_back(
      {.kind = sim::InjectedAnswer::Kind::kHang, .method = "GET", .path_contains = "/workloads"});
  Connected f(options, clock);
  Worker& worker = f.worker(0);
  worker.Start();
  REQUIRE(
      f.WaitUntil([&] { return worker.Status().connection.phase == ConnectionPhase::kConnected; }));
  CHECK(worker.Status().resyncing);
  clock.JumpWall(2h);
  CHECK(worker.Status().resyncing);
  clock.JumpWall(-4h);
  clock.Advance(3min);
  CHECK_FALSE(worker.Status().resyncing);
}

// The job that was deleted and made anew has another Workload, which waits for the old copy to go.
TEST_CASE("whoever has the manager's job of a name hears of the copies of that name") {
  Connected f;
  f.Start();
  REQUIRE(f.server(0).objects().Create(CopyOf("job-train-of-old")));
  CHECK(f.WaitUntil([&] { return f.ToldOfJob({"ml", "train"}) > 0; }));
}

TEST_CASE("a job that a list shows in the place of another workload's is only its own workload's") {
  Connected f;
  REQUIRE(f.server(0).objects().Create(CopyOf("of-old")));
  f.Start();
  Worker& worker = f.worker(0);
  const ObjectKey job{"ml", "train"};
  const std::set<tracking::JobKey> named{{"Job.batch", job}};
  REQUIRE(worker.copies().JobsOf({"ml", "of-old"}) == named);
  const int told = f.ToldOfWorkload({"ml", "of-old"});
  sim::Faults away;
  away.refuse = true;
  f.server(0).SetFaults(away);
  REQUIRE(f.WaitUntil(
      [&] { return worker.Status().connection.phase == ConnectionPhase::kUnreachable; }));
  REQUIRE(f.server(0).objects().Delete("jobs", job));
  REQUIRE(f.server(0).objects().Create(CopyOf("of-new")));
  f.server(0).SetFaults({});
  REQUIRE(f.WaitUntil([&] { return worker.copies().JobsOf({"ml", "of-new"}) == named; }));
  CHECK(worker.copies().JobsOf({"ml", "of-old"}).empty());
  CHECK(f.ToldOfWorkload({"ml", "of-old"}) > told);
}

TEST_CASE("a write that no watch has shown in time is told of when it no longer counts") {
  HandClock clock;
  Connected f({}, clock);
  f.Start();
  Worker& worker = f.worker(0);
  const ObjectKey key{"ml", "train"};
  auto clone = std::make_shared<tracking::Workload>();
  clone->key = key;
  worker.objects().clones().own().Wrote(std::move(clone));
  const tracking::JobAdapter& adapter = tracking::BatchJobAdapter();
  auto job = std::make_shared<tracking::Job>();
  job->key = key;
  worker.objects().jobs(adapter).own().Wrote(std::move(job));
  clock.Advance(30s);
  worker.DropOverdue();
  CHECK(worker.waiting_clones({.origin = "fedra"}) == 1);
  CHECK(f.ToldOfWorkload(key) == 0);
  clock.Advance(1s);
  worker.DropOverdue();
  CHECK(worker.objects().clones().Find(key) == nullptr);
  CHECK(f.ToldOfWorkload(key) == 1);
  CHECK(f.ToldOfJob(key) == 1);
  worker.DropOverdue();
  CHECK(f.ToldOfWorkload(key) == 1);
}

}  // namespace fedra::reconcile::worker_test
