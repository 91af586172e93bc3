#include "manager/placement/lines.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "tests/support/catch.h"

namespace fedra::placement {
namespace {

using Chance = Bid::Chance;
using std::chrono::minutes;

const ClusterName kEast("east");
const ClusterName kWest("west");

std::shared_ptr<const dra::DeviceSet> Devices(std::vector<uint64_t> devices) {
  return std::make_shared<const dra::DeviceSet>(std::move(devices));
}

Contender Of(const std::string& name, int second, int priority = 0, OrderSettings order = {}) {
  const WallTime since{std::chrono::seconds(second)};
  return {.rank = {.priority = priority, .since = since, .workload = {"ml", name}},
          .reserved_at = since,
          .order = order};
}

Bids On(const ClusterName& worker, Chance chance, std::shared_ptr<const dra::DeviceSet> devices,
        int missing = 0, uint64_t as_of = 1) {
  return {{worker, {chance, as_of, missing, std::move(devices)}}};
}

std::string AfterWhom(const Lines::Answer& answer, const ClusterName& worker) {
  const Turn& turn = answer.turns.at(worker);
  return turn.after ? turn.after->name : "";
}

constexpr WallTime kNow{std::chrono::seconds(100)};

Standing StandingOf(Lines& lines, const std::string& name) {
  for (Standing& standing : lines.Standings(kNow))
    if (standing.rank.workload.name == name) return standing;
  FAIL(name << " does not wait");
  return {};
}
int PassesOf(Lines& lines, const std::string& name) { return StandingOf(lines, name).passes; }

TEST_CASE("lines: who came first goes first, and wakes the next") {
  Lines lines;
  const auto gpu = Devices({1});
  lines.Join(Of("first", 1));
  const auto second = lines.Offer(Of("second", 2), On(kEast, Chance::kFits, gpu), kNow);
  CHECK(AfterWhom(second, kEast) == "first");
  CHECK(second.look_at == std::vector<ObjectKey>{{"ml", "first"}});
  lines.Conclude({"ml", "second"}, {});

  const auto first = lines.Offer(Of("first", 1), On(kEast, Chance::kFits, gpu), kNow);
  CHECK(AfterWhom(first, kEast).empty());
  CHECK(first.look_at == std::vector<ObjectKey>{{"ml", "second"}});
  lines.Offer(Of("second", 2), On(kEast, Chance::kFits, gpu), kNow);
  CHECK(lines.Conclude({"ml", "first"}, {kEast}) == std::vector<ObjectKey>{{"ml", "second"}});
  CHECK(
      AfterWhom(lines.Offer(Of("second", 2), On(kEast, Chance::kFits, gpu), kNow), kEast).empty());
}

TEST_CASE("lines: a higher priority overtakes") {
  Lines lines;
  const auto gpu = Devices({1});
  lines.Offer(Of("old", 1), On(kEast, Chance::kWaits, gpu), kNow);
  lines.Join(Of("urgent", 9, 100));
  const auto old = lines.Offer(Of("old", 1), On(kEast, Chance::kFits, gpu), kNow);
  CHECK(AfterWhom(old, kEast) == "urgent");
  lines.Offer(Of("urgent", 9, 100), On(kEast, Chance::kWaits, gpu), kNow);
  // Under Backfill, on the worker that it reserves.
  CHECK(AfterWhom(lines.Offer(Of("old", 1), On(kEast, Chance::kFits, gpu), kNow), kEast) ==
        "urgent");
}

TEST_CASE("lines: other devices are another line") {
  Lines lines;
  const OrderSettings strict{.policy = OrderPolicy::kStrict};
  lines.Offer(Of("large", 1, 0, strict), On(kEast, Chance::kWaits, Devices({1, 2})), kNow);
  const auto small =
      lines.Offer(Of("small", 2, 0, strict), On(kEast, Chance::kFits, Devices({3})), kNow);
  CHECK(AfterWhom(small, kEast).empty());
}

TEST_CASE("lines: what a gang that waits means to the smaller ones behind it") {
  const auto gpus = Devices({1, 2, 3, 4});
  const auto policy =
      GENERATE(OrderPolicy::kStrict, OrderPolicy::kBackfill, OrderPolicy::kBestEffort);
  const OrderSettings order{.policy = policy, .max_passes = 2};
  Lines lines;
  Bids gang = On(kEast, Chance::kWaits, gpus, 1);
  gang.emplace(kWest, Bid{Chance::kWaits, 1, 3, gpus});
  lines.Offer(Of("gang", 1, 0, order), gang, kNow);
  Bids fits = On(kEast, Chance::kFits, gpus);
  fits.emplace(kWest, Bid{Chance::kFits, 1, 0, gpus});
  const auto offer = [&](const std::string& name) {
    return lines.Offer(Of(name, 2, 0, order), fits, kNow);
  };
  const auto a = offer("a");
  // East is where the gang lacks least.
  CHECK(AfterWhom(a, kEast) == (policy == OrderPolicy::kBestEffort ? "" : "gang"));
  CHECK(AfterWhom(a, kWest) == (policy == OrderPolicy::kStrict ? "gang" : ""));
  if (policy != OrderPolicy::kBackfill) return;
  lines.Conclude({"ml", "a"}, {kWest});
  CHECK(PassesOf(lines, "gang") == 1);
  CHECK(AfterWhom(offer("b"), kWest).empty());
  lines.Conclude({"ml", "b"}, {kWest});
  CHECK(AfterWhom(offer("c"), kWest) == "gang");
}

TEST_CASE("lines: nobody passes one that has waited for too long") {
  const OrderSettings order{.max_passes = 100, .max_wait = minutes(1)};
  Lines lines;
  const auto gpus = Devices({1, 2});
  Bids gang = On(kEast, Chance::kWaits, gpus, 1);
  gang.emplace(kWest, Bid{Chance::kWaits, 1, 1, gpus});
  const Contender first = Of("gang", 50, 0, order);
  lines.Offer(first, gang, kNow);
  const Contender small = Of("small", 60, 0, order);
  const Bids fits = On(kWest, Chance::kFits, gpus);
  CHECK(
      AfterWhom(lines.Offer(small, fits, first.reserved_at + minutes(1) - std::chrono::seconds(1)),
                kWest)
          .empty());
  CHECK(AfterWhom(lines.Offer(small, fits, first.reserved_at + minutes(1)), kWest) == "gang");
}

TEST_CASE("lines: one judged before devices became free is looked at first") {
  const OrderSettings order{.policy = OrderPolicy::kBestEffort};
  Lines lines;
  const auto gpus = Devices({1, 2});
  lines.Offer(Of("first", 1, 0, order), On(kEast, Chance::kWaits, gpus, 1, 1), kNow);
  const auto second =
      lines.Offer(Of("second", 2, 0, order), On(kEast, Chance::kFits, gpus, 0, 2), kNow);
  CHECK(AfterWhom(second, kEast) == "first");
  CHECK(second.look_at == std::vector<ObjectKey>{{"ml", "first"}});
}

TEST_CASE("lines: one that fits and is not dispatched holds nobody") {
  Lines lines;
  const auto gpu = Devices({1});
  lines.Offer(Of("first", 1), On(kEast, Chance::kFits, gpu), kNow);
  const Bids fits = On(kEast, Chance::kFits, gpu);
  CHECK(AfterWhom(lines.Offer(Of("second", 2), fits, kNow), kEast) == "first");
  CHECK(lines.Conclude({"ml", "first"}, {}) == std::vector<ObjectKey>{{"ml", "second"}});
  CHECK(AfterWhom(lines.Offer(Of("second", 2), fits, kNow), kEast).empty());
}

TEST_CASE("lines: the worker that is kept stays kept") {
  Lines lines;
  const auto gpus = Devices({1, 2, 3, 4});
  const auto offer = [&](Chance east, int missing_east, int missing_west) {
    Bids bids = On(kEast, east, gpus, missing_east);
    bids.emplace(kWest, Bid{Chance::kWaits, 1, missing_west, gpus});
    lines.Offer(Of("gang", 1), bids, kNow);
    return StandingOf(lines, "gang").kept;
  };
  CHECK(offer(Chance::kWaits, 2, 3) == kEast);
  // What has become free in the east is not given up for the west.
  CHECK(offer(Chance::kWaits, 2, 1) == kEast);
  CHECK(offer(Chance::kNone, 0, 1) == kWest);
}

TEST_CASE("lines: one that was dispatched gets a further worker in its turn, and holds nobody") {
  Lines lines;
  const auto gpu = Devices({1});
  lines.Offer(Of("first", 1), On(kEast, Chance::kFits, gpu), kNow);
  lines.Conclude({"ml", "first"}, {kEast});
  CHECK(lines.Standings(kNow).empty());
  Contender dispatched = Of("first", 1);
  dispatched.dispatched = true;
  lines.Offer(Of("oldest", 0), On(kWest, Chance::kFits, gpu), kNow);
  const Bids west = On(kWest, Chance::kFits, gpu);
  CHECK(AfterWhom(lines.Offer(dispatched, west, kNow), kWest) == "oldest");
  lines.Conclude({"ml", "first"}, {});
  lines.Leave({"ml", "oldest"});
  CHECK(AfterWhom(lines.Offer(dispatched, west, kNow), kWest).empty());
  CHECK(AfterWhom(lines.Offer(Of("last", 2), west, kNow), kWest).empty());
}

TEST_CASE("lines: one that no worker took has lost neither its place nor its passes") {
  const OrderSettings order{.max_passes = 2};
  Lines lines;
  const auto gpus = Devices({1, 2});
  const Contender gang = Of("gang", 1, 0, order);
  Bids waits = On(kEast, Chance::kWaits, gpus, 1);
  waits.emplace(kWest, Bid{Chance::kWaits, 1, 1, gpus});
  lines.Offer(gang, waits, kNow);
  const Bids west = On(kWest, Chance::kFits, gpus);
  lines.Offer(Of("a", 2, 0, order), west, kNow);
  lines.Conclude({"ml", "a"}, {kWest});
  CHECK(PassesOf(lines, "gang") == 1);
  lines.Offer(gang, On(kEast, Chance::kFits, gpus), kNow);
  lines.Conclude({"ml", "gang"}, {kEast});
  // It refused the gang, which is judged again before anybody goes.
  lines.Join(gang);
  CHECK(AfterWhom(lines.Offer(Of("b", 2, 0, order), west, kNow), kWest) == "gang");
  lines.Offer(gang, waits, kNow);
  CHECK(PassesOf(lines, "gang") == 1);
}

TEST_CASE("lines: one in doubt holds those that want the same devices, and no others") {
  const OrderSettings order{.policy = OrderPolicy::kBestEffort};
  Lines lines;
  const auto gpu = Devices({1}), tpu = Devices({2});
  lines.Offer(Of("first", 1, 0, order), On(kEast, Chance::kWaits, gpu, 1), kNow);
  lines.Invalidate({"ml", "first"});
  const auto same = lines.Offer(Of("same", 2, 0, order), On(kEast, Chance::kFits, gpu), kNow);
  CHECK(AfterWhom(same, kEast) == "first");
  CHECK(same.look_at == std::vector<ObjectKey>{{"ml", "first"}});
  const auto other = lines.Offer(Of("other", 3, 0, order), On(kEast, Chance::kFits, tpu), kNow);
  CHECK(AfterWhom(other, kEast).empty());
}

TEST_CASE("lines: a worker that comes back is nobody's before those ahead were judged there") {
  const auto policy =
      GENERATE(OrderPolicy::kStrict, OrderPolicy::kBackfill, OrderPolicy::kBestEffort);
  const OrderSettings order{.policy = policy};
  Lines lines;
  const auto gpu = Devices({1});
  // Nothing was judged in the east while it was out of reach, or while a template was missing.
  lines.Offer(Of("first", 1, 0, order), {}, kNow);
  lines.Offer(Of("second", 2, 0, order), {}, kNow);
  lines.Invalidate({"ml", "first"});
  lines.Invalidate({"ml", "second"});
  const Bids fits = On(kEast, Chance::kFits, gpu);
  const auto second = lines.Offer(Of("second", 2, 0, order), fits, kNow);
  CHECK(AfterWhom(second, kEast) == "first");
  CHECK(second.look_at == std::vector<ObjectKey>{{"ml", "first"}});
  CHECK(AfterWhom(lines.Offer(Of("first", 1, 0, order), fits, kNow), kEast).empty());
}

TEST_CASE("lines: other devices are nobody's before those ahead were judged with them") {
  const auto policy =
      GENERATE(OrderPolicy::kStrict, OrderPolicy::kBackfill, OrderPolicy::kBestEffort);
  const OrderSettings order{.policy = policy};
  Lines lines;
  const auto gpu = Devices({1});
  // A node group of the east has no node yet.
  lines.Offer(Of("first", 1, 0, order), On(kEast, Chance::kNone, Devices({}), 1, 1), kNow);
  lines.Offered(kEast, 2);
  const Contender second = Of("second", 2, 0, order);
  const auto early = lines.Offer(second, On(kEast, Chance::kFits, gpu, 0, 2), kNow);
  CHECK(AfterWhom(early, kEast) == "first");
  CHECK(early.look_at == std::vector<ObjectKey>{{"ml", "first"}});
  SECTION("it fits now") {
    const auto first =
        lines.Offer(Of("first", 1, 0, order), On(kEast, Chance::kFits, gpu, 0, 2), kNow);
    CHECK(AfterWhom(first, kEast).empty());
  }
  SECTION("it can use none of them") {
    lines.Offer(Of("first", 1, 0, order), On(kEast, Chance::kNone, Devices({}), 1, 2), kNow);
    // One that becomes free later is nothing to it.
    const auto late = lines.Offer(second, On(kEast, Chance::kFits, gpu, 0, 3), kNow);
    CHECK(AfterWhom(late, kEast).empty());
  }
}

TEST_CASE("lines: one in doubt that has not seen the new devices either is looked at first") {
  const auto policy =
      GENERATE(OrderPolicy::kStrict, OrderPolicy::kBackfill, OrderPolicy::kBestEffort);
  const OrderSettings order{.policy = policy};
  Lines lines;
  lines.Offer(Of("first", 1, 0, order), On(kEast, Chance::kNone, Devices({1}), 1, 1), kNow);
  lines.Invalidate({"ml", "first"});
  lines.Offered(kEast, 2);
  const auto second =
      lines.Offer(Of("second", 2, 0, order), On(kEast, Chance::kFits, Devices({2}), 0, 2), kNow);
  CHECK(AfterWhom(second, kEast) == "first");
  CHECK(second.look_at == std::vector<ObjectKey>{{"ml", "first"}});
}

TEST_CASE("lines: those behind are looked at again when their queue gets another order") {
  Lines lines;
  const auto gpus = Devices({1, 2});
  const Bids waits = On(kEast, Chance::kWaits, gpus, 1);
  lines.Offer(Of("gang", 1, 0, {.policy = OrderPolicy::kStrict}), waits, kNow);
  const Contender small = Of("small", 2, 0, {.policy = OrderPolicy::kStrict});
  const Bids fits = On(kEast, Chance::kFits, gpus);
  REQUIRE(AfterWhom(lines.Offer(small, fits, kNow), kEast) == "gang");
  lines.Conclude({"ml", "small"}, {});
  const Contender changed = Of("gang", 1, 0, {.policy = OrderPolicy::kBestEffort});
  CHECK(lines.Join(changed) == std::vector<ObjectKey>{{"ml", "small"}});
  CHECK(AfterWhom(lines.Offer(small, fits, kNow), kEast).empty());
}

TEST_CASE("lines: a queue that comes late does not wait for the backlog of another line") {
  Lines lines;
  const auto h100 = Devices({1}), l4 = Devices({2});
  const auto of = [](const std::string& queue, int second) {
    Contender contender = Of(queue + std::to_string(second), second);
    contender.share = Share{.queue = queue, .weight = 1, .cost = 1};
    return contender;
  };
  for (int i = 0; i < 50; ++i) lines.Offer(of("a", i), On(kEast, Chance::kWaits, h100, 1), kNow);
  lines.Offer(of("a", 50), On(kEast, Chance::kFits, l4), kNow);
  lines.Conclude({"ml", "a50"}, {kEast});
  lines.Offer(of("b", 60), On(kEast, Chance::kWaits, h100, 1), kNow);
  CHECK(StandingOf(lines, "b60").places.at(kEast) <= 2);
}

TEST_CASE("lines: where each stands") {
  Lines lines;
  const OrderSettings backfill;
  const auto both = Devices({1, 2});
  lines.Offer(Of("first", 1, 0, backfill), On(kEast, Chance::kWaits, both, 1), kNow);
  lines.Offer(Of("other", 2, 0, backfill), On(kEast, Chance::kWaits, Devices({3}), 1), kNow);
  lines.Offer(Of("third", 3, 0, backfill), On(kEast, Chance::kWaits, Devices({2, 3}), 1), kNow);
  lines.Join(Of("unseen", 4));
  const std::vector<Standing> all = lines.Standings(kNow);
  REQUIRE(all.size() == 4);
  CHECK(all[0].places.at(kEast) == 1);
  CHECK(all[0].kept == kEast);
  CHECK(all[1].places.at(kEast) == 1);
  CHECK(all[2].places.at(kEast) == 3);
  CHECK(!all[2].kept);
  CHECK(all[3].places.empty());
}

TEST_CASE("lines: who fits is told who holds it, and whether that one may still be passed") {
  Lines lines;
  const auto gpu = Devices({1});
  const OrderSettings once{.policy = OrderPolicy::kBackfill, .max_passes = 1};
  lines.Offer(Of("gang", 1, 0, once), On(kEast, Chance::kWaits, gpu, 3), kNow);
  lines.Offer(Of("strict", 2, 0, {.policy = OrderPolicy::kStrict}),
              On(kWest, Chance::kWaits, gpu, 1), kNow);
  CHECK(AfterWhom(lines.Offer(Of("west", 3), On(kWest, Chance::kFits, gpu), kNow), kWest) ==
        "strict");
  CHECK(StandingOf(lines, "west").behind.at(kWest).name == "strict");
  CHECK(StandingOf(lines, "gang").behind.empty());

  CHECK(!StandingOf(lines, "gang").is_bound_reached);
  for (Standing& standing : lines.Standings(kNow + once.max_wait))
    CHECK(standing.is_bound_reached == (standing.rank.workload.name == "gang"));
}

// ---- random histories

struct Job {
  Contender contender;
  QueueRank rank;  // as the lines have it
  int need = 1;
  std::set<int> kinds;  // of devices that serve it
  bool waits = false;
  bool dispatched = false;  // and not admitted yet
};

struct Device {
  uint64_t id;
  int kind;
  bool taken = false;
};

struct HistoryOptions {
  uint32_t seed = 1;
  OrderPolicy policy = OrderPolicy::kStrict;
  bool churn = false;   // devices change before every look, though none becomes free
  bool shares = false;  // queues have weights
  // Workers go out of reach and return, devices come and go, jobs are deleted, weights change.
  bool changes = false;
};

// Workers with devices of a few kinds, jobs that want some of one worker at once, and looks in
// random order, as many threads make them.
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
      if (what == 50) Restart();
      if (what > 50) LookAtAny();
      if (changes_ && Draw(0, 9) == 0) Change();
    }
    while (!out_of_reach_.empty()) {
      const ClusterName worker = *out_of_reach_.begin();
      Return(worker);
    }
    while (!running_.empty() || !queue_.empty()) {
      while (!queue_.empty()) LookAtAny();
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
                     .order = {.policy = policy_, .max_passes = kPasses, .max_wait = kWait}};
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
    if (job == nullptr) return;
    const ObjectKey key = job->contender.rank.workload;
    Wake(lines_.Leave(key));
    passes_.erase(key);
    job->contender.reserved_at = now_;
    job->rank = job->contender.rank;
    Wake(lines_.Join(job->contender));
    queue_.insert(key);
  }

  // Something else that it asks for has changed.
  void Invalidate() {
    const Job* job = AnyOf(&Job::waits);
    if (job == nullptr) return;
    lines_.Invalidate(job->contender.rank.workload);
    queue_.insert(job->contender.rank.workload);
  }

  void Restart() {
    lines_ = Lines();
    passes_.clear();
    for (auto& [key, job] : jobs_) {
      if (!job.waits && !job.dispatched) continue;
      job.rank = job.contender.rank;
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
  void LookAgain() {
    for (const auto& [key, job] : jobs_) {
      if (!job.waits) continue;
      lines_.Invalidate(key);
      queue_.insert(key);
    }
  }
  void Cut(const ClusterName& worker) {
    out_of_reach_.insert(worker);
    LookAgain();
  }
  void Return(const ClusterName& worker) {
    out_of_reach_.erase(worker);
    if (missed_changes_.erase(worker) > 0) Offer(worker);
    LookAgain();
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
    if (job == nullptr) return;
    job->waits = false;
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
    }
    ReadRanks();
  }

  // The worker refused it, or admits it.
  void End(Job& job) {
    const ObjectKey key = job.contender.rank.workload;
    job.dispatched = job.contender.dispatched = false;
    if (Draw(0, 3) > 0) return Wake(lines_.Leave(key));
    job.waits = true;
    Wake(lines_.Join(job.contender));
    Free(running_.find(key));
  }

  void ReadRanks() {
    for (const Standing& each : lines_.Standings(kNow))
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
      if (out_of_reach_.contains(worker)) continue;
      const int free = Count(worker, job, true);
      std::vector<uint64_t> ids;
      for (const Device& device : devices)
        if (Serves(device, job)) ids.push_back(device.id);
      auto& set = sets_[{worker, job.kinds}];
      if (set == nullptr) set = Devices(ids);
      const Chance chance = free >= job.need          ? Chance::kFits
                            : CouldRunOn(worker, job) ? Chance::kWaits
                                                      : Chance::kNone;
      bids[worker] = {chance, freed_[worker], chance == Chance::kWaits ? job.need - free : 0, set};
    }
    return bids;
  }

  bool Compete(const ClusterName& worker, const Job& a, const Job& b) const {
    if (out_of_reach_.contains(worker)) return false;
    if (!CouldRunOn(worker, a) || !CouldRunOn(worker, b)) return false;
    const auto& devices = workers_.at(worker);
    return std::any_of(devices.begin(), devices.end(),
                       [&](const Device& each) { return Serves(each, a) && Serves(each, b); });
  }

  void LookAtAny() {
    if (queue_.empty()) return;
    const ObjectKey key = *std::next(queue_.begin(), Draw(0, static_cast<int>(queue_.size()) - 1));
    queue_.erase(key);
    Job& job = jobs_.at(key);
    now_ += std::chrono::seconds(1);
    if (job.dispatched) return End(job);
    if (!job.waits) return;
    REQUIRE(++looks_ < 100'000);
    for (const auto& [worker, devices] : workers_) freed_[worker] += churn_ ? 1 : 0;
    const Lines::Answer answer = lines_.Offer(job.contender, BidsOf(job), now_);
    Wake(answer.look_at);
    if (shares_) ReadRanks();
    std::set<ClusterName> chosen;
    for (const auto& [worker, turn] : answer.turns) {
      if (!turn.after && chosen.empty() && Count(worker, job, true) >= job.need)
        chosen.insert(worker);
    }
    if (!chosen.empty()) Dispatch(*chosen.begin(), job);
    Wake(lines_.Conclude(key, chosen));
  }

  void Dispatch(const ClusterName& worker, Job& job) {
    for (auto& [key, other] : jobs_) {
      if (!other.waits || !(other.rank < job.rank) || !Compete(worker, other, job)) continue;
      INFO(job.contender.rank.workload.name << " passes " << key.name << " on " << worker.value);
      REQUIRE(policy_ != OrderPolicy::kStrict);
      // One that was looked at before the very last change may be passed, where changes never end.
      if (policy_ == OrderPolicy::kBestEffort && Count(worker, other, true) >= other.need)
        ++inversions_;
      if (policy_ != OrderPolicy::kBackfill || !IsFirst(other)) continue;
      REQUIRE(++passes_[key] <= kPasses);
      REQUIRE(now_ - other.contender.reserved_at < kWait);
    }
    int left = job.need;
    for (Device& device : workers_.at(worker)) {
      if (left == 0 || device.taken || !Serves(device, job)) continue;
      device.taken = true;
      --left;
      running_[job.contender.rank.workload].emplace_back(worker, device.id);
    }
    job.waits = false;
    job.dispatched = job.contender.dispatched = true;
    queue_.insert(job.contender.rank.workload);
  }

  // None that waits is ahead of it in any line.
  bool IsFirst(const Job& job) const {
    return std::none_of(jobs_.begin(), jobs_.end(), [&](const auto& other) {
      return other.second.waits && other.second.rank < job.rank &&
             std::any_of(
                 workers_.begin(), workers_.end(),
                 [&](const auto& worker) { return Compete(worker.first, other.second, job); });
    });
  }

  using Running = std::map<ObjectKey, std::vector<std::pair<ClusterName, uint64_t>>>;

  void Finish() {
    if (running_.empty()) return;
    const auto ended = std::next(running_.begin(), Draw(0, static_cast<int>(running_.size()) - 1));
    if (!jobs_.at(ended->first).dispatched) Free(ended);
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

  // Nothing moves any more: no device is idle that nobody may keep from others.
  void CheckAtRest() {
    const std::vector<Standing> standings = lines_.Standings(kNow);
    for (const auto& [key, job] : jobs_) {
      if (!job.waits) continue;
      for (const auto& [worker, devices] : workers_) {
        if (Count(worker, job, true) < job.need) continue;
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
    if (policy_ == OrderPolicy::kStrict) return true;
    if (!standing.kept) return false;
    return standing.kept == worker || standing.passes >= kPasses ||
           now_ - standing.reserved_at >= kWait;
  }

  static constexpr int kPasses = 2;
  static constexpr std::chrono::seconds kWait{60};

  std::mt19937 random_;
  const OrderPolicy policy_;
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
  Running running_;
  WallTime now_ = kNow;
  int submitted_ = 0;
  int looks_ = 0;
  int inversions_ = 0;
  Lines lines_;
};

TEST_CASE("lines: random histories keep the order, the bound, and no device idle") {
  const auto policy =
      GENERATE(OrderPolicy::kStrict, OrderPolicy::kBackfill, OrderPolicy::kBestEffort);
  const bool churn = GENERATE(false, true);
  const bool shares = GENERATE(false, true);
  const bool changes = GENERATE(false, true);
  for (uint32_t seed = 1; seed <= (shares ? 25u : 150u); ++seed) {
    INFO("policy " << static_cast<int>(policy) << ", churn " << churn << ", shares " << shares
                   << ", changes " << changes << ", seed " << seed);
    Cluster({seed, policy, churn, shares, changes}).Run(200);
  }
}

// ---- fair turns

Contender In(const std::string& queue, double weight, const std::string& name, int second,
             double cost = 1) {
  Contender contender = Of(name, second);
  contender.share = Share{queue, weight, cost};
  return contender;
}

Contender InLocal(const std::string& local, double weight, const std::string& name, int second,
                  const std::string& queue = "a") {
  Contender contender = In(queue, 1, name, second);
  contender.share->local = LocalShare{local, weight};
  return contender;
}

// Gives one device after the other to the first in line; the initials in that order.
std::string Serve(Lines& lines, int devices) {
  std::string served;
  for (; devices > 0 && !lines.Standings(kNow).empty(); --devices) {
    const QueueRank first = lines.Standings(kNow).front().rank;
    served += first.workload.name.substr(0, 1);
    lines.Conclude(first.workload, {kEast});
  }
  return served;
}

TEST_CASE("lines: queues share by weight, and within a queue time decides") {
  Lines lines;
  for (int i = 0; i < 12; ++i) {
    lines.Join(In("a", 3, "a" + std::to_string(i), i));
    lines.Join(In("b", 1, "b" + std::to_string(i), 100 + i));
  }
  std::string first = Serve(lines, 8);
  CHECK(std::count(first.begin(), first.end(), 'a') == 6);
  // A queue that comes late has its first turn at once, then its share, and nothing for the past.
  for (int i = 0; i < 4; ++i) lines.Join(In("c", 1, "c" + std::to_string(i), 200 + i));
  std::string then = Serve(lines, 10);
  CHECK(std::count(then.begin(), then.end(), 'a') == 5);
  CHECK(std::count(then.begin(), then.end(), 'b') == 2);
  CHECK(std::count(then.begin(), then.end(), 'c') == 3);
}

TEST_CASE("lines: LocalQueues share the turns of their ClusterQueue, and no others") {
  Lines lines;
  for (int i = 0; i < 12; ++i) {
    lines.Join(InLocal("ml/x", 3, "x" + std::to_string(i), i));
    lines.Join(InLocal("ml/y", 1, "y" + std::to_string(i), 100 + i));
    // A queue of the same weight as both together.
    lines.Join(In("b", 1, "b" + std::to_string(i), 200 + i));
  }
  const std::string served = Serve(lines, 16);
  CHECK(std::count(served.begin(), served.end(), 'b') == 8);
  CHECK(std::count(served.begin(), served.end(), 'x') == 6);
  CHECK(std::count(served.begin(), served.end(), 'y') == 2);
  // A LocalQueue that comes late has its share from now on; b gets no less for it.
  for (int i = 0; i < 4; ++i) lines.Join(InLocal("ops/z", 4, "z" + std::to_string(i), 300 + i));
  const std::string then = Serve(lines, 8);
  CHECK(std::count(then.begin(), then.end(), 'b') == 4);
  CHECK(std::count(then.begin(), then.end(), 'z') >= 2);
}

TEST_CASE("lines: the weight of a LocalQueue may change") {
  Lines lines;
  const auto join = [&](double weight_of_x) {
    for (int i = 0; i < 8; ++i) {
      lines.Join(InLocal("ml/x", weight_of_x, "x" + std::to_string(i), i));
      lines.Join(InLocal("ml/y", 1, "y" + std::to_string(i), 100 + i));
    }
  };
  join(1);
  join(3);
  const std::string served = Serve(lines, 8);
  CHECK(std::count(served.begin(), served.end(), 'x') == 6);
}

TEST_CASE("lines: a job that was deleted while it waited is not charged to its queue") {
  Lines lines;
  const bool local = GENERATE(false, true);
  const auto join = [&](const std::string& queue, const std::string& name, int second) {
    lines.Join(local ? InLocal("ml/" + queue, 1, name, second) : In(queue, 1, name, second));
  };
  for (int i = 0; i < 20; ++i) join("a", "a" + std::to_string(i), i);
  for (int i = 0; i < 20; ++i) join("b", "b" + std::to_string(i), 100 + i);
  for (int i = 1; i < 19; ++i) lines.Leave({"ml", "a" + std::to_string(i)});
  CHECK(Serve(lines, 4) == "abab");
}

TEST_CASE("lines: one that moves up because another was deleted is looked at") {
  Lines lines;
  const auto gpu = Devices({1});
  const Bids fits = On(kEast, Chance::kFits, gpu);
  lines.Join(In("a", 1, "a0", 0));
  lines.Join(In("a", 1, "a1", 1));
  lines.Offer(In("b", 1, "b0", 2), fits, kNow);
  lines.Join(In("b", 1, "b1", 3));
  REQUIRE(AfterWhom(lines.Offer(In("a", 1, "a1", 1), fits, kNow), kEast) == "b0");
  const std::vector<ObjectKey> look_at = lines.Leave({"ml", "a0"});
  CHECK(std::count(look_at.begin(), look_at.end(), ObjectKey{"ml", "a1"}) == 1);
  CHECK(AfterWhom(lines.Offer(In("a", 1, "a1", 1), fits, kNow), kEast).empty());
}

TEST_CASE("lines: without weights time alone decides, and weights may come and go") {
  Lines lines;
  lines.Join(Of("a0", 1));
  lines.Join(Of("a1", 2));
  lines.Join(Of("b0", 3));
  const auto names = [&] {
    std::string all;
    for (const Standing& each : lines.Standings(kNow)) all += each.rank.workload.name + " ";
    return all;
  };
  CHECK(names() == "a0 a1 b0 ");
  lines.Join(In("a", 1, "a0", 1));
  lines.Join(In("a", 1, "a1", 2));
  lines.Join(In("b", 1, "b0", 3));
  CHECK(names() == "a0 b0 a1 ");
  // One that has waited for longer takes the turn of those of its queue.
  lines.Join(In("a", 1, "a-old", 0));
  CHECK(names() == "a-old b0 a0 a1 ");
  lines.Join(Of("a-old", 0));
  for (const char* name : {"a0", "a1"}) lines.Join(Of(name, name[1] - '0' + 1));
  lines.Join(Of("b0", 3));
  CHECK(names() == "a-old a0 a1 b0 ");
}

TEST_CASE("lines: a queue pays once for a job that no worker took at first") {
  Lines lines;
  for (int i = 0; i < 4; ++i) {
    lines.Join(In("a", 1, "a" + std::to_string(i), i));
    lines.Join(In("b", 1, "b" + std::to_string(i), 100 + i));
  }
  for (int refusals = 0; refusals < 3; ++refusals) {
    CHECK(Serve(lines, 1) == "a");
    lines.Join(In("a", 1, "a0", 0));
  }
  CHECK(Serve(lines, 8) == "abababab");
}

TEST_CASE("lines: a job that is deleted costs its queue nothing") {
  Lines lines;
  for (int i = 0; i < 9; ++i) lines.Join(In("a", 1, "a" + std::to_string(i), i));
  for (int i = 0; i < 4; ++i) lines.Join(In("b", 1, "b" + std::to_string(i), 100 + i));
  CHECK(Serve(lines, 2) == "ab");
  std::vector<ObjectKey> look_at;
  for (int i = 2; i < 8; ++i) {
    const auto woken = lines.Leave({"ml", "a" + std::to_string(i)});
    look_at.insert(look_at.end(), woken.begin(), woken.end());
  }
  CHECK(std::count(look_at.begin(), look_at.end(), ObjectKey{"ml", "a8"}) > 0);
  CHECK(look_at.size() == 11);  // each deletion moves two ahead of b2 and b3, the last one a8 alone
  CHECK(Serve(lines, 5) == "ababb");
}

TEST_CASE("lines: a job that is deleted wakes no job that overtakes no other by that") {
  Lines lines;
  for (int i = 0; i < 9; ++i) lines.Join(In("a", 1, "a" + std::to_string(i), i));
  CHECK(lines.Leave({"ml", "a2"}).empty());
  CHECK(Serve(lines, 8) == "aaaaaaaa");
}

TEST_CASE("lines: whatever the weights, a job waits for a bounded number of others' pods") {
  constexpr int kLargest = 8;
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int least, int most) {
      return std::uniform_int_distribution<int>(least, most)(random);
    };
    std::map<std::string, double> weights;
    for (const char* queue : {"a", "b", "c", "d"}) weights[queue] = draw(0, 4);
    const auto weight = [&](const std::string& queue) { return std::max(weights[queue], 0.001); };
    Lines lines;
    std::map<std::string, int> pods, waiting;  // of a job; of a queue, that wait
    std::map<std::string, double> bounds;      // of those that wait: pods of all queues before them
    std::map<std::string, std::vector<std::string>> jobs;  // of a queue, that wait, in their order
    const auto cost_behind = [&](const std::string& queue, double pods_ahead) {
      double cost = pods_ahead;
      for (const auto& [other, of_other] : weights)
        if (other != queue) cost += pods_ahead * weight(other) / weight(queue);
      return cost;
    };
    for (int now = 0; now < 300; ++now) {
      const std::string queue(1, static_cast<char>('a' + draw(0, 3)));
      const std::string name = queue + std::to_string(now);
      pods[name] = draw(1, kLargest);
      lines.Join(In(queue, weights[queue], name, now, pods[name]));
      bounds[name] = cost_behind(queue, waiting[queue]) + pods[name];
      for (const auto& [other, of_other] : weights) {
        if (other != queue) bounds[name] += kLargest * weight(other) / weight(queue) + kLargest;
      }
      waiting[queue] += pods[name];
      jobs[queue].push_back(name);
      if (draw(0, 3) == 0) {
        // One that is deleted costs those behind it nothing.
        auto& of_queue = jobs[queue];
        const auto gone = of_queue.begin() + draw(0, static_cast<int>(of_queue.size()) - 1);
        for (auto behind = gone + 1; behind != of_queue.end(); ++behind)
          bounds[*behind] -= cost_behind(queue, pods[*gone]);
        lines.Leave({"ml", *gone});
        waiting[queue] -= pods[*gone];
        bounds.erase(*gone);
        of_queue.erase(gone);
      }
      if (draw(0, 2) == 0 || bounds.empty()) continue;
      const std::string first = lines.Standings(kNow).front().rank.workload.name;
      Serve(lines, 1);
      waiting[first.substr(0, 1)] -= pods[first];
      std::erase(jobs[first.substr(0, 1)], first);
      bounds.erase(first);
      for (auto& [each, bound] : bounds) REQUIRE((bound -= pods[first]) >= -1e-6);
    }
  }
}

}  // namespace
}  // namespace fedra::placement
