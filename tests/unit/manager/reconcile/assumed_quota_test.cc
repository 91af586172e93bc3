// What is assumed of a worker's queues: nothing twice, nothing left behind, and in steps that do
// not grow with what is assumed.

#include "manager/reconcile/assumed_quota.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/histories.h"

namespace fedra::reconcile::assumed_quota_test {
namespace {

using placement::QuotaAssumption;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using verify::QuotaAmounts;

Quantity Amount(int value) { return Quantity(value); }

tracking::Demands Asking(int cpu, int pods = 1) {
  dra::PodDemand demand;
  demand.name = "main";
  demand.count = pods;
  if (cpu > 0) demand.requests.emplace_back(dra::Symbol("cpu"), Amount(cpu));
  return std::make_shared<const std::vector<dra::PodDemand>>(1, demand);
}

// One worker's queues: LocalQueue ml/gpu of ClusterQueue "gpu".
struct Queues {
  HandClock clock;
  std::map<ObjectKey, std::string> behind{{{"ml", "gpu"}, "gpu"}};
  std::map<std::string, std::shared_ptr<const verify::ClusterQueue>> objects;
  size_t asked = 0;  // for a queue

  Queues() { Put("gpu"); }
  void Put(const std::string& name, int nominal = 10, int reserved = 0) {
    verify::ClusterQueue queue{.name = name, .resources = {}};
    queue.resources["cpu"]["default"] = {
        .nominal = Amount(nominal), .most = Amount(nominal), .reserved = Amount(reserved)};
    objects[name] = std::make_shared<const verify::ClusterQueue>(std::move(queue));
  }
  AssumedQuota Assumed() {
    return AssumedQuota({.behind =
                             [this](const ObjectKey& key) {
                               ++asked;
                               const auto found = behind.find(key);
                               return found == behind.end() ? std::string() : found->second;
                             },
                         .find =
                             [this](const std::string& name) {
                               ++asked;
                               const auto found = objects.find(name);
                               return found == objects.end() ? nullptr : found->second;
                             }},
                        clock);
  }
};

struct Fixture : Queues {
  AssumedQuota quota = Assumed();

  // Its clone has quota since then, or shows that it has none.
  void Show(const std::string& name, int cpu, std::optional<WallTime> reserved_at = {}) {
    quota.Put({"ml", name}, {.queue = "gpu",
                             .counted = Asking(cpu),
                             .reserved_at = reserved_at,
                             .is_without = !reserved_at});
  }
  // Its clone is not seen yet.
  void ShowWorkload(const std::string& name, int cpu) {
    quota.Put({"ml", name}, {.queue = "gpu", .counted = Asking(cpu)});
  }
  // Kueue has written its status.
  void Written(const std::string& name, int nominal = 10, int reserved = 0) {
    Queues::Put(name, nominal, reserved);
    quota.Reported(name);
  }
  int64_t Taken(const std::string& for_whom = "") {
    return quota.Others({"ml", for_whom}, "gpu").MilliOf("cpu") / 1000;
  }
};

TEST_CASE_METHOD(Fixture, "assumed quota: a workload counts until its clone's quota is reported") {
  Show("a", 3);
  Show("b", 2);
  CHECK(Taken() == 5);
  CHECK(Taken("a") == 2);  // its own is none that others take
  Show("a", 3, clock.Now());
  CHECK(Taken() == 5);  // Kueue has not written it yet
  SECTION("the queue is written, by what may be of before") {
    clock.Advance(AssumedQuota::kMayBeOlder - milliseconds(1));
    Written("gpu");
    CHECK(Taken() == 5);
    clock.Advance(milliseconds(1));
    CHECK(Taken() == 5);
    Written("gpu", 10, 3);
    CHECK(Taken() == 2);
  }
  SECTION("the queue is written") {
    clock.Advance(AssumedQuota::kMayBeOlder);
    Written("gpu", 10, 3);
    CHECK(Taken() == 2);
    CHECK(Taken("a") == 2);
    SECTION("and what comes later counts until the next time") {
      Show("b", 2, clock.Now());
      CHECK(Taken() == 2);
      clock.Advance(AssumedQuota::kMayBeOlder);
      Written("gpu", 10, 5);
      CHECK(Taken() == 0);
    }
    SECTION("and it loses its quota there") {
      Show("a", 3);
      CHECK(Taken() == 5);
    }
  }
  SECTION("the queue is not written in time") {
    clock.Advance(AssumedQuota::kReportedWithin - milliseconds(1));
    CHECK(Taken() == 5);
    clock.Advance(milliseconds(1));
    CHECK(Taken() == 2);
  }
  SECTION("it is gone meanwhile") {
    quota.Remove({"ml", "a"});
    CHECK(Taken() == 2);
    Written("gpu");
    CHECK(Taken() == 2);
  }
  SECTION("its clone gets none any more") {
    quota.Put({"ml", "a"}, {.queue = "gpu"});
    CHECK(Taken() == 2);
  }
  SECTION("it wants more than it did") {
    Show("b", 4);
    CHECK(Taken() == 7);
  }
}

TEST_CASE_METHOD(Fixture, "assumed quota: after a restart a clone's quota is as old as it says") {
  Show("old", 1, clock.Now() - minutes(1));
  CHECK(Taken() == 0);
  Show("new", 2, clock.Now() - seconds(1));
  Show("ahead", 4, clock.Now() + minutes(1));  // by its worker's clock
  CHECK(Taken() == 6);
  clock.Advance(AssumedQuota::kReportedWithin - seconds(1));
  CHECK(Taken() == 4);
  clock.Advance(seconds(1));
  CHECK(Taken() == 0);
}

TEST_CASE_METHOD(Fixture, "assumed quota: so it is, whichever of its objects comes first") {
  const bool queue_is_first = GENERATE(true, false);
  const auto show_queue = [&] { Written("gpu", 10, 3); };
  if (queue_is_first) show_queue();
  ShowWorkload("old", 1);
  ShowWorkload("new", 2);
  CHECK(Taken() == 3);
  Show("old", 1, clock.Now() - std::chrono::hours(1));
  CHECK(Taken() == 2);  // the status of the queue has counted it for an hour
  Show("new", 2, clock.Now() - seconds(1));
  CHECK(Taken() == 2);
  if (!queue_is_first) {
    show_queue();
    CHECK(Taken() == 0);
  }
  clock.Advance(AssumedQuota::kReportedWithin - seconds(1));
  CHECK(Taken() == 0);
}

TEST_CASE_METHOD(Fixture,
                 "assumed quota: a worker's clock counts only where nothing else says it") {
  // Behind by an hour.
  ShowWorkload("decided", 1);
  quota.Put({"ml", "decided"}, {.queue = "gpu", .counted = Asking(1), .is_without = true});
  ShowWorkload("decided", 1);  // the next look, before its clone is seen
  Show("decided", 1, clock.Now() - std::chrono::hours(1));
  Show("waited", 2);
  Show("waited", 2, clock.Now() - std::chrono::hours(1));
  CHECK(Taken() == 3);
}

TEST_CASE_METHOD(Fixture, "assumed quota: all LocalQueues of a ClusterQueue share it") {
  behind[{"other", "gpu"}] = "gpu";
  quota.Put({"other", "a"}, {.queue = "gpu", .counted = Asking(1)});
  quota.Put({"ml", "b"}, {.queue = "later", .counted = Asking(2)});
  CHECK(Taken() == 1);
  CHECK(quota.Others({"ml", "a"}, "gpu").MilliOf("cpu") == 1000);  // of another namespace
  behind[{"ml", "later"}] = "gpu";
  quota.Relink({"ml", "later"});
  CHECK(Taken() == 3);
  behind.erase({"ml", "later"});
  quota.Relink({"ml", "later"});
  CHECK(Taken() == 1);
}

TEST_CASE_METHOD(Fixture, "assumed quota: whether there is room for one beside the others") {
  Written("gpu", 10, 4);
  Show("a", 3);
  const auto is_full = [&](const std::string& name, int cpu, const std::string& queue = "gpu") {
    return quota.IsFull({"ml", name}, {.queue = queue, .counted = Asking(cpu)});
  };
  CHECK_FALSE(is_full("b", 3));
  CHECK(is_full("b", 4));
  CHECK_FALSE(is_full("a", 6));          // itself
  CHECK_FALSE(is_full("b", 11));         // never is not full
  CHECK_FALSE(is_full("b", 4, "none"));  // nothing is known of that one
  CHECK_FALSE(quota.IsFull({"ml", "b"}, {.queue = "gpu"}));
}

// Everything is computed anew from what is visible, and from when a clone's quota was first seen.
class Model final {
 public:
  explicit Model(const Queues& queues) : queues_(queues) {}

  void Put(const ObjectKey& key, const QuotaAssumption& what) {
    const SteadyTime now = queues_.clock.Steady();
    const auto found = seen_.find(key);
    const bool is_known = found != seen_.end() && found->second.what.queue == what.queue &&
                          *found->second.what.counted == *what.counted;
    const bool had_quota = is_known && found->second.what.reserved_at;
    const bool was_without = is_known && !had_quota && found->second.was_without;
    Seen seen{what, was_without || what.is_without, {}};
    if (what.reserved_at && had_quota) {
      seen.until = found->second.until;
    } else if (what.reserved_at) {
      const auto age =
          std::max(WallTime::duration::zero(), queues_.clock.Now() - *what.reserved_at);
      seen.until = now + AssumedQuota::kReportedWithin -
                   (seen.was_without ? WallTime::duration::zero() : age);
    }
    seen_.insert_or_assign(key, seen);
  }
  void Remove(const ObjectKey& key) { seen_.erase(key); }
  void Reported(const std::string& cluster_queue) {
    for (auto& [key, seen] : seen_) {
      const auto lasts = seen.until - queues_.clock.Steady();
      if (seen.what.reserved_at && BehindOf(key, seen.what) == cluster_queue &&
          lasts <= AssumedQuota::kReportedWithin - AssumedQuota::kMayBeOlder)
        seen.until = queues_.clock.Steady() - std::chrono::hours(24);
    }
  }
  QuotaAmounts Others(const ObjectKey& workload, const std::string& cluster_queue) const {
    QuotaAmounts sum;
    for (const auto& [key, seen] : seen_) {
      const bool takes = !seen.what.reserved_at || queues_.clock.Steady() < seen.until;
      if (key != workload && takes && BehindOf(key, seen.what) == cluster_queue)
        sum.Add(*seen.what.counted);
    }
    return sum;
  }

 private:
  struct Seen {
    QuotaAssumption what;
    bool was_without = false;
    SteadyTime until{};  // once it has quota
  };
  std::string BehindOf(const ObjectKey& key, const QuotaAssumption& what) const {
    const auto found = queues_.behind.find({key.ns, what.queue});
    return found == queues_.behind.end() ? std::string() : found->second;
  }

  const Queues& queues_;
  std::map<ObjectKey, Seen> seen_;
};

class History final : Queues {
 public:
  explicit History(unsigned seed) : random_(seed) {}

  void Run() {
    for (int step = 0; step < 300; ++step) {
      Act();
      CheckAll();
    }
    // A new process assumes the same, once all quota that clones have just got is reported, and
    // whether it sees Workloads or clones first.
    clock.Advance(AssumedQuota::kReportedWithin);
    for (const bool workloads_first : {false, true}) {
      AssumedQuota fresh = Assumed();
      for (const auto& [key, what] : shown_)
        if (workloads_first) fresh.Put(key, {.queue = what.queue, .counted = what.counted});
      for (const auto& [key, what] : shown_) fresh.Put(key, what);
      for (const char* queue : {"", "gpu", "cpu"})
        REQUIRE(fresh.Others({}, queue) == quota_.Others({}, queue));
    }
    for (const auto& [key, what] : shown_) quota_.Remove(key);
    for (const char* queue : {"", "gpu", "cpu"}) REQUIRE(quota_.Others({}, queue).IsEmpty());
  }
  int reserved() const { return reserved_; }

 private:
  int Pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  ObjectKey Any() { return {Pick(2) == 0 ? "ml" : "web", fmt::format("job-{}", Pick(6))}; }

  void Act() {
    const ObjectKey key = Any();
    switch (Pick(8)) {
      case 0:
      case 1: {  // dispatched, or changed
        QuotaAssumption what{.queue = Pick(4) == 0 ? "cpu" : "gpu"};
        what.counted = Asking(Pick(3), 2);
        what.is_without = Pick(2) == 0;
        return Put(key, what);
      }
      case 2:
      case 3: {  // its clone has got its quota, or lost it
        const auto found = shown_.find(key);
        if (found == shown_.end()) return;
        QuotaAssumption what = found->second;
        const bool has = what.reserved_at.has_value();
        what.reserved_at = has ? std::nullopt : std::optional(clock.Now() - seconds(Pick(5)));
        what.is_without = has;
        if (!has) ++reserved_;
        return Put(key, what);
      }
      case 4:
        model_.Remove(key);
        shown_.erase(key);
        return quota_.Remove(key);
      case 5: {
        const std::string queue = Pick(2) == 0 ? "gpu" : "cpu";
        model_.Reported(queue);
        return quota_.Reported(queue);
      }
      case 6:
        return clock.Advance(milliseconds(Pick(2000)));
      default: {
        const ObjectKey queue{key.ns, Pick(2) == 0 ? "gpu" : "cpu"};
        const int to = Pick(4);
        if (to == 0)
          behind.erase(queue);
        else
          behind[queue] = to == 1 ? "cpu" : "gpu";
        return quota_.Relink(queue);
      }
    }
  }
  void Put(const ObjectKey& key, const QuotaAssumption& what) {
    shown_.insert_or_assign(key, what);
    quota_.Put(key, what);
    model_.Put(key, what);
  }
  void CheckAll() {
    if (Pick(2) == 0) return;  // no look
    const ObjectKey whom = Any();
    for (const char* queue : {"", "gpu", "cpu"}) {
      INFO(whom.ToString() << " on " << queue);
      REQUIRE(quota_.Others(whom, queue) == model_.Others(whom, queue));
      REQUIRE(quota_.Others({}, queue) == model_.Others({}, queue));
    }
  }

  std::mt19937 random_;
  AssumedQuota quota_ = Assumed();
  Model model_{*this};
  std::map<ObjectKey, QuotaAssumption> shown_;
  int reserved_ = 0;
};

TEST_CASE("assumed quota: random histories say what a sum of all visible objects says") {
  int reserved = 0;
  for (unsigned seed = 1; seed <= Histories(200); ++seed) {
    CAPTURE(seed);
    History history(seed);
    history.Run();
    reserved += history.reserved();
  }
  CHECK(reserved > 0);
}

// Of looks at a worker with so many assumed workloads, of which some get their quota, go and come
// while it is looked at: workloads that were looked at, and questions about queues.
size_t CostOfLooks(int assumed) {
  Fixture f;
  for (int i = 0; i < assumed; ++i) f.Show(fmt::format("job-{}", i), 1);
  const size_t before = f.quota.steps() + f.asked;
  for (int i = 0; i < 500; ++i) {
    const std::string name = fmt::format("job-{}", i % 10);
    REQUIRE(f.Taken(name) == assumed - 1);
    f.Show(name, 1, f.clock.Now());
    f.quota.Reported("gpu");
    f.quota.Remove({"ml", name});
    f.Show(name, 1);
  }
  return f.quota.steps() + f.asked - before;
}

TEST_CASE("assumed quota: a look at a worker with 10,000 workloads costs what one with 10 does") {
  CHECK(CostOfLooks(10'000) == CostOfLooks(10));
}

}  // namespace
}  // namespace fedra::reconcile::assumed_quota_test
