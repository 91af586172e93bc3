// Random histories of several workloads that want the same devices, several workers, and
// reservations: what two threads decide at the same time must never promise a device twice, and
// a daemon that starts anew from the API objects assumes the same and judges the same.

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/placement/assumption.h"
#include "manager/reconcile/assume_cache.h"
#include "manager/reconcile/reserve.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::contention_test {

using fedra::placement::testing::World;
using reconcile::AssumeCache;
using reconcile::ReserveRequest;

namespace {

constexpr int kSteps = 250;
constexpr int kHistories = 100;

// One workload: its own world (manager, workers, record), and a thread's look that is not carried
// out yet.
struct Contender {
  World world;
  ObjectKey key;
  int need = 1;                   // devices
  std::set<std::string> holding;  // workers on which its pods have them

  struct Look {
    Decision decision;
    std::map<std::string, uint64_t> as_of;  // of each worker's assumptions
  };
  std::optional<Look> look = std::nullopt;
};

class History final {
 public:
  explicit History(unsigned seed) : random_(seed) {
    Policy policy;
    policy.kind = Pick(3) == 0 ? DispatchPolicy::kRace : DispatchPolicy::kBest;
    policy.candidates = 1 + Pick(2);
    policy_ = policy;
    const int workers = 1 + Pick(3);
    for (int i = 0; i < workers; ++i) devices_[fmt::format("w{}", i)] = 2 + Pick(3);
    std::vector<std::string> names;
    for (const auto& [name, count] : devices_) names.push_back(name);
    const int workloads = 2 + Pick(4);
    for (int i = 0; i < workloads; ++i) {
      Contender contender{World(names, policy), {"ml", fmt::format("job-{}", i)}, 1 + Pick(2), {}};
      contender.world.ReserveQuota();
      dra::PodDemand demand;
      demand.name = contender.key.name;
      demand.count = contender.need;  // a pod for each device
      contender.world.workload().requirement.demands =
          std::make_shared<const std::vector<dra::PodDemand>>(1, demand);
      contenders_.push_back(std::move(contender));
    }
    offset_ = clock_.Now() - contenders_.front().world.now();
    caches_ = Start();
  }

  void Run() {
    for (int step = 0; step < kSteps; ++step) {
      Contender& one = contenders_[static_cast<size_t>(Pick(static_cast<int>(contenders_.size())))];
      Act(one);
      CheckAll();
    }
  }

  // From here on only good things happen: every workload must come to its end.
  void RunToTheEnd() {
    for (int round = 0; round < 200 && !AllFinished(); ++round) {
      for (Contender& one : contenders_) {
        Gather(one);
        Carry(one);
        one.world.RunManagerKueue();
        one.world.ReserveQuota();
        for (const auto& [worker, count] : devices_) {
          one.world.Admit(worker);
          Bind(one, worker);
        }
        for (const auto& [worker, count] : devices_) End(one, worker);
        Advance(std::chrono::seconds(10));
        Observe(one);
        CheckAll();
      }
    }
    INFO(Print());
    CHECK(AllFinished());
  }

  int outdated() const { return outdated_; }
  int kept_over_restart() const { return kept_over_restart_; }

 private:
  int Pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  void Act(Contender& one) {
    const std::string worker = fmt::format("w{}", Pick(static_cast<int>(devices_.size())));
    switch (Pick(9)) {
      case 0:
      case 1:
        return Gather(one);
      case 2:
      case 3:
        return Carry(one);
      case 4:
        one.world.Admit(worker);
        return Changed(one);
      case 5:
        return Bind(one, worker);
      case 6:
        if (Pick(2) == 0) return End(one, worker);
        one.world.EvictOn(worker);
        one.holding.erase(worker);
        return Changed(one);
      case 7:
        // kill -9, in the middle of what is being carried out if there is anything.
        if (Pick(3) > 0) return;
        Carry(one, static_cast<size_t>(Pick(4)));
        return Restart();
      default:
        one.world.RunManagerKueue();
        one.world.ReserveQuota();
        // What a crash left half done is looked at first.
        if (EveryNominationHasItsClone()) Advance(std::chrono::seconds(Pick(10) ? Pick(20) : 400));
        return Changed(one);
    }
  }

  // What a thread does before it reserves: verdicts on what is free now, and a decision.
  void Gather(Contender& one) {
    Contender::Look look;
    for (const auto& [worker, count] : devices_) {
      look.as_of[worker] = caches_.at(worker)->version();
      const int free = Free(*caches_.at(worker), one, worker);
      verdict::Verdict verdict;
      verdict.outcome = free >= one.need ? verdict::Outcome::kYes : verdict::Outcome::kNo;
      // A job that is there already is not judged again.
      if (one.world.worker(worker).job != nullptr) verdict.outcome = verdict::Outcome::kYes;
      one.world.SetVerdict(worker, std::move(verdict));
    }
    look.decision = one.world.Look();
    one.look = std::move(look);
  }

  // Of the devices there, as it is judged for this one.
  int Free(const AssumeCache& cache, const Contender& one, const std::string& worker) const {
    int free = devices_.at(worker);
    for (const Contender& other : contenders_) {
      if (&other != &one && other.holding.contains(worker)) free -= other.need;
    }
    const dra::AssumedList others = cache.Others(one.key);
    for (const dra::AssumedPods& pods : *others) free -= pods.count;
    return free;
  }

  // Reserves and carries out what was decided; what was decided on an older
  // state is dropped, as the API server's conflict drops it.
  void Carry(Contender& one, size_t limit = SIZE_MAX) {
    if (!one.look) return;
    const Contender::Look look = *std::exchange(one.look, std::nullopt);
    ReserveRequest wanted;
    wanted.assumption = ReservationOf(one);
    wanted.dispatched = DispatchedBy(look.decision);
    wanted.all_count = Pick(2) == 0;
    for (const auto& [worker, as_of] : look.as_of) {
      const auto& cache = caches_.at(worker);
      wanted.judged[ClusterName(worker)] = {cache.get(), {as_of}};
      wanted.places[ClusterName(worker)] = cache.get();
    }
    if (!reconcile::ReserveOnAll(wanted).made) {
      ++outdated_;
      return;
    }
    CheckNothingIsPromisedTwice();
    one.world.CarryOut(look.decision, limit);
    for (const auto& [worker, count] : devices_) {
      if (one.world.worker(worker).job == nullptr) one.holding.erase(worker);
    }
    Observe(one);
  }

  Assumption ReservationOf(const Contender& one) const {
    return Named(AssumptionOf(one.world.View()), one);
  }
  // The worlds know one workload each, of one name, and have a time of their own.
  Assumption Named(Assumption assumption, const Contender& one) const {
    assumption.workload = one.key;
    assumption.job = {"Job.batch", one.key};
    if (assumption.since) *assumption.since += offset_;
    return assumption;
  }

  // What the watches show.
  void Observe(const Contender& one, const std::string& worker, AssumeCache& cache) const {
    cache.Observe(one.key, [&]() -> std::optional<Assumption> {
      for (const ClusterView& cluster : one.world.Seen()) {
        if (cluster.name.value != worker) continue;
        auto assumption = AssumptionOn(one.world.View(), cluster);
        if (assumption) return Named(*std::move(assumption), one);
      }
      return std::nullopt;
    });
  }
  void Observe(const Contender& one) {
    ++pods_version_;
    for (const auto& [worker, cache] : caches_) Observe(one, worker, *cache);
  }

  using Caches = std::map<std::string, std::unique_ptr<AssumeCache>>;
  // A fresh instance, which has nothing but the API objects.
  Caches Start() const {
    Caches caches;
    for (const auto& [name, count] : devices_) {
      const auto holding = [this, worker = name](const tracking::JobKey& job) {
        const Contender& one = Of(job.key);
        return std::map<std::string, int>{{"", one.holding.contains(worker) ? one.need : 0}};
      };
      auto cache = std::make_unique<AssumeCache>(
          AssumeCache::Pods{.version = [this] { return pods_version_; }, .holding = holding},
          clock_);
      for (const Contender& one : contenders_) Observe(one, name, *cache);
      caches.emplace(name, std::move(cache));
    }
    return caches;
  }
  void Restart() {
    caches_ = Start();
    for (Contender& one : contenders_) {
      Changed(one);
      one.world.Restart();
      for (const auto& [worker, cache] : caches_)
        kept_over_restart_ += IsReserved(one, worker) ? 1 : 0;
    }
  }

  void Advance(std::chrono::seconds time) {
    clock_.Advance(time);
    for (Contender& one : contenders_) one.world.Advance(time);
  }
  // The age of a nomination alone is not known to a fresh instance: it counts from the start.
  bool EveryNominationHasItsClone() const {
    return std::all_of(contenders_.begin(), contenders_.end(), [](const Contender& one) {
      const auto seen = one.world.Seen();
      return std::all_of(seen.begin(), seen.end(), [&](const ClusterView& cluster) {
        const auto assumption = AssumptionOn(one.world.View(), cluster);
        return !assumption || assumption->since;
      });
    });
  }

  // Its pods get their devices: those reserved for it, or any that are free. The latter happens
  // when an evicted copy is admitted again, and is seen by every later look.
  void Bind(Contender& one, const std::string& worker) {
    const ClusterView& there = one.world.worker(worker);
    const bool runs = there.job != nullptr && !there.job->finished && there.clone != nullptr &&
                      there.clone->Admitted();
    if (!runs || one.holding.contains(worker)) return;
    if (!IsReserved(one, worker)) {
      if (Promised(worker) + one.need > devices_.at(worker)) return;
      for (Contender& other : contenders_) Changed(other);
    }
    one.holding.insert(worker);
    Changed(one);
  }

  void End(Contender& one, const std::string& worker) {
    if (one.holding.contains(worker) && one.world.Finish(worker)) one.holding.erase(worker);
    Changed(one);
  }

  // A look at what is no longer so would be answered with a conflict.
  void Changed(Contender& one) {
    one.look.reset();
    Observe(one);
  }

  const Contender& Of(const ObjectKey& key) const {
    for (const Contender& one : contenders_) {
      if (one.key == key) return one;
    }
    FAIL("unknown workload " << key.ToString());
    return contenders_.front();
  }

  bool IsReserved(const Contender& one, const std::string& worker) const {
    const dra::AssumedList all = caches_.at(worker)->Others({});
    return std::any_of(all->begin(), all->end(), [&](const dra::AssumedPods& pods) {
      return pods.demand->name == one.key.name;
    });
  }

  // Devices of the worker that pods hold, or that are kept for pods to come.
  int Promised(const std::string& worker) const {
    int promised = 0;
    for (const Contender& one : contenders_) {
      const bool reserved = IsReserved(one, worker) && !HasWonElsewhere(one, worker);
      if (one.holding.contains(worker) || reserved) promised += one.need;
    }
    return promised;
  }

  // After a crash among the removals of the other copies a nomination is left over, until the next
  // look. It keeps devices from others, and gets none itself: the winner stays the winner.
  static bool HasWonElsewhere(const Contender& one, const std::string& worker) {
    bool here = false, elsewhere = false;
    for (const ClusterView& cluster : one.world.Seen()) {
      if (cluster.clone == nullptr) continue;
      here |= cluster.name.value == worker;
      elsewhere |= cluster.name.value != worker && cluster.clone->Admitted();
    }
    return elsewhere && !here;
  }

  void CheckAll() {
    CheckNothingIsPromisedTwice();
    CheckAFreshInstanceAssumesTheSame();
  }

  // "job-0:2 job-1:1"
  static std::string Coming(const AssumeCache& cache, const ObjectKey& for_whom) {
    std::string text;
    const dra::AssumedList others = cache.Others(for_whom);
    for (const dra::AssumedPods& pods : *others)
      text += fmt::format("{}:{} ", pods.demand->name, pods.count);
    return text;
  }

  void CheckAFreshInstanceAssumesTheSame() {
    const Caches fresh = Start();
    for (const auto& [worker, cache] : caches_) {
      INFO(worker << "\n" << Print());
      REQUIRE(Coming(*cache, {}) == Coming(*fresh.at(worker), {}));
      for (const Contender& one : contenders_) {
        REQUIRE(Coming(*cache, one.key) == Coming(*fresh.at(worker), one.key));
        REQUIRE(Free(*cache, one, worker) == Free(*fresh.at(worker), one, worker));
      }
    }
  }

  void CheckNothingIsPromisedTwice() {
    for (const auto& [name, count] : devices_) {
      INFO(name << " has " << count << " devices\n" << Print());
      REQUIRE(Promised(name) <= count);
    }
  }

  bool AllFinished() {
    return std::all_of(contenders_.begin(), contenders_.end(),
                       [](Contender& one) { return one.world.workload().Finished(); });
  }

  std::string Print() {
    std::string text;
    for (Contender& one : contenders_) {
      text += fmt::format(
          "{} needs {}, clones on {}, job on {}, holds on {}: {}\n", one.key.ToString(), one.need,
          fmt::join(one.world.WorkersWithClone(), ","), fmt::join(one.world.WorkersWithJob(), ","),
          fmt::join(one.holding, ","), one.world.Message());
    }
    return text;
  }

  std::mt19937 random_;
  Policy policy_;
  std::map<std::string, int> devices_;  // of each worker
  std::vector<Contender> contenders_;
  HandClock clock_;
  WallTime::duration offset_{};  // from the worlds' time to the clock's
  uint64_t pods_version_ = 0;
  Caches caches_;  // by worker
  int outdated_ = 0;
  int kept_over_restart_ = 0;
};

}  // namespace

TEST_CASE("several workloads that want the same devices: none is promised twice, all end") {
  int outdated = 0, kept_over_restart = 0;
  for (unsigned seed = 1; seed <= kHistories; ++seed) {
    CAPTURE(seed);
    History history(seed);
    history.Run();
    history.RunToTheEnd();
    outdated += history.outdated();
    kept_over_restart += history.kept_over_restart();
  }
  // Else no two looks ever overlapped, and nothing was tested.
  CHECK(outdated > 0);
  CHECK(kept_over_restart > 0);
}

}  // namespace fedra::placement::contention_test
