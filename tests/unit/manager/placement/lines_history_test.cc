// Random histories of many waiting jobs against the rules of lines.h, as a naive model knows them:
// who competes with whom, and what fits, is counted from the devices themselves.

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "manager/placement/lines.h"
#include "tests/support/catch.h"
#include "tests/support/histories.h"

namespace fedra::placement::lines_history_test {
namespace {

using Chance = Bid::Chance;

constexpr WallTime kStart{std::chrono::seconds(100)};

struct Job {
  Contender contender;
  QueueRank rank;  // as the lines have it
  int need = 1;
  std::set<int> kinds;  // of devices that serve it
  bool waits = false;
  bool withdrawn = false;         // lost its quota while it waited
  bool dispatched = false;        // and not admitted yet
  bool lacks_other = false;       // something else than devices is missing
  std::optional<ClusterName> on;  // where it was dispatched to, and its time is over

  const OrderSettings& order() const { return contender.order; }
};

// What a look has seen, and not said yet.
struct Look {
  Bids bids;
  uint64_t seen = 0;
  std::optional<Contender> contender = std::nullopt;  // none: it looks for no worker
};

struct Device {
  uint64_t id;
  int kind;
  bool taken = false;
};

struct HistoryOptions {
  uint32_t seed = 1;
  std::optional<OrderPolicy> policy;  // absent: each job has one of its own
  bool churn = false;                 // devices change before every look, though none becomes free
  bool shares = false;                // queues have weights
  // Workers go out of reach and return, devices come and go, jobs are deleted, weights change.
  bool changes = false;
};

// Workers with devices of a few kinds, jobs that want some of one worker at once, and looks in
// random order, as many threads make them: between what a look sees and what it says others act.
class Cluster {
 public:
  explicit Cluster(const HistoryOptions& options)
      : random_(options.seed),
        policy_(options.policy),
        churn_(options.churn),
        shares_(options.shares),
        changes_(options.changes) {
    for (int i = Draw(1, 3); i > 0; --i) {
      auto& devices = workers_[ClusterName("w" + std::to_string(i))];
      for (int n = Draw(1, 6); n > 0; --n) devices.push_back({++last_device_, Draw(0, 2)});
    }
  }

  void Run(int events) {
    for (int i = 0; i < events; ++i) {
      const int what = Draw(0, 99);
      if (what < 20) Submit();
      if (what < 30) Finish();
      if (what < 35) Evict();
      if (what < 45) Invalidate();
      if (what % 10 == 5) WithdrawOrComeBack();
      if (what == 50) Restart();
      if (what > 50) SayAny();
      if (what > 50 && Draw(0, 2) > 0) LookAtAny();
      if (what > 75) SayAny();
      if (changes_ && Draw(0, 9) == 0) Change();
    }
    while (!out_of_reach_.empty()) {
      const ClusterName worker = *out_of_reach_.begin();
      Return(worker);
    }
    for (auto& [key, job] : jobs_) {
      if (job.lacks_other) Toggle(job);
      if (job.withdrawn) ComeBack(job);
    }
    while (!running_.empty() || !queue_.empty() || !looks_.empty()) {
      while (!queue_.empty() || !looks_.empty()) {
        LookAtAny();
        SayAny();
      }
      CheckAtRest();
      Finish();
    }
    for (const auto& [key, job] : jobs_) REQUIRE_FALSE((job.waits && CanEverRun(job)));
    if (!churn_) REQUIRE(inversions_ == 0);
  }

 private:
  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  void Submit() {
    const int number = ++submitted_;
    const bool gang = Draw(1, 4) == 4;
    Job job;
    job.contender = {.rank = {.priority = Draw(0, 1),
                              .since = WallTime{std::chrono::seconds(number)},
                              .workload = {"ml", "j" + std::to_string(number)}},
                     .reserved_at = now_,
                     .order = {.policy = policy_.value_or(static_cast<OrderPolicy>(Draw(0, 2))),
                               .max_passes = kPasses,
                               .max_wait = kWait}};
    job.need = gang ? Draw(2, 4) : 1;
    for (int n = Draw(1, 2); n > 0; --n) job.kinds.insert(Draw(0, 2));
    if (shares_) {
      const auto& [queue, weight] = *std::next(weights_.begin(), Draw(0, 2));
      job.contender.share = Share{queue, weight, job.need + 0.0};
      if (queue != "q0")
        job.contender.share->local =
            LocalShare{"ml/" + std::to_string(Draw(0, 2)), Draw(0, 2) + 0.0};
      // Some come back: they have waited for longer than others of their queue.
      if (Draw(0, 4) == 0) job.contender.rank.since -= std::chrono::seconds(Draw(1, 20));
    }
    job.rank = job.contender.rank;
    job.waits = true;
    Wake(lines_.Join(job.contender));
    queue_.insert(job.contender.rank.workload);
    jobs_.emplace(job.contender.rank.workload, job);
  }

  void Wake(const std::vector<ObjectKey>& keys) { queue_.insert(keys.begin(), keys.end()); }

  Job* AnyOf(bool Job::* state) {
    std::vector<Job*> found;
    for (auto& [key, job] : jobs_)
      if (job.*state) found.push_back(&job);
    return found.empty() ? nullptr
                         : found[static_cast<size_t>(Draw(0, static_cast<int>(found.size()) - 1))];
  }

  // Its quota is taken, and given again at once.
  void Evict() {
    Job* job = AnyOf(&Job::waits);
    if (job == nullptr || job->on) return;
    const ObjectKey key = job->contender.rank.workload;
    Wake(lines_.Leave(key));
    passes_.erase(key);
    looks_.erase(key);
    job->contender.reserved_at = now_;
    job->rank = job->contender.rank;
    Wake(lines_.Join(job->contender));
    queue_.insert(key);
  }

  // Its quota is taken, and given again after a while; or before a look sees that it was away.
  void Withdraw() {
    Job* job = AnyOf(&Job::waits);
    if (job == nullptr || job->on) return;
    job->waits = false;
    job->withdrawn = true;
    queue_.insert(job->contender.rank.workload);
  }
  void ComeBack(Job& job) {
    job.withdrawn = false;
    job.waits = true;
    job.contender.reserved_at = now_;
    job.rank = job.contender.rank;
    Wake(lines_.Join(job.contender));
    queue_.insert(job.contender.rank.workload);
    if (shares_) ReadRanks();
  }
  void WithdrawOrComeBack() {
    Job* job = AnyOf(&Job::withdrawn);
    if (job == nullptr || Draw(0, 2) == 0) return Withdraw();
    ComeBack(*job);
  }

  // Something else that it asks for has come or gone, or was only said to.
  void Invalidate() {
    Job* job = AnyOf(&Job::waits);
    if (job != nullptr) Toggle(*job);
  }
  void Toggle(Job& job) {
    if (job.waits && Draw(0, 1) == 0) passes_.erase(job.contender.rank.workload);
    job.lacks_other = !job.lacks_other && Draw(0, 1) == 0;
    lines_.Invalidate(job.contender.rank.workload, std::nullopt);
    queue_.insert(job.contender.rank.workload);
  }

  void Restart() {
    lines_ = Lines();
    passes_.clear();
    looks_.clear();
    for (auto& [key, job] : jobs_) {
      if (!job.waits && !job.dispatched) continue;
      job.rank = job.contender.rank;
      if (job.on) job.waits = job.contender.overdue = false;  // until a look knows it again
      Wake(lines_.Join(job.contender));
      queue_.insert(key);
    }
  }

  void Change() {
    const ClusterName worker =
        std::next(workers_.begin(), Draw(0, static_cast<int>(workers_.size()) - 1))->first;
    switch (Draw(0, 4)) {
      case 0:
        return out_of_reach_.contains(worker) ? Return(worker) : Cut(worker);
      case 1:
        return AddDevice(worker);
      case 2:
        return TakeDeviceAway(worker);
      case 3:
        return Delete();
      default:
        return ChangeWeight();
    }
  }

  // What each wants there is judged anew, as after every change of contact.
  void LookAgain(const ClusterName& worker) {
    for (const auto& [key, job] : jobs_) {
      if (!job.waits) continue;
      lines_.Invalidate(key, worker);
      queue_.insert(key);
    }
  }
  void Cut(const ClusterName& worker) {
    out_of_reach_.insert(worker);
    // Some notice; to the others it makes no difference yet.
    for (const auto& [key, job] : jobs_)
      if (job.waits && Draw(0, 1) == 0) queue_.insert(key);
  }
  void Return(const ClusterName& worker) {
    out_of_reach_.erase(worker);
    if (missed_changes_.erase(worker) > 0) Offer(worker);
    LookAgain(worker);
  }

  void AddDevice(const ClusterName& worker) {
    workers_.at(worker).push_back({++last_device_, Draw(0, 2)});
    Offer(worker);
  }
  void TakeDeviceAway(const ClusterName& worker) {
    auto& devices = workers_.at(worker);
    const auto free = std::find_if(devices.begin(), devices.end(),
                                   [](const Device& device) { return !device.taken; });
    if (free == devices.end()) return;
    devices.erase(free);
    Offer(worker);
  }
  // Which devices there are has changed.
  void Offer(const ClusterName& worker) {
    std::erase_if(sets_, [&](const auto& set) { return set.first.first == worker; });
    if (out_of_reach_.contains(worker)) {
      missed_changes_.insert(worker);
      return;
    }
    lines_.Offered(worker, ++freed_[worker]);
    for (const auto& [key, job] : jobs_)
      if (job.waits) queue_.insert(key);
  }

  void Delete() {
    Job* job = AnyOf(&Job::waits);
    if (job == nullptr || job->on) return;
    job->waits = false;
    looks_.erase(job->contender.rank.workload);
    Wake(lines_.Leave(job->contender.rank.workload));
    if (shares_) ReadRanks();  // those behind it take its turns
  }

  void ChangeWeight() {
    if (!shares_) return;
    const auto queue = std::next(weights_.begin(), Draw(0, 2));
    queue->second = Draw(0, 4);
    for (auto& [key, job] : jobs_) {
      if ((!job.waits && !job.dispatched) || job.contender.share->queue != queue->first) continue;
      job.contender.share->weight = queue->second;
      Wake(lines_.Join(job.contender));
      queue_.insert(key);
    }
    ReadRanks();
  }

  // The worker refused it, or admits it.
  void End(Job& job) {
    const ObjectKey key = job.contender.rank.workload;
    job.dispatched = job.contender.dispatched = job.contender.overdue = job.waits = false;
    job.on.reset();
    looks_.erase(key);
    if (Draw(0, 3) > 0) return Wake(lines_.Leave(key));
    job.waits = true;
    Wake(lines_.Join(job.contender));
    Free(running_.find(key));
  }

  void ReadRanks() {
    for (const Standing& each : lines_.Standings(kStart))
      jobs_.at(each.rank.workload).rank = each.rank;
  }

  bool Serves(const Device& device, const Job& job) const {
    return job.kinds.contains(device.kind);
  }
  int Count(const ClusterName& worker, const Job& job, bool free_only) const {
    const auto& devices = workers_.at(worker);
    return static_cast<int>(std::count_if(devices.begin(), devices.end(), [&](const Device& each) {
      return Serves(each, job) && !(free_only && each.taken);
    }));
  }
  bool CanEverRun(const Job& job) const {
    return std::any_of(workers_.begin(), workers_.end(), [&](const auto& worker) {
      return Count(worker.first, job, false) >= job.need;
    });
  }
  bool CouldRunOn(const ClusterName& worker, const Job& job) const {
    return Count(worker, job, false) >= job.need;
  }

  Bids BidsOf(const Job& job) {
    Bids bids;
    for (const auto& [worker, devices] : workers_) {
      if (worker == job.on) continue;
      if (out_of_reach_.contains(worker)) {
        bids[worker].chance = Chance::kAway;
        continue;
      }
      const int free = Count(worker, job, true);
      std::vector<uint64_t> ids;
      for (const Device& device : devices)
        if (Serves(device, job)) ids.push_back(device.id);
      auto& set = sets_[{worker, job.kinds}];
      if (set == nullptr) set = std::make_shared<const dra::DeviceSet>(std::move(ids));
      Chance chance = free >= job.need ? Chance::kFits : Chance::kWaits;
      if (job.lacks_other || !CouldRunOn(worker, job)) chance = Chance::kNone;
      bids[worker] = {chance, freed_[worker], chance == Chance::kWaits ? job.need - free : 0, set};
    }
    return bids;
  }

  bool Compete(const ClusterName& worker, const Job& a, const Job& b) const {
    if (out_of_reach_.contains(worker)) return false;
    if (a.lacks_other || b.lacks_other || worker == a.on || worker == b.on) return false;
    if (!CouldRunOn(worker, a) || !CouldRunOn(worker, b)) return false;
    const auto& devices = workers_.at(worker);
    return std::any_of(devices.begin(), devices.end(),
                       [&](const Device& each) { return Serves(each, a) && Serves(each, b); });
  }

  // Of one job two looks are never under way.
  void LookAtAny() {
    if (queue_.empty()) return;
    const ObjectKey key = *std::next(queue_.begin(), Draw(0, static_cast<int>(queue_.size()) - 1));
    if (looks_.contains(key)) return;
    queue_.erase(key);
    Job& job = jobs_.at(key);
    now_ += std::chrono::seconds(1);
    if (job.dispatched && !job.on) {
      if (Draw(0, 2) > 0) return End(job);
      // Its worker does not admit it in time.
      job.on = running_.at(key).front().first;
      passes_.erase(key);
    }
    if (job.withdrawn) {
      looks_[key] = {{}, lines_.version(), std::nullopt};
      return;
    }
    if (!job.waits && !job.on) return;
    REQUIRE(++looked_ < 100'000);
    for (const auto& [worker, devices] : workers_) freed_[worker] += churn_ ? 1 : 0;
    looks_[key] = {BidsOf(job), lines_.version(), job.contender};
  }

  void SayAny() {
    if (looks_.empty()) return;
    const auto any = std::next(looks_.begin(), Draw(0, static_cast<int>(looks_.size()) - 1));
    const ObjectKey key = any->first;
    Look look = std::move(any->second);
    looks_.erase(any);
    Job& job = jobs_.at(key);
    if (!look.contender) {
      if (!job.waits) passes_.erase(key);
      Wake(lines_.Leave(key, look.seen));
      if (shares_) ReadRanks();
      return;
    }
    // As DispatchOrder does.
    for (auto& [worker, bid] : look.bids)
      if (bid.chance == Chance::kFits) bid.as_of = freed_[worker];
    if (job.on) job.waits = job.contender.overdue = look.contender->overdue = true;
    const Lines::Answer answer = lines_.Offer(*look.contender, look.bids, look.seen, now_);
    Wake(answer.look_at);
    if (shares_) ReadRanks();
    std::set<ClusterName> chosen;
    for (const auto& [worker, turn] : answer.workers)
      if (!turn.after && chosen.empty()) chosen.insert(worker);
    // Kept by its reservation: what it saw is not there any more.
    if (!chosen.empty() && !MayTake(*chosen.begin(), job)) {
      queue_.insert(key);
      return;
    }
    if (!chosen.empty()) Dispatch(*chosen.begin(), job);
    Wake(lines_.Conclude(key, chosen));
  }
  bool MayTake(const ClusterName& worker, const Job& job) const {
    return !out_of_reach_.contains(worker) && !job.lacks_other && !job.withdrawn &&
           Count(worker, job, true) >= job.need;
  }

  void Dispatch(const ClusterName& worker, Job& job) {
    for (auto& [key, other] : jobs_) {
      if (!other.waits || !(other.rank < job.rank) || !Compete(worker, other, job)) continue;
      INFO(job.contender.rank.workload.name << " passes " << key.name << " on " << worker.value);
      REQUIRE(other.order().policy != OrderPolicy::kStrict);
      const bool fits = Count(worker, other, true) >= other.need;
      // One that was looked at before the very last change may be passed, where changes never end.
      if (fits && IsFirst(other, worker)) ++inversions_;
      if (other.order().policy != OrderPolicy::kBackfill || !(fits || IsFirst(other, worker)))
        continue;
      if (churn_ && fits) continue;
      REQUIRE(++passes_[key] <= kPasses);
      REQUIRE(now_ - other.contender.reserved_at < kWait);
    }
    if (job.on) Free(running_.find(job.contender.rank.workload));
    int left = job.need;
    for (Device& device : workers_.at(worker)) {
      if (left == 0 || device.taken || !Serves(device, job)) continue;
      device.taken = true;
      --left;
      running_[job.contender.rank.workload].emplace_back(worker, device.id);
    }
    job.waits = job.contender.overdue = false;
    job.on.reset();
    job.dispatched = job.contender.dispatched = true;
    queue_.insert(job.contender.rank.workload);
  }

  // None that waits there is ahead of it.
  bool IsFirst(const Job& job, const ClusterName& worker) const {
    return std::none_of(jobs_.begin(), jobs_.end(), [&](const auto& other) {
      return other.second.waits && other.second.rank < job.rank &&
             Compete(worker, other.second, job);
    });
  }

  using Running = std::map<ObjectKey, std::vector<std::pair<ClusterName, uint64_t>>>;

  void Finish() {
    if (running_.empty()) return;
    const auto ended = std::next(running_.begin(), Draw(0, static_cast<int>(running_.size()) - 1));
    Job& job = jobs_.at(ended->first);
    if (job.on) return End(job);  // admitted at last, or refused
    if (!job.dispatched) Free(ended);
  }

  void Free(Running::iterator ended) {
    for (const auto& [worker, id] : ended->second) {
      for (Device& device : workers_.at(worker))
        if (device.id == id) device.taken = false;
      ++freed_[worker];
    }
    running_.erase(ended);
    for (const auto& [key, job] : jobs_)
      if (job.waits) queue_.insert(key);
  }

  // Nothing moves any more: no device is idle unless a job may keep it from others.
  void CheckAtRest() {
    const std::vector<Standing> standings = lines_.Standings(now_);
    for (const auto& [key, job] : jobs_) {
      if (!job.waits) continue;
      for (const auto& [worker, devices] : workers_) {
        if (worker == job.on || Count(worker, job, true) < job.need) continue;
        INFO(key.name << " fits on " << worker.value);
        REQUIRE(policy_ != OrderPolicy::kBestEffort);
        REQUIRE(std::any_of(standings.begin(), standings.end(), [&](const Standing& ahead) {
          const Job& other = jobs_.at(ahead.rank.workload);
          return other.rank < job.rank && Compete(worker, other, job) && MayKeep(ahead, worker);
        }));
      }
    }
  }
  bool MayKeep(const Standing& standing, const ClusterName& worker) const {
    const OrderSettings& order = jobs_.at(standing.rank.workload).order();
    if (order.policy == OrderPolicy::kBestEffort) return false;
    if (order.policy == OrderPolicy::kStrict || standing.kept == worker) return true;
    return standing.is_bound_reached;
  }

  static constexpr int kPasses = 2;
  static constexpr std::chrono::seconds kWait{60};

  std::mt19937 random_;
  const std::optional<OrderPolicy> policy_;
  const bool churn_;
  const bool shares_;
  const bool changes_;
  uint64_t last_device_ = 0;
  std::set<ClusterName> out_of_reach_;
  std::set<ClusterName> missed_changes_;  // of those: their devices are other ones by now
  std::map<std::string, double> weights_ = {{"q0", 0.5}, {"q1", 1.5}, {"q2", 2.5}};
  std::map<ClusterName, std::vector<Device>> workers_;
  std::map<std::pair<ClusterName, std::set<int>>, std::shared_ptr<const dra::DeviceSet>> sets_;
  std::map<ClusterName, uint64_t> freed_;
  std::map<ObjectKey, Job> jobs_;
  std::map<ObjectKey, int> passes_;
  std::set<ObjectKey> queue_;
  std::map<ObjectKey, Look> looks_;  // under way
  Running running_;
  WallTime now_ = kStart;
  int submitted_ = 0;
  int looked_ = 0;
  int inversions_ = 0;
  Lines lines_;
};

TEST_CASE("lines: random histories keep the order, the bound, and no device idle") {
  using Policy = std::optional<OrderPolicy>;
  const auto policy = GENERATE(Policy(OrderPolicy::kStrict), Policy(OrderPolicy::kBackfill),
                               Policy(OrderPolicy::kBestEffort), Policy());
  const bool churn = GENERATE(false, true);
  const bool shares = GENERATE(false, true);
  const bool changes = GENERATE(false, true);
  for (uint32_t seed = 1; seed <= Histories(shares ? 10 : 60); ++seed) {
    INFO("policy " << (policy ? static_cast<int>(*policy) : -1) << ", churn " << churn
                   << ", shares " << shares << ", changes " << changes << ", seed " << seed);
    Cluster({seed, policy, churn, shares, changes}).Run(200);
  }
}

}  // namespace
}  // namespace fedra::placement::lines_history_test
