// Random histories of jobs that want the same devices on several workers, with everything real but
// the clusters, which are simulated whole: Kueue, the Job controller, the scheduler. Jobs of one
// and of several pods come, run and are deleted while workers are cut off and devices appear.

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>

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

namespace fedra::reconcile::order_history_test {

using namespace std::chrono_literals;
using nlohmann::json;
using placement::OrderPolicy;

namespace {

constexpr int kJobs = 24;
// A gang may need all of a worker, so every worker could hold every job.
constexpr int kDevices = 3;
// So long after its quota was seen a job is certainly known to those that decide.
constexpr auto kKnownAfter = 200ms;
// Jobs whose devices came together leave together: each of the threads writes its own record, and
// on a busy machine one of them is late. A job that is passed waits for far longer.
constexpr auto kSameMoment = 300ms;

ClusterOptions Quick() {
  ClusterOptions options;
  options.discover_groups = {"batch", "kueue.x-k8s.io", "resource.k8s.io", "scheduling.k8s.io"};
  options.probe_interval = 500ms;
  return options;
}

struct Submitted {
  std::string name;
  ObjectKey workload;
  std::string uid;
  int pods = 1;
  WallTime has_quota{};
  bool deleted = false;
};

class History final {
 public:
  History(unsigned seed, OrderPolicy policy, bool cuts) : random_(seed), cuts_(cuts) {
    for (const std::string& name : workers_) AddDevices(fleet_.Find(name)->server, kDevices);
    Open(policy);
  }
  ~History() { federation_->Stop(); }

  void Run() {
    for (int i = 0; i < kJobs; ++i) {
      Submit(i);
      for (int pause = Draw(0, 3); pause > 0; --pause) Step();
      if (Draw(0, 7) == 0) Delete();
      if (cuts_ && Draw(0, 5) == 0) CutOrReturn(workers_[static_cast<size_t>(Draw(0, 1))]);
      if (i == kJobs / 2) Restart();
    }
    for (const std::string& name : workers_) fleet_.Find(name)->server.SetFaults({});
    INFO(Print());
    CHECK(WaitUntil(
        [&] {
          Step();
          return std::all_of(jobs_.begin(), jobs_.end(),
                             [&](const Submitted& job) { return job.deleted || IsFinished(job); });
        },
        60s));
    CheckOrder();
  }

 private:
  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  void Open(OrderPolicy policy) {
    policy_ = policy;
    FederationSettings settings;
    settings.gather = {.controller_name = "fedra.dev/federation",
                       .origin = "fedra",
                       .devices = true,
                       .order = {.policy = policy, .max_passes = 2}};
    settings.manager.name = ClusterName("manager");
    settings.manager.access = AccessTo(fleet_.manager().server);
    settings.manager.options = Quick();
    settings.threads = 8;
    for (const std::string& name : workers_) {
      WorkerSettings worker;
      worker.cluster.name = ClusterName(name);
      worker.cluster.access = AccessTo(fleet_.Find(name)->server);
      worker.cluster.options = Quick();
      worker.origin = "fedra";
      worker.verified.devices.emplace();
      settings.workers.push_back(std::move(worker));
    }
    store_ = store::Store::Open({.path = folder_.Path("fedra.db")}).value();
    federation_ = std::make_unique<Federation>(std::move(settings), threads_.loop, threads_.pool,
                                               *store_, telemetry_, SystemClock());
    REQUIRE(federation_->Start());
  }

  void Restart() {
    federation_->Stop();
    federation_.reset();
    REQUIRE(store_->Flush());
    store_.reset();
    Open(policy_);
  }

  // Names follow each other, so jobs of the same second are in this order, too.
  void Submit(int number) {
    Submitted job;
    job.name = fmt::format("j{:03}", number);
    job.pods = Draw(0, 3) == 0 ? Draw(2, kDevices) : 1;
    json object = sim::MakeJob(job.name);
    object["spec"]["parallelism"] = object["spec"]["completions"] = job.pods;
    object["metadata"]["annotations"]["sim.fedra.dev/run-for"] =
        fmt::format("{}ms", Draw(100, 900));
    REQUIRE(fleet_.manager().server.objects().Create(object));
    // The first one waits until the queue's AdmissionCheck is active.
    REQUIRE(WaitUntil([&] {
      federation_->Tick();
      return FindWorkload(job);
    }));
    job.has_quota = SystemClock().Now();
    jobs_.push_back(std::move(job));
  }

  bool FindWorkload(Submitted& job) {
    for (const json& each : fleet_.manager().server.objects().List("workloads", "ml")) {
      const std::string name = each["metadata"]["name"];
      if (!name.starts_with("job-" + job.name + "-")) continue;
      const json conditions = each.value("/status/conditions"_json_pointer, json::array());
      const bool has_quota = std::any_of(conditions.begin(), conditions.end(), [](const json& one) {
        return one["type"] == "QuotaReserved" && one["status"] == "True";
      });
      job.workload = {"ml", name};
      job.uid = each["metadata"]["uid"];
      return has_quota;
    }
    return false;
  }

  void Step() {
    federation_->Tick();
    ::poll(nullptr, 0, Draw(1, 40));
    if (!cuts_) CheckNothingIsPromisedTwice();
  }

  // A pod that cannot be scheduled was sent to devices that another one got.
  void CheckNothingIsPromisedTwice() {
    for (const std::string& name : workers_) {
      for (const json& pod : fleet_.Find(name)->server.objects().List("pods", "ml")) {
        for (const json& one : pod.value("/status/conditions"_json_pointer, json::array())) {
          INFO(name << " " << pod["metadata"]["name"] << ": " << one.dump() << "\n" << Print());
          REQUIRE_FALSE((one["type"] == "PodScheduled" && one["status"] == "False"));
        }
      }
    }
  }

  void Delete() {
    Submitted& job = jobs_[static_cast<size_t>(Draw(0, static_cast<int>(jobs_.size()) - 1))];
    if (job.deleted || IsFinished(job)) return;
    job.deleted = true;
    REQUIRE(fleet_.manager().server.objects().Delete("jobs", {"ml", job.name}));
  }

  void CutOrReturn(const std::string& name) {
    sim::Server& server = fleet_.Find(name)->server;
    const bool is_cut = server.faults().refuse;
    // One stays: without any worker the AdmissionCheck is not active, and Kueue reserves no quota.
    for (const std::string& each : workers_) fleet_.Find(each)->server.SetFaults({});
    sim::Faults faults;
    faults.refuse = !is_cut;
    server.SetFaults(faults);
  }

  bool IsFinished(const Submitted& job) {
    const auto object = fleet_.manager().server.objects().Get("jobs", {"ml", job.name});
    if (!object) return job.deleted;
    const json conditions = object->value("/status/conditions"_json_pointer, json::array());
    return std::any_of(conditions.begin(), conditions.end(),
                       [](const json& one) { return one["type"] == "Complete"; });
  }

  // When it was dispatched for the first time; nothing: never.
  std::optional<WallTime> DispatchedAt(const Submitted& job) {
    const auto attempts = store_->Read().value()->Attempts(job.uid).value();
    if (attempts.empty()) return std::nullopt;
    return attempts.front().started_at;
  }

  // Under Strict no job leaves ahead of one that was known to wait before it.
  void CheckOrder() {
    REQUIRE(store_->Flush());
    int waited = 0;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      const Submitted& first = jobs_[i];
      const auto first_left = DispatchedAt(first);
      if (first.deleted || !first_left || *first_left < first.has_quota + kKnownAfter) continue;
      ++waited;
      for (size_t k = i + 1; k < jobs_.size(); ++k) {
        const auto left = DispatchedAt(jobs_[k]);
        INFO(jobs_[k].name << " passed " << first.name << "\n" << Print());
        const bool passed =
            left && *left < *first_left - kSameMoment && *left > first.has_quota + kKnownAfter;
        CHECK((policy_ != OrderPolicy::kStrict || !passed));
      }
    }
    // Else there was no line, and nothing was tested.
    CHECK(waited > 0);
  }

  std::string Print() {
    std::string text;
    for (const Submitted& job : jobs_) {
      const auto left = DispatchedAt(job);
      text += fmt::format("{} of {} pods{}{}: quota {}, left {}\n", job.name, job.pods,
                          job.deleted ? ", deleted" : "", IsFinished(job) ? ", finished" : "",
                          job.has_quota.time_since_epoch().count(),
                          left ? left->time_since_epoch().count() : 0);
    }
    return text;
  }

  const std::vector<std::string> workers_ = {"worker1", "worker2"};

  std::mt19937 random_;
  const bool cuts_;
  OrderPolicy policy_ = OrderPolicy::kStrict;
  const TempFolder folder_;
  sim::Fleet fleet_{{.threads = 2}};
  Threads threads_{4};
  NoTelemetry telemetry_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Federation> federation_;
  std::vector<Submitted> jobs_;
};

}  // namespace

TEST_CASE("jobs that want the same devices of several workers all run, in order, none twice") {
  const auto policy =
      GENERATE(OrderPolicy::kStrict, OrderPolicy::kBackfill, OrderPolicy::kBestEffort);
  const bool cuts = GENERATE(false, true);
  CAPTURE(static_cast<int>(policy), cuts);
  History(static_cast<unsigned>(policy) * 2 + (cuts ? 1 : 0), policy, cuts).Run();
}

}  // namespace fedra::reconcile::order_history_test
