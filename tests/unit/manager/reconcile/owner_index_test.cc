#include "manager/reconcile/owner_index.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace fedra::reconcile::owner_index_test {

using tracking::Condition;
using tracking::Job;
using tracking::Slice;
using tracking::Workload;

namespace {

using Keys = std::vector<ObjectKey>;

const tracking::JobKey kJob{"Job.batch", {"ml", "train"}};
const ObjectKey kFirst{"ml", "train-1"};
const ObjectKey kSecond{"ml", "train-2"};
const ObjectKey kOther{"ml", "other-1"};

Workload SliceOf(const ObjectKey& key, int second) {
  Workload made;
  made.key = key;
  made.created = WallTime{std::chrono::seconds(second)};
  made.requirement.kind = kJob.kind;
  made.owner.name = kJob.key.name;
  made.slice = std::make_shared<const Slice>(Slice{kFirst.name, "", {1}});
  return made;
}

// A job of two Workloads, and another one.
struct Fixture {
  OwnerIndex index;
  Workload first = SliceOf(kFirst, 1);
  Workload second = SliceOf(kSecond, 2);
  Workload other = SliceOf(kOther, 3);

  Fixture() {
    other.owner.name = "other";
    for (Workload* each : {&first, &second, &other}) index.Note(each->key, nullptr, each);
  }
};

}  // namespace

TEST_CASE("a slice of which something changes that decides about the others wakes them") {
  Fixture f;
  Workload now = f.first;
  now.checks = {{"fedra", tracking::CheckState::kReady, "admitted", {}}};
  CHECK(f.index.WokenByWorkload(kFirst, &f.first, &now) == Keys{kFirst});
  now.quota_reserved = Condition{.is_true = true};
  CHECK(f.index.WokenByWorkload(kFirst, &f.first, &now) == Keys{kFirst, kSecond});
  CHECK(f.index.WokenByWorkload(kSecond, nullptr, &f.second) == Keys{kSecond, kFirst});
  f.index.Note(kSecond, &f.second, nullptr);
  CHECK(f.index.WokenByWorkload(kSecond, &f.second, nullptr) == Keys{kSecond, kFirst});
  CHECK(f.index.WokenByWorkload(kOther, nullptr, &f.other) == Keys{kOther});
  // The one that it has replaced has gone before.
  auto slice = std::make_shared<tracking::Slice>(*f.second.slice);
  slice->replaces = kFirst.name;
  f.second.slice = slice;
  f.index.Note(kFirst, &f.first, nullptr);
  CHECK(f.index.WokenByWorkload(kSecond, &f.second, nullptr) == Keys{kSecond, kFirst});
}

TEST_CASE("a change of an elastic job wakes all of its slices, but for how its pods get on") {
  Fixture f;
  Job before;
  before.elastic = true;
  Job after = before;
  after.shows_activity = true;
  CHECK(f.index.WokenByJob(kJob, &before, &after) == Keys{kSecond});
  after.finished = true;
  CHECK(f.index.WokenByJob(kJob, &before, &after) == Keys{kSecond, kFirst});
  CHECK(f.index.WokenByJob(kJob, &before, nullptr) == Keys{kSecond, kFirst});
  CHECK(f.index.WokenByCopy(kJob) == Keys{kSecond, kFirst});
  CHECK(f.index.WokenByCopy({"Job.batch", {"ml", "unknown"}}).empty());
}

TEST_CASE("of the Workloads of another job the one that stands for it is woken") {
  Fixture f;
  for (Workload* each : {&f.first, &f.second}) {
    const Workload before = *each;
    each->slice = nullptr;
    f.index.Note(each->key, &before, each);
  }
  CHECK(f.index.WokenByCopy(kJob) == Keys{kSecond});
  CHECK(f.index.WokenByJob(kJob, nullptr, nullptr) == Keys{kSecond});
  const Workload before = f.second;
  f.second.finished = Condition{.is_true = true};
  f.index.Note(kSecond, &before, &f.second);
  CHECK(f.index.WokenByWorkload(kSecond, &before, &f.second) == Keys{kSecond});
  CHECK(f.index.WorkloadOf(kJob) == kFirst);
}

}  // namespace fedra::reconcile::owner_index_test
