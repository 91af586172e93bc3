// What is assumed on a worker is counted once, in one order for all, and a decision on an old
// verdict does not count.

#include "manager/reconcile/assume_cache.h"

#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"

namespace fedra::reconcile::assume_cache_test {

using placement::Assumption;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr auto kEver = std::numeric_limits<uint64_t>::max();

struct Fixture {
  HandClock clock;
  std::map<tracking::JobKey, std::map<std::string, int>> holding;  // pods, by job and pod set
  uint64_t pods_version = 0;
  int asked = 0;  // how often about a job's pods
  AssumeCache cache{{.version = [this] { return pods_version; },
                     .holding =
                         [this](const tracking::JobKey& job) {
                           ++asked;
                           return holding[job];
                         }},
                    clock};

  void Hold(const std::string& name, int pods, const std::string& pod_set = "") {
    holding[{"Job.batch", {"ml", name}}][pod_set] = pods;
    ++pods_version;
  }
  AssumeCache::Change Show(const Assumption& assumption) {
    return cache.Observe(assumption.workload, [&] { return assumption; });
  }
  AssumeCache::Change ShowNothing(const std::string& name) {
    return cache.Observe({"ml", name}, [] { return std::nullopt; });
  }
  // "a:1 b:2": how many pods of which workloads are still to come, as `for_whom` sees it.
  std::string Coming(const std::string& for_whom = "") const {
    std::string text;
    const dra::AssumedList others = cache.Others({"ml", for_whom});
    for (const dra::AssumedPods& pods : *others)
      text += (text.empty() ? "" : " ") + pods.demand->name + ":" + std::to_string(pods.count);
    return text;
  }
};

Assumption Of(const std::string& name, int pods = 1, std::optional<WallTime> since = {}) {
  dra::PodDemand demand;
  demand.name = name;
  demand.count = pods;
  return {.workload = {"ml", name},
          .uid = "uid-" + name,
          .job = {"Job.batch", {"ml", name}},
          .claims = {},
          .demands = std::make_shared<const std::vector<dra::PodDemand>>(1, demand),
          .since = since};
}

}  // namespace

TEST_CASE("two decisions on the same verdicts: the second is refused and sees the first") {
  Fixture f;
  const uint64_t seen = f.cache.version();
  CHECK(f.cache.Reserve(Of("a"), {seen}));
  CHECK_FALSE(f.cache.Reserve(Of("b"), {seen}));
  CHECK(f.Coming("a").empty());
  CHECK(f.Coming("b") == "a:1");
  CHECK(f.cache.Reserve(Of("b"), {f.cache.version()}));
  CHECK(f.Coming() == "a:1 b:1");
  CHECK(f.Coming("a") == "b:1");
}

TEST_CASE("pods are counted by pod set: a worker that has its device is not the head") {
  Fixture f;
  Assumption ray = Of("ray");
  std::vector<dra::PodDemand> demands(2);
  demands[0].name = "head";
  demands[0].count = 1;
  demands[1].name = "workers";
  demands[1].count = 3;
  ray.demands = std::make_shared<const std::vector<dra::PodDemand>>(demands);
  f.Show(ray);
  CHECK(f.Coming() == "head:1 workers:3");
  f.Hold("ray", 2, "workers");
  CHECK(f.Coming() == "head:1 workers:1");
  f.Hold("ray", 1, "head");
  CHECK(f.Coming() == "workers:1");
  // One that does not tell its pod set fills up.
  f.Hold("ray", 1);
  CHECK(f.Coming().empty());
}

TEST_CASE("what another replica dispatches outdates a verdict as our own decision does") {
  Fixture f;
  const uint64_t seen = f.cache.version();
  f.Show(Of("theirs"));
  CHECK_FALSE(f.cache.Reserve(Of("a"), {seen}));
  // What is there already has been there when it was judged.
  f.Show(Of("theirs", 1, f.clock.Now()));
  const uint64_t later = f.cache.version();
  f.Show(Of("theirs", 1, f.clock.Now()));
  CHECK(f.cache.Reserve(Of("a"), {later}));
}

TEST_CASE("what is here already needs no fresh verdict") {
  Fixture f;
  REQUIRE(f.cache.Reserve(Of("a"), {0}));
  f.Show(Of("b"));
  CHECK(f.cache.Reserve(Of("a"), {0}));
  CHECK(f.cache.Reserve(Of("b"), {0}));
}

TEST_CASE("a reservation stays until the objects show it, and goes with them") {
  Fixture f;
  REQUIRE(f.cache.Reserve(Of("a"), {kEver}));
  AssumeCache::Change change = f.ShowNothing("a");  // an event before the write
  CHECK(change.is_here);
  CHECK_FALSE(change.freed);
  CHECK(f.Coming() == "a:1");
  CHECK(f.Show(Of("a")).is_here);
  CHECK_FALSE(f.cache.Forget({"ml", "a"}).freed);  // it is no longer only ours to say
  CHECK(f.Coming() == "a:1");
  change = f.ShowNothing("a");
  CHECK_FALSE(change.is_here);
  CHECK(change.freed);
  CHECK(f.Coming().empty());
  CHECK_FALSE(f.ShowNothing("a").freed);
}

TEST_CASE("a reservation that came to nothing is forgotten, and others are told") {
  Fixture f;
  REQUIRE(f.cache.Reserve(Of("a"), {kEver}));
  CHECK(f.cache.Forget({"ml", "a"}).freed);
  CHECK(f.Coming().empty());
  CHECK_FALSE(f.cache.Forget({"ml", "a"}).freed);
}

TEST_CASE("the oldest clone takes first, in whatever order they were seen") {
  Fixture f;
  const WallTime now = f.clock.Now();
  f.Show(Of("new"));
  f.Show(Of("b", 1, now - seconds(1)));
  f.Show(Of("c", 1, now - seconds(2)));
  f.Show(Of("a", 1, now - seconds(1)));
  CHECK(f.Coming() == "c:1 a:1 b:1 new:1");
  f.Show(Of("new", 1, now - seconds(3)));
  CHECK(f.Coming() == "new:1 c:1 a:1 b:1");
}

TEST_CASE("devices are not kept for ever for pods that do not come") {
  Fixture f;
  const SteadyTime begin = f.clock.Steady();
  REQUIRE(f.cache.Reserve(Of("a"), {kEver}));
  CHECK(f.Show(Of("a", 1, f.clock.Now())).overdue_at == begin + AssumeCache::kKeptFor);
  f.clock.Advance(minutes(9));
  CHECK(f.Coming() == "a:1");
  f.clock.Advance(minutes(1));
  CHECK(f.Coming().empty());  // whether a look came or not
  AssumeCache::Change change = f.Show(Of("a", 1, f.clock.Now() - minutes(10)));
  CHECK(change.is_here);
  CHECK(change.freed);
  CHECK_FALSE(change.overdue_at);
  CHECK_FALSE(f.Show(Of("a", 1, f.clock.Now() - minutes(10))).freed);  // told once
  CHECK_FALSE(f.ShowNothing("a").freed);
}

TEST_CASE("after a restart an entry is as old as its clone") {
  Fixture f;
  f.Show(Of("a", 1, f.clock.Now() - minutes(9)));
  f.Show(Of("b", 1, f.clock.Now() - minutes(11)));
  CHECK(f.Coming() == "a:1");
  f.clock.Advance(minutes(1));
  CHECK(f.Coming().empty());
}

TEST_CASE("after a restart an entry is as old as its clone, though its Workload comes first") {
  Fixture f;
  f.Show(Of("old"));
  CHECK(f.Coming() == "old:1");
  f.Show(Of("old", 1, f.clock.Now() - minutes(60)));
  CHECK(f.Coming().empty());
  f.Show(Of("new"));
  f.Show(Of("new", 1, f.clock.Now() - minutes(4)));
  f.clock.Advance(minutes(6) - seconds(1));
  CHECK(f.Coming() == "new:1");
  f.clock.Advance(seconds(1));
  CHECK(f.Coming().empty());
}

TEST_CASE("a clone that gets its quota late has its ten minutes from then") {
  // Without: its Kueue has said that there is none, or nothing at all.
  const bool takes_devices_before = GENERATE(false, true);
  const bool is_decided_here = GENERATE(false, true);
  Fixture f;
  Assumption assumed = Of("a", 1, f.clock.Now());
  if (is_decided_here) REQUIRE(f.cache.Reserve(Of("a"), {kEver}));
  assumed.takes_devices = takes_devices_before;
  f.Show(assumed);
  f.clock.Advance(minutes(11));
  f.Show(assumed);
  CHECK(f.Coming().empty());
  assumed.takes_devices = true;
  assumed.quota.reserved_at = f.clock.Now();
  const uint64_t version = f.cache.version();
  f.Show(assumed);
  CHECK(f.Coming() == "a:1");
  CHECK(f.cache.version() > version);
  f.clock.Advance(minutes(10));
  CHECK(f.Coming().empty());
}

TEST_CASE(
    "what the objects show is read outside of the lock, and an older reading does not count") {
  Fixture f;
  const bool is_gone = GENERATE(false, true);
  f.Show(Of("a"));
  int readings = 0;
  const Assumption before = Of("a", 1), after = Of("a", 2);
  f.cache.Observe({"ml", "a"}, [&]() -> std::optional<Assumption> {
    if (++readings > 1) return is_gone ? std::nullopt : std::optional(after);
    // Meanwhile another thread has seen a change.
    if (is_gone)
      f.ShowNothing("a");
    else
      f.Show(after);
    return before;
  });
  CHECK(readings == 2);
  CHECK(f.Coming() == (is_gone ? "" : "a:2"));
}

TEST_CASE("a reading from before a decision does not undo it") {
  Fixture f;
  bool decides = true;
  f.cache.Observe({"ml", "a"}, [&]() -> std::optional<Assumption> {
    if (std::exchange(decides, false)) f.cache.Reserve(Of("a"), {kEver});
    return std::nullopt;
  });
  CHECK(f.Coming() == "a:1");
}

TEST_CASE("a wrong clock of a worker shortens no reservation of this process and prolongs none") {
  Fixture f;
  REQUIRE(f.cache.Reserve(Of("a"), {kEver}));
  f.Show(Of("a", 1, f.clock.Now() - minutes(30)));
  CHECK(f.Coming() == "a:1");
  f.Show(Of("b", 1, f.clock.Now() + minutes(30)));
  CHECK(f.Coming() == "a:1 b:1");
  f.clock.Advance(minutes(9));
  CHECK(f.Coming() == "a:1 b:1");
  f.clock.Advance(minutes(1));
  CHECK(f.Coming().empty());
}

TEST_CASE("what its pods hold is not kept twice, and comes back when they fail") {
  Fixture f;
  f.Show(Of("a", 3));
  f.Hold("a", 2);
  CHECK(f.Coming() == "a:1");
  f.Hold("a", 3);
  CHECK(f.Coming().empty());
  CHECK_FALSE(f.Show(Of("a", 3)).overdue_at);
  f.Hold("a", 2);
  CHECK(f.Coming() == "a:1");
  f.Hold("a", 3);
  CHECK_FALSE(f.ShowNothing("a").freed);  // no workload has to be told
}

// Of a job with several Workloads.
Assumption PartOf(const std::string& set, const std::string& name, int pods, WallTime since) {
  Assumption part = Of(name, pods, since);
  part.job = {"Job.batch", {"ml", set}};
  return part;
}

TEST_CASE("pods of a job with several Workloads are counted once for all of them") {
  Fixture f;
  const WallTime now = f.clock.Now();
  f.Show(PartOf("set", "a", 2, now - seconds(2)));
  CHECK(f.Show(PartOf("set", "b", 2, now - seconds(1))).overdue_at);
  CHECK(f.Coming() == "a:2 b:2");
  f.Hold("set", 3);
  CHECK(f.Coming() == "b:1");
  CHECK_FALSE(f.Show(PartOf("set", "a", 2, now - seconds(2))).overdue_at);
  CHECK(f.Show(PartOf("set", "b", 2, now - seconds(1))).overdue_at);
  // What the last one would have taken is free for others.
  CHECK(f.ShowNothing("b").freed);
  CHECK(f.Coming().empty());
  CHECK_FALSE(f.ShowNothing("a").freed);
}

TEST_CASE("of alike Workloads of a job the oldest have the pods that hold their devices") {
  struct Row {
    const char* what;
    std::map<std::string, int> holding;
    const char* coming;
  };
  const Row row = GENERATE(values<Row>({
      {"none has", {}, "head:1 rest:2 head:1 rest:2 head:1 rest:2"},
      {"none of those that are told", {{"head", 0}}, "head:1 rest:2 head:1 rest:2 head:1 rest:2"},
      {"some have", {{"head", 2}, {"rest", 3}}, "rest:1 head:1 rest:2"},
      {"of one pod set all", {{"head", 3}}, "rest:2 rest:2 rest:2"},
      {"some do not tell theirs", {{"head", 1}, {"", 3}}, "rest:2 head:1 rest:2"},
      {"all have", {{"head", 3}, {"rest", 6}}, ""},
      {"more than all", {{"head", 4}, {"rest", 7}, {"", 1}}, ""},
  }));
  INFO(row.what);
  Fixture f;
  const WallTime now = f.clock.Now();
  std::vector<dra::PodDemand> demands(2);
  demands[0].name = "head";
  demands[1].name = "rest";
  demands[1].count = 2;
  const auto show = [&](const char* name, seconds age) {
    Assumption part = PartOf("set", name, 1, now - age);
    part.demands = std::make_shared<const std::vector<dra::PodDemand>>(demands);
    return f.Show(part).overdue_at.has_value();
  };
  for (const auto& [pod_set, pods] : row.holding) f.Hold("set", pods, pod_set);
  show("b", seconds(3));
  show("c", seconds(2));
  show("a", seconds(1));
  CHECK(f.Coming() == row.coming);
  // The last of them is waited for as long as anything is to come.
  CHECK(show("a", seconds(1)) == !f.Coming().empty());
  // Who goes takes what is wanted along.
  f.ShowNothing("a");
  f.ShowNothing("c");
  f.Hold("set", 1, "head");
  f.Hold("set", 2, "rest");
  CHECK_FALSE(show("b", seconds(3)));
}

TEST_CASE("pods of one of several Workloads that runs for long are not taken for a new one's") {
  Fixture f;
  f.Show(PartOf("set", "z", 2, f.clock.Now()));
  f.Hold("set", 2);
  f.clock.Advance(AssumeCache::kKeptFor);
  const WallTime now = f.clock.Now();
  f.Show(PartOf("set", "z", 2, now - AssumeCache::kKeptFor));
  CHECK(f.Show(PartOf("set", "a", 2, now)).overdue_at);
  CHECK(f.Coming() == "a:2");
  f.Hold("set", 4);
  CHECK(f.Coming().empty());
  // The old one is gone, and its pods are not yet.
  f.ShowNothing("z");
  f.Hold("set", 2);
  CHECK(f.Coming().empty());
}

TEST_CASE("a named claim's users are known as long as they are here") {
  Fixture f;
  Assumption user = Of("a");
  user.claims = {"shared"};
  const ObjectKey claim{"ml", "shared"};
  f.Show(user);
  CHECK(f.cache.UsersOf(claim) == std::set<ObjectKey>{{"ml", "a"}});
  CHECK(f.cache.UsersOf({"other", "shared"}).empty());
  f.Hold("a", 1);
  f.clock.Advance(minutes(10));
  CHECK(f.cache.UsersOf(claim).size() == 1);
  CHECK(f.ShowNothing("a").freed);
  CHECK(f.cache.UsersOf(claim).empty());
}

TEST_CASE("another Workload of the name is another one") {
  Fixture f;
  f.Show(Of("a", 1));
  const uint64_t seen = f.cache.version();
  Assumption again = Of("a", 2);
  again.uid = "uid-again";
  f.Show(again);
  CHECK(f.Coming() == "a:2");
  CHECK_FALSE(f.cache.Reserve(Of("b"), {seen}));
}

TEST_CASE("all that are judged share one list, made once per change") {
  Fixture f;
  constexpr int kAssumed = 100;
  for (int i = 0; i < kAssumed; ++i) f.Show(Of("job-" + std::to_string(i)));
  f.asked = 0;
  const dra::AssumedList list = f.cache.Others({"ml", "waiting"});
  REQUIRE(list->size() == kAssumed);
  CHECK(f.asked == kAssumed);
  for (int i = 0; i < 1000; ++i)
    REQUIRE(f.cache.Others({"ml", "waiting-" + std::to_string(i)}) == list);
  CHECK(f.asked == kAssumed);
  // One that is assumed itself has its own, and keeps it.
  const dra::AssumedList others = f.cache.Others({"ml", "job-0"});
  CHECK(others->size() == kAssumed - 1);
  CHECK(f.cache.Others({"ml", "job-0"}) == others);
  // A pod that changes nothing here makes no other list: verdicts made from it stay.
  f.Hold("somebody", 1);
  CHECK(f.cache.Others({"ml", "waiting"}) == list);
  CHECK(f.cache.Others({"ml", "job-0"}) == others);
  CHECK(f.asked == 2 * kAssumed);
  // Nor does the same Workload, read again.
  f.Show(Of("job-1"));
  CHECK(f.cache.Others({"ml", "waiting"}) == list);
  f.Hold("job-1", 1);
  CHECK(f.cache.Others({"ml", "waiting"})->size() == kAssumed - 1);
}

TEST_CASE("two that share their demands are two: each sees the other's pods and not its own") {
  Fixture f;
  Assumption a = Of("a");
  Assumption b = Of("b");
  a.demands = b.demands = Of("gpu").demands;
  f.Show(a);
  f.Show(b);
  CHECK(f.Coming() == "gpu:1 gpu:1");
  CHECK(f.Coming("a") == "gpu:1");
  CHECK(f.Coming("b") == "gpu:1");
  f.ShowNothing("a");
  CHECK(f.Coming("b").empty());
  CHECK(f.Coming("c") == "gpu:1");
  // Another one in the place of the first: the list says the same, of others.
  Assumption c = Of("c");
  c.demands = a.demands;
  f.ShowNothing("b");
  f.Show(c);
  CHECK(f.Coming("c").empty());
  CHECK(f.Coming("b") == "gpu:1");
}

namespace {

// A queue of so many cpus. Nothing of it is reserved.
AssumedQuota::Queues QueuesOf(int cpu) {
  verify::ClusterQueue queue{.name = "gpu", .resources = {}};
  queue.resources["cpu"]["default"] = {.nominal = Quantity(cpu), .most = {}, .reserved = {}};
  return {.behind = [](const auto&) { return std::string("gpu"); },
          .find = [object = std::make_shared<const verify::ClusterQueue>(queue)](
                      const auto&) { return object; }};
}

// One cpu, and one pod with devices or without.
Assumption Asking(const std::string& name, bool takes_devices) {
  dra::PodDemand demand;
  demand.name = name;
  demand.count = 1;
  demand.requests.emplace_back(dra::Symbol("cpu"), Quantity(1));
  Assumption assumption = Of(name);
  assumption.demands = std::make_shared<const std::vector<dra::PodDemand>>(1, demand);
  assumption.takes_devices = takes_devices;
  assumption.quota = {.queue = "gpu", .counted = assumption.demands};
  return assumption;
}

struct QuotaFixture {
  HandClock clock;
  AssumeCache cache{
      {.version = [] { return uint64_t{0}; },
       .holding = [](const tracking::JobKey&) { return std::map<std::string, int>(); }},
      clock,
      QueuesOf(2)};

  int64_t Taken() { return cache.QuotaOfOthers({}, "gpu").MilliOf("cpu") / 1000; }
  size_t Coming() { return cache.Others({})->size(); }
  AssumeCache::Change Show(const Assumption& assumption) {
    return cache.Observe(assumption.workload, [&] { return assumption; });
  }
};

}  // namespace

TEST_CASE_METHOD(QuotaFixture, "quota: a verdict holds while there is room for what it allows") {
  // All were judged when nothing was assumed, and found room or not.
  const AssumeCache::Basis room{0, true}, full{0, false};
  CHECK(cache.Reserve(Asking("a", false), room));
  CHECK(cache.Reserve(Asking("b", false), room));
  CHECK(Taken() == 2);
  CHECK_FALSE(cache.Reserve(Asking("c", false), room));
  CHECK(cache.Reserve(Asking("a", false), room));  // it is here already
  CHECK(Taken() == 2);
  // Where none was found it is dispatched for want of a better worker.
  CHECK(cache.Reserve(Asking("c", false), full));
  CHECK(Taken() == 3);
  CHECK_FALSE(cache.Forget({"ml", "c"}).freed);  // of devices nothing
  CHECK(Taken() == 2);
  CHECK(cache.version() == 0);
  CHECK(Coming() == 0);
}

TEST_CASE_METHOD(QuotaFixture, "quota: where devices are taken, too, both verdicts must hold") {
  CHECK(cache.Reserve(Asking("a", true), {0, true}));
  CHECK_FALSE(cache.Reserve(Asking("b", true), {0, true}));  // of devices
  CHECK(cache.Reserve(Asking("b", false), {0, true}));
  CHECK_FALSE(cache.Reserve(Asking("c", true), {cache.version(), true}));  // of quota
  CHECK(cache.Reserve(Asking("c", true), {cache.version(), false}));
  CHECK(Taken() == 3);
  CHECK(Coming() == 2);
}

TEST_CASE_METHOD(QuotaFixture,
                 "quota: a clone that waits for it takes it, and its devices are free") {
  Assumption a = Asking("a", true);
  REQUIRE(cache.Reserve(a, {}));
  Show(a);
  CHECK(Coming() == 1);
  a.since = clock.Now();
  a.takes_devices = false;  // that Kueue has none for it
  AssumeCache::Change change = Show(a);
  CHECK(change.is_here);
  CHECK(change.freed);
  CHECK_FALSE(change.overdue_at);
  CHECK(Coming() == 0);
  CHECK(Taken() == 1);
  a.takes_devices = true;
  a.quota.reserved_at = clock.Now();
  const uint64_t seen = cache.version();
  CHECK(Show(a).overdue_at);
  CHECK(cache.version() > seen);
  CHECK(Coming() == 1);
  CHECK(Taken() == 1);
  clock.Advance(AssumedQuota::kReportedWithin);
  CHECK(Coming() == 1);
  CHECK(Taken() == 0);
  cache.Observe(a.workload, [] { return std::nullopt; });
  CHECK(Coming() == 0);
}

}  // namespace fedra::reconcile::assume_cache_test
