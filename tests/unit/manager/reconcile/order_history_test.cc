// Random histories of jobs that want the same devices on several workers, with everything real but
// the clusters, which are simulated whole: Kueue, the Job controller, the scheduler. Jobs of one
// and of several pods, and groups of pods, come, run and are deleted while workers are cut off; in
// mode admissionCheck, and in mode multikueue. No job is ever on two workers, what others have
// there stays as it is, and in the end nothing of ours is left.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/guarded.h"
#include "cluster-clients/threads.h"
#include "manager/reconcile/federation.h"
#include "manager/tracking/kueue_api.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/histories.h"
#include "tests/support/sim_access.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected.h"
#include "tests/unit/manager/support/copies_on_workers.h"
#include "tests/unit/manager/support/no_telemetry.h"

namespace fedra::reconcile::order_history_test {

using namespace std::chrono_literals;
using nlohmann::json;
using placement::OrderPolicy;

namespace {

constexpr int kJobs = 24;
// A gang may need all of a worker, so every worker could hold every job.
constexpr int kDevices = 3;
constexpr int kMaxPasses = 2;
// Where all is slow jobs are made more slowly, too; those that end in the meantime form no line.
const double kSlower = std::max(1.0, Slowness() / 3);
// One that leaves so long after its quota was seen has waited in line.
constexpr auto kAtOnce = 200ms;
// So many wait until another user frees the workers' devices: there is a line however slow it is.
constexpr int kFirstLine = 6;

ClusterOptions Quick() {
  ClusterOptions options;
  options.discover_groups = {"", "batch", "kueue.x-k8s.io", "resource.k8s.io", "scheduling.k8s.io"};
  options.probe_interval = 500ms;
  return options;
}

// One way to play: which order, with how many threads, and whether workers are cut off.
struct Play {
  OrderPolicy policy = OrderPolicy::kStrict;
  // With one thread one decision is made after the other, and their order is looked at. Several
  // report them as they get time: there it is not, but they might promise one device twice.
  size_t threads = 1;
  bool cuts = false;
  bool groups = false;  // pods that belong together are, half of the time, no Job but a pod group
  tracking::Mode mode = tracking::Mode::kAdmissionCheck;
  // Of those that ask for the same a change of devices wakes the first one, as if they were many.
  bool by_turns = true;
};

// When devices were assumed for workloads: in that order they leave, and their records follow when
// they are written, later after a conflict.
class Decisions final : public NoTelemetry {
 public:
  void Assumed(const ObjectKey& workload) override {
    decided_.With([&](auto& decided) { decided[workload].push_back(SystemClock().Now()); });
  }
  std::vector<WallTime> Of(const ObjectKey& workload) const {
    return decided_.With([&](const auto& decided) {
      const auto found = decided.find(workload);
      return found == decided.end() ? std::vector<WallTime>() : found->second;
    });
  }
  // The one that led to the record of `then`, where there is one since `before`.
  WallTime BehindRecord(const ObjectKey& workload, WallTime before, WallTime then) const {
    return decided_.With([&](const auto& decided) {
      WallTime last = then;
      const auto found = decided.find(workload);
      if (found == decided.end()) return last;
      for (const WallTime at : found->second)
        if (at > before && at <= then) last = at;
      return last;
    });
  }

 private:
  mutable Guarded<std::map<ObjectKey, std::vector<WallTime>>> decided_;
};

struct Submitted {
  std::string name;
  ObjectKey workload;
  std::string uid;
  int pods = 1;
  bool is_group = false;
  WallTime has_quota{};
  bool deleted = false;
};

class History final {
 public:
  History(unsigned seed, Play play) : random_(seed), play_(play) {
    for (const std::string& name : workers_) {
      AddDevices(fleet_.Find(name)->server, kDevices);
      AddClaimInUse(fleet_.Find(name)->server, others_, kDevices);
    }
    if (tracking::TakesOver(play_.mode)) UseMultiKueuesCheck();
    Open();
  }
  ~History() { federation_->Stop(); }

  void Run() {
    for (int i = 0; i < kJobs; ++i) {
      Submit(i);
      for (int pause = Draw(0, 3); pause > 0; --pause) Step();
      if (Draw(0, 7) == 0) Delete();
      if (play_.cuts && Draw(0, 5) == 0) CutOrReturn(workers_[static_cast<size_t>(Draw(0, 1))]);
      if (i + 1 == kFirstLine) FreeDevices();
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
    CHECK(WaitUntil(
        [&] {
          Step();
          return copies_.Count() == 0;
        },
        30s));
    if (play_.threads == 1) CheckOrder();
  }

 private:
  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  void Open() {
    FederationSettings settings;
    const bool takes_over = tracking::TakesOver(play_.mode);
    settings.gather = {.controller_name = std::string(takes_over ? tracking::kMultiKueueController
                                                                 : "fedra.dev/federation"),
                       .us = {.origin = Origin(), .mode = play_.mode},
                       .mode = play_.mode,
                       .devices = true,
                       .order = {.policy = play_.policy, .max_passes = kMaxPasses}};
    settings.manager.name = ClusterName("manager");
    settings.manager.access = AccessTo(fleet_.manager().server);
    settings.manager.options = Quick();
    settings.threads = play_.threads;
    if (play_.by_turns) settings.wake = {.small = 0, .heads = 1};
    settings.kinds = kinds_;
    for (const std::string& name : workers_) {
      WorkerSettings worker;
      worker.cluster.name = ClusterName(name);
      worker.cluster.access = AccessTo(fleet_.Find(name)->server);
      worker.cluster.options = Quick();
      worker.verified.kinds = kinds_;
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
    restarted_at_ = SystemClock().Now();
    Open();
  }

  // Names follow each other, so jobs of the same second are in this order, too.
  void Submit(int number) {
    Submitted job;
    job.name = fmt::format("j{:03}", number);
    job.pods = Draw(0, 3) == 0 ? Draw(2, kDevices) : 1;
    job.is_group = play_.groups && job.pods > 1 && Draw(0, 1) == 0;
    Create(job, fmt::format("{}ms", static_cast<int>(Draw(100, 900) * kSlower)));
    // The first one waits until the queue's AdmissionCheck is active.
    REQUIRE(WaitUntil([&] {
      federation_->Tick();
      return FindWorkload(job);
    }));
    job.has_quota = SystemClock().Now();
    jobs_.push_back(std::move(job));
  }

  void Create(const Submitted& job, const std::string& run_for) {
    json object = sim::MakeJob(job.name);
    object["metadata"]["annotations"]["sim.fedra.dev/run-for"] = run_for;
    if (!job.is_group) {
      object["spec"]["parallelism"] = object["spec"]["completions"] = job.pods;
      REQUIRE(fleet_.manager().server.objects().Create(object));
      return;
    }
    object["apiVersion"] = "v1";
    object["kind"] = "Pod";
    object["spec"] = json(object["spec"]["template"]["spec"]);
    json& metadata = object["metadata"];
    metadata["labels"]["kueue.x-k8s.io/pod-group-name"] = GroupName(job);
    metadata["annotations"]["kueue.x-k8s.io/pod-group-total-count"] = std::to_string(job.pods);
    for (int i = 0; i < job.pods; ++i) {
      metadata["name"] = fmt::format("{}-{}", job.name, i);
      REQUIRE(fleet_.manager().server.objects().Create(object));
    }
  }

  // In the order of the Workloads' names it is where a Job of this name would be.
  static std::string GroupName(const Submitted& job) { return "job-" + job.name; }

  bool FindWorkload(Submitted& job) {
    for (const json& each : fleet_.manager().server.objects().List("workloads", "ml")) {
      const std::string name = each["metadata"]["name"];
      if (job.is_group ? name != GroupName(job) : !name.starts_with("job-" + job.name + "-"))
        continue;
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
    if (!play_.cuts) CheckNothingIsPromisedTwice();
    copies_.Check();
  }

  // Once the last of those in line has waited.
  void FreeDevices() {
    const WallTime waited = jobs_.back().has_quota + 2 * kAtOnce;
    while (SystemClock().Now() < waited) Step();
    for (const std::string& name : workers_)
      REQUIRE(fleet_.Find(name)->server.objects().Delete("resourceclaims", others_));
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

  std::string Origin() const { return tracking::TakesOver(play_.mode) ? "multikueue" : "fedra"; }

  // As an administrator has set it up for MultiKueue.
  void UseMultiKueuesCheck() {
    constexpr const char* kKueue = "kueue.x-k8s.io/v1beta2";
    sim::Objects objects = fleet_.manager().server.objects();
    REQUIRE(objects.Create({{"apiVersion", kKueue},
                            {"kind", "MultiKueueConfig"},
                            {"metadata", {{"name", "all"}}},
                            {"spec", {{"clusters", workers_}}}}));
    REQUIRE(objects.Delete("admissionchecks", {"", "fedra"}));
    REQUIRE(objects.Create(
        {{"apiVersion", kKueue},
         {"kind", "AdmissionCheck"},
         {"metadata", {{"name", "fedra"}}},
         {"spec",
          {{"controllerName", std::string(tracking::kMultiKueueController)},
           {"parameters",
            {{"apiGroup", "kueue.x-k8s.io"}, {"kind", "MultiKueueConfig"}, {"name", "all"}}}}}}));
  }

  void Delete() {
    Submitted& job = jobs_[static_cast<size_t>(Draw(0, static_cast<int>(jobs_.size()) - 1))];
    if (job.deleted || IsFinished(job)) return;
    job.deleted = true;
    if (job.is_group) {  // as users end one
      REQUIRE(fleet_.manager().server.objects().Delete("workloads", job.workload));
    } else {
      REQUIRE(fleet_.manager().server.objects().Delete("jobs", {"ml", job.name}));
    }
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
    const std::string_view end = job.is_group ? "Finished" : "Complete";
    const auto object = job.is_group
                            ? fleet_.manager().server.objects().Get("workloads", job.workload)
                            : fleet_.manager().server.objects().Get("jobs", {"ml", job.name});
    if (!object) return job.deleted;
    const json conditions = object->value("/status/conditions"_json_pointer, json::array());
    return std::any_of(conditions.begin(), conditions.end(),
                       [&](const json& one) { return one["type"] == end; });
  }

  // When each of its attempts was decided.
  std::vector<WallTime> Dispatches(const Submitted& job) {
    std::vector<WallTime> dispatches;
    WallTime before{};
    const auto rows = store_->Read().value()->Attempts(job.uid).value();
    for (const store::AttemptRow& row : rows) {
      dispatches.push_back(telemetry_.BehindRecord(job.workload, before, row.started_at));
      before = row.started_at;
    }
    return dispatches;
  }

  // When it was dispatched for the first time; nothing: never.
  std::optional<WallTime> DispatchedAt(const Submitted& job) {
    const auto dispatches = Dispatches(job);
    if (dispatches.empty()) return std::nullopt;
    return dispatches.front();
  }

  // From when on it waits for no worker any more.
  WallTime LeftLineAt(const Submitted& job) {
    WallTime left{};
    if (const auto dispatches = Dispatches(job); !dispatches.empty()) left = dispatches.back();
    const auto rows = store_->Read().value()->FindWorkloads(job.workload).value();
    for (const auto& row : rows) left = std::max(left, row.removed_at.value_or(left));
    return left;
  }

  // No two jobs may leave in the wrong order of which the later one needs as much as the other:
  // that one would have fitted. Under Strict no two at all.
  void CheckOrder() {
    REQUIRE(store_->Flush());
    int waited = 0;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      const Submitted& first = jobs_[i];
      const auto first_left = DispatchedAt(first);
      if (first.deleted || !first_left) continue;
      if (*first_left > first.has_quota + kAtOnce) ++waited;
      for (size_t k = i + 1; k < jobs_.size(); ++k) {
        const auto left = DispatchedAt(jobs_[k]);
        if (!left || *left >= *first_left) continue;
        INFO(jobs_[k].name << " passed " << first.name << "\n" << Print());
        CHECK(play_.policy != OrderPolicy::kStrict);
        CHECK(jobs_[k].pods < first.pods);
      }
      if (play_.policy == OrderPolicy::kBackfill) CheckBound(i, *first_left);
    }
    CHECK(waited > 0);
  }

  // Once it was the first in line it was passed no more often than allowed, by each run of fedra:
  // they count for themselves.
  void CheckBound(size_t first, WallTime first_left) {
    WallTime head_since{};
    for (size_t i = 0; i < first; ++i) head_since = std::max(head_since, LeftLineAt(jobs_[i]));
    int before_restart = 0;
    int after_restart = 0;
    for (size_t k = first + 1; k < jobs_.size(); ++k) {
      for (const WallTime left : Dispatches(jobs_[k])) {
        if (left <= head_since || left >= first_left) continue;
        ++(left < restarted_at_ ? before_restart : after_restart);
      }
    }
    INFO(jobs_[first].name << "\n" << Print());
    CHECK(before_restart <= kMaxPasses);
    CHECK(after_restart <= kMaxPasses);
  }

  std::string Print() {
    std::string text;
    for (const Submitted& job : jobs_) {
      const auto left = DispatchedAt(job);
      text +=
          fmt::format("{} of {} pods{}{}{}: quota {}, left {}; decided", job.name, job.pods,
                      job.is_group ? ", a group" : "", job.deleted ? ", deleted" : "",
                      IsFinished(job) ? ", finished" : "", job.has_quota.time_since_epoch().count(),
                      left ? left->time_since_epoch().count() : 0);
      const auto decided = telemetry_.Of(job.workload);
      for (const WallTime at : decided) text += fmt::format(" {}", at.time_since_epoch().count());
      text += "; records";
      const auto attempts = store_->Read().value()->Attempts(job.uid).value();
      for (const store::AttemptRow& row : attempts)
        text += fmt::format(" {}", row.started_at.time_since_epoch().count());
      text += "\n";
    }
    return text;
  }

  const std::vector<std::string> workers_ = {"worker1", "worker2"};
  const ObjectKey others_{"ml", "others"};

  std::mt19937 random_;
  const Play play_;
  const tracking::JobKindsPtr kinds_ = std::make_shared<const tracking::JobKinds>(
      std::vector<tracking::KindRow>(), /*pods=*/play_.groups);
  WallTime restarted_at_{};
  const TempFolder folder_;
  sim::Fleet fleet_{{.threads = 2}};
  CopiesOnWorkers copies_{fleet_, workers_, Origin()};
  Threads threads_{4};
  Decisions telemetry_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Federation> federation_;
  std::vector<Submitted> jobs_;
};

}  // namespace

TEST_CASE("jobs that want the same devices of several workers all run, in order, none twice") {
  const auto play =
      GENERATE(Play{OrderPolicy::kStrict, 1, false}, Play{OrderPolicy::kStrict, 1, true},
               Play{OrderPolicy::kBackfill, 1, false}, Play{OrderPolicy::kBackfill, 1, true},
               Play{OrderPolicy::kBestEffort, 1, false}, Play{OrderPolicy::kBestEffort, 1, true},
               Play{OrderPolicy::kBackfill, 8, false}, Play{OrderPolicy::kBackfill, 8, true},
               Play{OrderPolicy::kStrict, 1, false, /*groups=*/true},
               Play{OrderPolicy::kBackfill, 8, true, /*groups=*/true},
               Play{OrderPolicy::kBackfill, 1, false, false, tracking::Mode::kMultiKueue},
               Play{OrderPolicy::kBestEffort, 8, true, false, tracking::Mode::kMultiKueue});
  for (unsigned i = 0; i < Histories(1); ++i) {
    const unsigned seed = 6 * i + static_cast<unsigned>(play.policy) * 2 + (play.cuts ? 1 : 0);
    INFO(ToString(play.policy) << ", threads " << play.threads << ", cuts " << play.cuts
                               << ", groups " << play.groups << ", mode "
                               << tracking::ToString(play.mode) << ", seed " << seed);
    History(seed, play).Run();
  }
}

}  // namespace fedra::reconcile::order_history_test
