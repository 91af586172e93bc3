// What a job costs from its submission to its clean-up, in operations, while many others wait and
// run: what may grow with the workers, and that nothing grows with the workloads. Everything is
// real but the clusters, which are simulated whole. growth_test.cc has single looks.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cluster-clients/threads.h"
#include "manager/reconcile/federation.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected.h"
#include "tests/unit/manager/support/no_telemetry.h"

namespace fedra::reconcile::fleet_growth_test {

using namespace std::chrono_literals;
using nlohmann::json;

namespace {

constexpr int kJobs = 12;
constexpr int kDevices = 16;  // of each worker, of the usual class
const char* const kScarce = "scarce.example.com";

struct Size {
  int workers = 0;
  int waiting = 0;  // for ever, for a device that is held; all ask for the same
  int running = 0;
};

struct Costs {
  double looks = 0;
  double judgements = 0;  // of one workload on one worker
  double requests = 0;
  double transactions = 0;
  double events = 0;  // of watches
  double bytes = 0;   // read

  std::string Print() const {
    return fmt::format(
        "{:.1f} looks, {:.1f} judgements, {:.1f} requests, {:.1f} transactions, {:.1f} watch "
        "events, {:.0f} bytes",
        looks, judgements, requests, transactions, events, bytes);
  }
};

class Counting final : public NoTelemetry {
 public:
  void Judged(const ClusterName&, const verdict::Verdict&) override { ++judgements; }
  void Reconciled(std::string_view, std::chrono::nanoseconds) override { ++looks; }

  std::atomic<size_t> looks = 0, judgements = 0, requests = 0, transactions = 0, events = 0,
                      bytes = 0;
};

std::vector<std::string> Names(int workers) {
  std::vector<std::string> names;
  for (int i = 0; i < workers; ++i) names.push_back(fmt::format("worker-{:02}", i));
  return names;
}

// One device that another user's claim holds, with a class and a template that ask for it.
void AddScarceDevice(sim::Server& worker) {
  sim::Objects objects = worker.objects();
  json one_class = *objects.Get("deviceclasses", {"", "gpu.example.com"});
  one_class["metadata"] = {{"name", kScarce}};
  one_class["spec"]["selectors"][0]["cel"]["expression"] =
      fmt::format("device.driver == \"{}\"", kScarce);
  REQUIRE(objects.Create(one_class));
  json slice = *objects.Get("resourceslices", {"", "slice-1"});
  slice["metadata"] = {{"name", "scarce"}};
  slice["spec"]["driver"] = slice["spec"]["pool"]["name"] = kScarce;
  slice["spec"]["devices"] = json::array({{{"name", "gpu-0"}}});
  REQUIRE(objects.Create(slice));
  json wanted = *objects.Get("resourceclaimtemplates", {"ml", "one-gpu"});
  wanted["metadata"] = {{"name", "scarce"}, {"namespace", "ml"}};
  const json request{{"name", "gpu"}, {"exactly", {{"deviceClassName", kScarce}}}};
  wanted["spec"]["spec"]["devices"]["requests"] = json::array({request});
  REQUIRE(objects.Create(wanted));
  REQUIRE(objects.Create({{"apiVersion", "resource.k8s.io/v1"},
                          {"kind", "ResourceClaim"},
                          {"metadata", {{"name", "held"}, {"namespace", "ml"}}},
                          {"spec", {{"devices", {{"requests", json::array({request})}}}}}}));
  const json device{
      {"request", "gpu"}, {"driver", kScarce}, {"pool", kScarce}, {"device", "gpu-0"}};
  const json user{{"resource", "pods"}, {"name", "served"}, {"uid", "another-pod"}};
  const json status{{"allocation", {{"devices", {{"results", json::array({device})}}}}},
                    {"reservedFor", json::array({user})}};
  REQUIRE(objects.Patch("resourceclaims", {"ml", "held"}, {{"status", status}}, "status"));
}

// A federation at rest: all that waits has been looked at, and all that runs is placed.
class Fleet final {
 public:
  explicit Fleet(Size size) : size_(size), fleet_({.workers = Names(size.workers)}) {
    for (const std::string& name : Names(size.workers)) {
      AddDevices(fleet_.Find(name)->server, kDevices);
      AddScarceDevice(fleet_.Find(name)->server);
    }
    for (int i = 0; i < size.waiting; ++i) Submit(fmt::format("waits-{:03}", i), "scarce", "");
    for (int i = 0; i < size.running; ++i)
      Submit(fmt::format("runs-{:03}", i), "one-gpu", "forever");
    Open();
    REQUIRE(WaitUntil(
        [&] {
          federation_->Tick();
          return InPhase("Running") == size_.running && Known() == size_.waiting + size_.running;
        },
        60s));
    Rest(/*ticks=*/true);
  }
  ~Fleet() { federation_->Stop(); }

  // Of each of kJobs, one after the other. Without ticks: what only time does is not counted.
  Costs OfJobs() {
    const Costs before = Now();
    for (int i = 0; i < kJobs; ++i) {
      const std::string name = fmt::format("job-{:03}", i);
      Submit(name, "one-gpu", "20ms");
      REQUIRE(WaitUntil([&] { return IsComplete(name); }, 20s));
      REQUIRE(WaitUntil([&] { return !HasCopy(name); }));
    }
    Rest(/*ticks=*/false);
    const Costs now = Now();
    const auto each = [](double end, double begin) { return (end - begin) / kJobs; };
    return {.looks = each(now.looks, before.looks),
            .judgements = each(now.judgements, before.judgements),
            .requests = each(now.requests, before.requests),
            .transactions = each(now.transactions, before.transactions),
            .events = each(now.events, before.events),
            .bytes = each(now.bytes, before.bytes)};
  }

 private:
  ClusterSettings ClusterAt(const std::string& name, const sim::Server& server) {
    ClusterSettings cluster;
    cluster.name = ClusterName(name);
    cluster.access = AccessTo(server);
    cluster.options.discover_groups = {"", "batch", "kueue.x-k8s.io", "resource.k8s.io",
                                       "scheduling.k8s.io"};
    cluster.options.on_request = [this](auto&&...) { ++counted_.requests; };
    cluster.options.on_read = [this](const ClusterName&, const watch::ReadVolume& read) {
      counted_.bytes += read.bytes;
      counted_.events += read.events;
    };
    return cluster;
  }

  void Open() {
    FederationSettings settings;
    settings.gather = {.controller_name = "fedra.dev/federation",
                       .us = {.origin = "fedra"},
                       .devices = true,
                       .quota = true};
    settings.manager = ClusterAt("manager", fleet_.manager().server);
    for (const std::string& name : Names(size_.workers)) {
      WorkerSettings worker;
      worker.cluster = ClusterAt(name, fleet_.Find(name)->server);
      worker.verified.devices.emplace();
      settings.workers.push_back(std::move(worker));
    }
    store_ =
        store::Store::Open({.path = folder_.Path("fedra.db"),
                            .on_transaction = [this](const auto&) { ++counted_.transactions; }})
            .value();
    federation_ = std::make_unique<Federation>(std::move(settings), threads_.loop, threads_.pool,
                                               *store_, counted_, SystemClock());
    REQUIRE(federation_->Start());
  }

  void Submit(const std::string& name, const std::string& claim_template,
              const std::string& run_for) {
    json job = sim::MakeJob(name, claim_template);
    if (!run_for.empty()) job["metadata"]["annotations"]["sim.fedra.dev/run-for"] = run_for;
    REQUIRE(fleet_.manager().server.objects().Create(job));
  }
  int InPhase(const std::string& phase) const {
    const KindPhases phases = federation_->WorkloadsByPhase();
    const auto found = phases.find({"Job", phase});
    return found == phases.end() ? 0 : found->second;
  }
  int Known() const {
    int all = 0;
    for (const auto& [phase, count] : federation_->WorkloadsByPhase()) all += count;
    return all;
  }
  bool IsComplete(const std::string& name) {
    const auto job = fleet_.manager().server.objects().Get("jobs", {"ml", name});
    for (const json& each : job->value("/status/conditions"_json_pointer, json::array()))
      if (each["type"] == "Complete") return true;
    return false;
  }
  bool HasCopy(const std::string& name) {
    for (const std::string& worker : Names(size_.workers)) {
      for (const json& clone : fleet_.Find(worker)->server.objects().List("workloads", "ml")) {
        if (clone["metadata"]["name"].get<std::string>().starts_with("job-" + name)) return true;
      }
    }
    return false;
  }
  // Until nothing has been looked at for longer than anything is put off (kProgressDebounce).
  void Rest(bool ticks) {
    size_t seen = 0;
    const auto stirs = [&] {
      if (ticks) federation_->Tick();
      return counted_.looks != std::exchange(seen, counted_.looks) ||
             federation_->queue_depth() + federation_->threads_busy() > 0;
    };
    REQUIRE(WaitUntil([&] { return !HappensWithin(stirs, 700ms); }, 60s));
  }
  Costs Now() const {
    const auto number = [](const std::atomic<size_t>& count) {
      return static_cast<double>(count.load());
    };
    return {.looks = number(counted_.looks),
            .judgements = number(counted_.judgements),
            .requests = number(counted_.requests),
            .transactions = number(counted_.transactions),
            .events = number(counted_.events),
            .bytes = number(counted_.bytes)};
  }

  const Size size_;
  sim::Fleet fleet_;
  TempFolder folder_;
  Counting counted_;
  Threads threads_{4};
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Federation> federation_;
};

Costs CostsOf(Size size) { return Fleet(size).OfJobs(); }

// Two runs differ by which changes fall into one look.
bool IsAsMuch(double now, double before) { return now <= 1.3 * before + 1; }

void CheckAsMuch(const Costs& now, const Costs& before) {
  CHECK(IsAsMuch(now.looks, before.looks));
  CHECK(IsAsMuch(now.requests, before.requests));
  CHECK(IsAsMuch(now.transactions, before.transactions));
  CHECK(IsAsMuch(now.events, before.events));
  CHECK(IsAsMuch(now.bytes, before.bytes));
}

}  // namespace

TEST_CASE(
    "growth: of a job only the judgements grow with the workers, and nothing with the others") {
  constexpr Size kSmall{.workers = 4, .waiting = 20, .running = 4};
  constexpr Size kWide{.workers = 16, .waiting = 20, .running = 4};
  constexpr Size kCrowded{.workers = 4, .waiting = 160, .running = 32};
  const Costs small = CostsOf(kSmall), wide = CostsOf(kWide), crowded = CostsOf(kCrowded);
  INFO("small:   " << small.Print());
  INFO("wide:    " << wide.Print());
  INFO("crowded: " << crowded.Print());
  CheckAsMuch(wide, small);
  // The first of each class that waits, and the job itself, are judged on all workers.
  CHECK(IsAsMuch(wide.judgements, small.judgements * kWide.workers / kSmall.workers));
  CheckAsMuch(crowded, small);
  CHECK(IsAsMuch(crowded.judgements, small.judgements));
}

}  // namespace fedra::reconcile::fleet_growth_test
