// Random histories of several workloads that want the same devices, several workers, and
// reservations: what two threads decide at the same time must never promise a device twice.

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/placement/workers_after.h"
#include "manager/reconcile/in_flight.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/world.h"

using namespace fedra;
using namespace fedra::placement;
using fedra::placement::testing::World;
using reconcile::InFlight;
using reconcile::Sent;

namespace {

constexpr int kSteps = 250;
constexpr int kHistories = 150;

// One workload: its own world (manager, workers, record), and a thread's look that is not carried
// out yet.
struct Contender {
  World world;
  ObjectKey key;
  int need = 1;                   // devices
  std::set<std::string> holding;  // workers on which its pods have them

  struct Look {
    Decision decision;
    uint64_t version = 0;
  };
  std::optional<Look> look = std::nullopt;
};

class History final {
 public:
  explicit History(unsigned seed) : random_(seed) {
    Policy policy;
    policy.kind = Pick(3) == 0 ? PolicyKind::kRace : PolicyKind::kBest;
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
      contenders_.push_back(std::move(contender));
    }
  }

  void Run() {
    for (int step = 0; step < kSteps; ++step) {
      Contender& one = contenders_[static_cast<size_t>(Pick(static_cast<int>(contenders_.size())))];
      Act(one);
      CheckNothingIsPromisedTwice();
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
        one.world.Advance(std::chrono::seconds(10));
        CheckNothingIsPromisedTwice();
      }
    }
    INFO(Print());
    CHECK(AllFinished());
  }

  int outdated() const { return outdated_; }

 private:
  int Pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  void Act(Contender& one) {
    const std::string worker = fmt::format("w{}", Pick(static_cast<int>(devices_.size())));
    switch (Pick(8)) {
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
      default:
        one.world.RunManagerKueue();
        one.world.ReserveQuota();
        one.world.Advance(std::chrono::seconds(Pick(20)));
        return Changed(one);
    }
  }

  // What a thread does before it reserves: verdicts on what is free now, and a decision.
  void Gather(Contender& one) {
    Contender::Look look;
    look.version = in_flight_.version();
    for (const auto& [worker, count] : devices_) {
      int free = count;
      for (const Contender& other : contenders_) {
        if (&other != &one && other.holding.contains(worker)) free -= other.need;
      }
      for (const Sent& sent : in_flight_.On(ClusterName(worker), one.key)) {
        const Contender& other = Of(sent.workload);
        if (!other.holding.contains(worker)) free -= other.need;
      }
      dra::Verdict verdict;
      verdict.outcome = free >= one.need ? dra::Outcome::kYes : dra::Outcome::kNo;
      // A job that is there already is not judged again.
      if (one.world.worker(worker).job != nullptr) verdict.outcome = dra::Outcome::kYes;
      one.world.SetVerdict(worker, std::move(verdict));
    }
    look.decision = one.world.Look();
    one.look = std::move(look);
  }

  // Reserves and carries out what was decided; what was decided on an older state is dropped, as
  // the API server's conflict drops it.
  void Carry(Contender& one) {
    if (!one.look) return;
    const Contender::Look look = *std::exchange(one.look, std::nullopt);
    std::set<ClusterName> settled;
    for (const std::string& worker : one.holding) settled.insert(ClusterName(worker));
    const auto result = in_flight_.Settle(
        Sent{.workload = one.key, .job = one.key, .claims = {}, .demands = nullptr, .since = {}},
        WorkersAfter(one.world.workers(), look.decision), settled, look.version);
    if (result.outcome == InFlight::Outcome::kOutdated) {
      ++outdated_;
      return;
    }
    one.world.CarryOut(look.decision);
    for (const auto& [worker, count] : devices_) {
      if (one.world.worker(worker).job == nullptr) one.holding.erase(worker);
    }
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
  void Changed(Contender& one) { one.look.reset(); }

  const Contender& Of(const ObjectKey& key) const {
    for (const Contender& one : contenders_) {
      if (one.key == key) return one;
    }
    FAIL("unknown workload " << key.ToString());
    return contenders_.front();
  }

  bool IsReserved(const Contender& one, const std::string& worker) const {
    const std::vector<Sent> all = in_flight_.On(ClusterName(worker), {});
    return std::any_of(all.begin(), all.end(),
                       [&](const Sent& sent) { return sent.workload == one.key; });
  }

  // Devices of the worker that pods hold, or that are kept for pods to come.
  int Promised(const std::string& worker) const {
    int promised = 0;
    for (const Contender& one : contenders_) {
      if (one.holding.contains(worker) || IsReserved(one, worker)) promised += one.need;
    }
    return promised;
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
  InFlight in_flight_;
  int outdated_ = 0;
};

}  // namespace

TEST_CASE("several workloads that want the same devices: none is promised twice, all end") {
  int outdated = 0;
  for (unsigned seed = 1; seed <= kHistories; ++seed) {
    CAPTURE(seed);
    History history(seed);
    history.Run();
    history.RunToTheEnd();
    outdated += history.outdated();
  }
  // Else no two looks ever overlapped, and nothing was tested.
  CHECK(outdated > 0);
}
