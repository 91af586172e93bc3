// Jobs of several objects: what the group as one job is, and what its copies on a worker lack.

#include "manager/tracking/job_members.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "manager/tracking/kinds/pod.h"
#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"

namespace fedra::tracking::job_members_test {

using Names = std::vector<std::string>;

namespace {

const ObjectKey kGroup{"ml", "train"};

// As tables write a pod: its name, and what is particular about it.
struct Pod {
  std::string name;
  std::string is = {};   // "", "Running", "Succeeded", "Failed"
  std::string uid = {};  // of the manager's pod; empty: "uid-" and the name
  bool deleting = false;
  bool held = false;     // by Kueue's finalizer
  bool earlier = false;  // a copy of an earlier Workload's
  bool retriable = true;
  bool serves = false;
  int total = 2;
};

JobPtr Make(const Pod& pod, bool is_copy) {
  auto job = std::make_shared<Job>();
  const std::string uid = pod.uid.empty() ? "uid-" + pod.name : pod.uid;
  job->key = {"ml", pod.name};
  job->kind = &PodAdapter();
  job->uid = is_copy ? "copy-" + uid : uid;
  job->managed_by = is_copy ? "" : std::string(kManagedBy);
  job->suspended = pod.is.empty();
  job->failed = pod.is == "Failed";
  job->finished = job->failed || pod.is == "Succeeded";
  job->shows_activity = pod.is == "Running";
  job->active_pods = pod.is == "Running" ? 1 : 0;
  job->deleting = pod.deleting;
  if (is_copy) job->marks = {"fedra", "m1", pod.earlier ? "w0" : "w1", kGroup.name};
  GroupMember member{.group = kGroup.name,
                     .total = pod.total,
                     .serves = pod.serves,
                     .retriable = pod.retriable,
                     .copy_of = is_copy ? uid : "",
                     .finalizers = {}};
  if (pod.held) member.finalizers.emplace_back(kManaged);
  job->member = std::make_shared<const GroupMember>(std::move(member));
  return job;
}

JobPtr Join(const std::vector<Pod>& pods, bool are_copies) {
  std::vector<JobPtr> members;
  for (const Pod& pod : pods) members.push_back(Make(pod, are_copies));
  return JoinMembers(kGroup, std::move(members));
}

JobPtr Local(const std::vector<Pod>& pods) { return Join(pods, false); }
// Those of this admission first, as find_copies gives them.
JobPtr Remote(std::vector<Pod> pods) {
  std::ranges::stable_partition(pods, [](const Pod& pod) { return !pod.earlier; });
  return Join(pods, true);
}

Names NamesOf(const std::vector<JobPtr>& jobs) {
  Names names;
  for (const JobPtr& job : jobs) names.push_back(job->key.name);
  return names;
}

}  // namespace

TEST_CASE("a group ends as Kueue says: by so many successes, or where none is replaced") {
  struct Row {
    const char* what;
    std::vector<Pod> pods;
    bool finished;
    bool failed;
  };
  const Row row = GENERATE(values<Row>({
      {"none has ended", {{"a"}, {"b", "Running"}}, false, false},
      {"one has", {{"a", "Succeeded"}, {"b", "Running"}}, false, false},
      {"all succeeded", {{"a", "Succeeded"}, {"b", "Succeeded"}}, true, false},
      {"one failed and waits for its replacement",
       {{"a", "Succeeded"}, {"b", "Failed"}},
       false,
       false},
      {"it was replaced", {{"a", "Succeeded"}, {"b", "Failed"}, {"c", "Succeeded"}}, true, false},
      {"none is replaced",
       {{"a", "Succeeded"}, {.name = "b", .is = "Failed", .retriable = false}},
       true,
       true},
      {"none is replaced, and one runs still",
       {{"a", "Running"}, {.name = "b", .is = "Failed", .retriable = false}},
       false,
       false},
      {"it serves", {{.name = "a", .is = "Succeeded", .serves = true, .total = 1}}, false, false},
  }));
  INFO(row.what);
  const JobPtr group = Local(row.pods);
  CHECK(group->finished == row.finished);
  CHECK(group->failed == row.failed);
}

TEST_CASE("a group as one job: its own key, and what its members show together") {
  CHECK(JoinMembers(kGroup, {}) == nullptr);
  const JobPtr group = Local({{"b", "Running"}, {"a"}});
  CHECK(KeyOf(*group) == JobKey{"Pod group", kGroup});
  CHECK(NamesOf(ObjectsOf(group)) == Names{"a", "b"});
  CHECK(group->managed_by == kManagedBy);
  CHECK(group->active_pods == 1);
  CHECK(group->shows_activity);
  CHECK_FALSE(group->suspended);
  CHECK_FALSE(group->deleting);
  CHECK(Local({{"a"}, {"b", "Succeeded"}})->suspended);
  // What is being deleted releases its quota by itself.
  CHECK_FALSE(Local({{.name = "a", .is = "Running", .deleting = true}, {"b"}})->shows_activity);
}

TEST_CASE("what a worker lacks of a group, and what it has too much") {
  struct Row {
    const char* what;
    std::vector<Pod> local;
    std::vector<Pod> remote;
    Names missing;
    Names surplus;
  };
  const Row row = GENERATE(values<Row>({
      {"nothing is there", {{"a"}, {"b"}}, {}, {"a", "b"}, {}},
      {"all is there", {{"a"}, {"b"}}, {{"a", "Running"}, {"b"}}, {}, {}},
      {"one is missing", {{"a"}, {"b"}}, {{"a"}}, {"b"}, {}},
      {"one has ended before, elsewhere", {{"a", "Succeeded"}, {"b"}}, {}, {"b"}, {}},
      {"one is being deleted here",
       {{.name = "a", .deleting = true}, {"b"}},
       {{"a", "Running"}, {"b"}},
       {},
       {"a"}},
      {"and not there yet", {{.name = "a", .deleting = true}, {"b"}}, {{"b"}}, {}, {}},
      {"one is gone here", {{"b"}}, {{"a", "Failed"}, {"b"}}, {}, {"a"}},
      {"a failed one was replaced",
       {{"a", "Failed"}, {"b"}, {"c"}},
       {{"a", "Failed"}, {"b"}},
       {"c"},
       {}},
      {"by one that took its name",
       {{.name = "a", .uid = "new"}, {"b"}},
       {{"a", "Failed"}, {"b"}},
       {},
       {"a"}},
      {"and whose name is free now", {{.name = "a", .uid = "new"}, {"b"}}, {{"b"}}, {"a"}, {}},
      {"one is of an earlier Workload",
       {{"a"}, {"b"}},
       {{"a"}, {.name = "b", .earlier = true}},
       {},
       {"b"}},
      {"one that runs is being deleted there",
       {{"a"}},
       {{.name = "a", .is = "Running", .deleting = true, .held = true}},
       {},
       {}},
      {"one that does not run any more",
       {{"a"}},
       {{.name = "a", .deleting = true, .held = true}},
       {},
       {"a"}},
      {"one is being deleted there, and nothing is left to be done",
       {{"b"}},
       {{.name = "a", .deleting = true}, {"b"}},
       {},
       {}},
      {"the same with Kueue's finalizer",
       {{"b"}},
       {{.name = "a", .deleting = true, .held = true}, {"b"}},
       {},
       {"a"}},
  }));
  INFO(row.what);
  const JobPtr local = Local(row.local);
  const JobPtr remote = Remote(row.remote);
  CHECK(NamesOf(MissingOf(local, remote)) == row.missing);
  CHECK(NamesOf(SurplusOf(local, remote)) == row.surplus);
}

TEST_CASE("a copy stands for the pod of its name and UID") {
  const JobPtr local = Local({{"a"}, {.name = "b", .uid = "new"}, {"c"}});
  const JobPtr remote = Remote({{"a", "Running"}, {"b", "Failed"}});
  const std::vector<CopyPair> pairs = PairsOf(local, remote);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].local->key.name == "a");
  CHECK(pairs[0].remote->uid == "copy-uid-a");
  CHECK(PairsOf(nullptr, remote).empty());
  CHECK(PairsOf(local, nullptr).empty());
}

TEST_CASE("the end of a member is news while the manager's pod shows none") {
  struct Row {
    Pod local;
    Pod remote;
    bool news;
  };
  const Row row = GENERATE(values<Row>({
      {{"a", "Running"}, {"a", "Succeeded"}, true},
      {{"a"}, {"a", "Failed"}, true},
      {{"a", "Succeeded"}, {"a", "Succeeded"}, false},
      {{"a"}, {"a", "Running"}, false},
      {{.name = "a", .deleting = true}, {"a", "Succeeded"}, false},
      {{.name = "a", .uid = "new"}, {"a", "Failed"}, false},
  }));
  CHECK(ShowsNewEnd(Local({row.local, {"b"}}), Remote({row.remote, {"b"}})) == row.news);
}

namespace {

// Pods of a group and copies of them in any state, and what time and fedra make of the copies.
struct Random {
  std::mt19937 random;
  std::vector<Pod> local;
  std::vector<Pod> remote;

  explicit Random(unsigned seed) : random(seed) {
    for (const char* name : {"a", "b", "c"}) {
      if (!OneIn(4))
        local.push_back({.name = name, .is = Phase(), .uid = Uid(), .deleting = OneIn(5)});
      if (OneIn(3)) continue;
      remote.push_back({.name = name,
                        .is = Phase(),
                        .uid = Uid(),
                        .deleting = OneIn(3),
                        .held = OneIn(2),
                        .earlier = OneIn(6)});
    }
  }

  bool OneIn(unsigned n) { return random() % n == 0; }
  std::string Phase() {
    constexpr std::array kPhases = {"", "", "Running", "Succeeded", "Failed"};
    return kPhases[random() % kPhases.size()];
  }
  std::string Uid() { return OneIn(3) ? "old" : "new"; }

  // A deleted pod ends, and goes unless it is held. As adapters read it, it has not ended.
  void PassTime() {
    std::erase_if(remote, [](const Pod& copy) { return copy.deleting && !copy.held; });
    for (Pod& copy : remote)
      if (copy.deleting && (copy.is == "Running" || copy.is == "Failed")) copy.is = "";
  }
  void Act() {
    const auto surplus = NamesOf(SurplusOf(Local(local), Remote(remote)));
    std::erase_if(remote,
                  [&](const Pod& copy) { return std::ranges::count(surplus, copy.name) > 0; });
    for (const JobPtr& missing : MissingOf(Local(local), Remote(remote)))
      remote.push_back({.name = missing->key.name, .uid = missing->uid});
  }
};

}  // namespace

TEST_CASE("whatever is on a worker, it comes to one copy of each pod that may run") {
  const unsigned seed = GENERATE(range(0U, 2000U));
  INFO("seed " << seed);
  Random world(seed);
  if (world.local.empty()) return;
  for (int step = 0; step < 6; ++step) {
    world.PassTime();
    for (const JobPtr& missing : MissingOf(Local(world.local), Remote(world.remote)))
      REQUIRE_FALSE((missing->finished || missing->deleting));
    world.Act();
  }
  const JobPtr local = Local(world.local);
  const JobPtr remote = Remote(world.remote);
  CHECK(MissingOf(local, remote).empty());
  CHECK(SurplusOf(local, remote).empty());
  const std::vector<CopyPair> pairs = PairsOf(local, remote);
  for (const JobPtr& pod : local->members) {
    if (pod->finished || pod->deleting) continue;
    CHECK(std::ranges::count(pairs, pod->key,
                             [](const CopyPair& pair) { return pair.local->key; }) == 1);
  }
  // Beside them only what pods that have ended here left there.
  for (const JobPtr& copy : ObjectsOf(remote)) {
    CHECK(std::ranges::any_of(local->members, [&](const JobPtr& pod) {
      return pod->key == copy->key && !pod->deleting;
    }));
  }
}

TEST_CASE("a job of one object is its own only member") {
  auto local = std::make_shared<Job>();
  auto remote = std::make_shared<Job>();
  CHECK(ObjectsOf(nullptr).empty());
  CHECK(ObjectsOf(local) == std::vector<JobPtr>{local});
  CHECK(MissingOf(local, nullptr) == std::vector<JobPtr>{local});
  CHECK(MissingOf(local, remote).empty());
  CHECK(SurplusOf(local, remote).empty());
  CHECK(PairsOf(local, remote).size() == 1);
  CHECK_FALSE(ShowsNewEnd(local, remote));
  remote->finished = true;
  CHECK(ShowsNewEnd(local, remote));
  local->finished = true;
  CHECK_FALSE(ShowsNewEnd(local, remote));
}

}  // namespace fedra::tracking::job_members_test
