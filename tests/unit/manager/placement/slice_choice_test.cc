// Which of the Workloads of an elastic job sees to its copy, and which of their changes may change
// that.

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "manager/placement/slices.h"
#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"

namespace fedra::placement::slice_choice_test {

using tracking::CheckState;
using tracking::Slice;

namespace {

constexpr WallTime kNow{std::chrono::hours(1)};
const ClusterName kEast("east");

tracking::Condition True(std::string reason) { return {true, std::move(reason), "", kNow}; }

// A slice of one second with the one that it replaces, as all of its kind.
std::shared_ptr<tracking::Workload> SliceOf(const char* name, const char* replaces) {
  auto made = std::make_shared<tracking::Workload>();
  made->key = {"ml", name};
  made->slice = std::make_shared<const Slice>(Slice{"job-train-9", replaces, std::vector{1}});
  return made;
}

// What Kueue and fedra have made of one.
using Made = void (*)(tracking::Workload& slice);
void Waits(tracking::Workload&) {}
void HasQuota(tracking::Workload& slice) { slice.quota_reserved = True("QuotaReserved"); }
void IsOnEast(tracking::Workload& slice) {
  HasQuota(slice);
  slice.cluster_name = kEast.value;
}
void IsOnWest(tracking::Workload& slice) {
  HasQuota(slice);
  slice.cluster_name = "west";
}
void Replaced(tracking::Workload& slice) {
  IsOnEast(slice);
  slice.finished = True(std::string(tracking::kSliceReplaced));
}
void EvictedOnEast(tracking::Workload& slice) {
  IsOnEast(slice);
  slice.evicted = True("Preempted");
}
// Its quota was taken, and with it, in mode multikueue, its place.
void Evicted(tracking::Workload& slice) { slice.evicted = True("Preempted"); }
void EvictedAndReplaced(tracking::Workload& slice) {
  Evicted(slice);
  slice.finished = True(std::string(tracking::kSliceReplaced));
}
void Ended(tracking::Workload& slice) {
  HasQuota(slice);
  slice.finished = True(std::string(tracking::kSucceeded));
}
void Deleted(tracking::Workload& slice) {
  IsOnEast(slice);
  slice.deleting = true;
}

}  // namespace

TEST_CASE("which slice sees to the copy on a worker") {
  struct Row {
    const char* what;
    std::vector<Made> slices;  // each replaces the one before
    int sees_to_it;            // which; -1: none
  };
  // Of east. Their names are in another order than they were made.
  const Row row = GENERATE(values<Row>({
      {"one that has its place there", {IsOnEast}, 0},
      {"one whose place is being written", {HasQuota}, 0},
      {"one that waits, where nothing is known of any other", {Waits}, 0},
      {"the next one waits for quota", {IsOnEast, Waits}, 0},
      {"the next one has just got the place", {IsOnEast, IsOnEast}, 1},
      {"the next one has got quota without a place", {IsOnEast, HasQuota}, 0},
      {"the next one is evicted before this one is finished", {IsOnEast, EvictedOnEast}, 0},
      {"... and then it is", {Replaced, EvictedOnEast}, 1},
      {"... and the place is taken back", {Replaced, Evicted}, 1},
      {"... and a third one waits", {Replaced, EvictedAndReplaced, Waits}, 1},
      {"it was replaced", {Replaced, IsOnEast}, 1},
      {"it was replaced, and the next one has no place yet", {Replaced, HasQuota}, 1},
      {"it was replaced, and the next one's quota is not seen yet", {Replaced, Waits}, -1},
      {"it was replaced, and the next one is not seen yet", {Replaced}, -1},
      {"the one before was evicted long ago", {EvictedAndReplaced, Replaced, Waits}, -1},
      {"it is evicted, and the next one waits", {EvictedOnEast, Waits}, 0},
      {"... and it is finished", {EvictedAndReplaced, Waits}, 0},
      {"... and the next one looks for a place", {EvictedAndReplaced, HasQuota}, 1},
      {"... and the next one has a place elsewhere", {EvictedAndReplaced, IsOnWest}, 1},
      {"the job has ended, and the next one with it", {IsOnEast, Ended}, 0},
      {"... and this one is replaced afterwards", {Replaced, Ended}, 1},
      {"both have ended", {Ended, Ended}, 1},
      {"the job is deleted", {Deleted, Deleted}, 1},
      {"the next one is deleted while it waits", {IsOnEast, Deleted}, 0},
  }));
  INFO(row.what);
  const char* const names[] = {"job-train-9", "job-train-10", "job-train-1"};
  Slices slices;
  for (size_t i = 0; i < row.slices.size(); ++i) {
    const auto slice = SliceOf(names[i], i == 0 ? "" : names[i - 1]);
    row.slices[i](*slice);
    slices.push_back(slice);
  }
  const auto expected = row.sees_to_it < 0 ? nullptr : slices[static_cast<size_t>(row.sees_to_it)];
  CHECK(SeesToCopy(slices, kEast) == expected);
  std::ranges::reverse(slices);
  CHECK(SeesToCopy(slices, kEast) == expected);
}

TEST_CASE("of two slices of one second the one that replaces the other has the copy") {
  const auto before = SliceOf("job-train-9", "job-train-0");
  const auto between = SliceOf("job-train-10", "job-train-9");
  const auto after = SliceOf("job-train-1", "job-train-10");
  IsOnEast(*before);
  IsOnEast(*after);
  for (const Slices& slices : {Slices{before, between, after}, Slices{after, between, before}})
    CHECK(SliceWithCopy(slices) == after);
  after->cluster_name.clear();
  CHECK(SliceWithCopy({after, between, before}) == before);
  CHECK(SliceWithCopy({after}) == nullptr);
}

TEST_CASE("which change of a slice concerns the others of its job") {
  struct Row {
    const char* what;
    Made before, after;
    bool concerns;
  };
  const Row row = GENERATE(values<Row>({
      {"none", IsOnEast, IsOnEast, false},
      {"it gets quota", Waits, HasQuota, true},
      {"it gets its place", HasQuota, IsOnEast, true},
      {"it is evicted", IsOnEast, EvictedOnEast, true},
      {"its quota is taken", EvictedOnEast, Evicted, true},
      {"it is finished", IsOnEast, Replaced, true},
      {"it is deleted", IsOnEast, Deleted, true},
      {"its check is written", IsOnEast,
       [](tracking::Workload& slice) {
         IsOnEast(slice);
         slice.checks = {{"fedra", CheckState::kReady, "admitted", kNow}};
       },
       false},
  }));
  INFO(row.what);
  const auto before = SliceOf("job-train-9", "");
  const auto after = SliceOf("job-train-9", "");
  row.before(*before);
  row.after(*after);
  CHECK(ConcernsOthers(before.get(), after.get()) == row.concerns);
  CHECK(ConcernsOthers(nullptr, after.get()));
  CHECK(ConcernsOthers(before.get(), nullptr));
  before->slice = after->slice = nullptr;
  CHECK_FALSE(ConcernsOthers(before.get(), after.get()));
  CHECK_FALSE(ConcernsOthers(nullptr, after.get()));
}

TEST_CASE("whose chain a copy is of") {
  const auto slice = SliceOf("job-train-3", "job-train-2");
  const auto named = SliceOf("job-train-1", "");
  named->slice = std::make_shared<const Slice>(Slice{"job-train-1", "", std::vector{1}});
  tracking::Job copy;
  CHECK(ChainOf(copy, {slice}, named.get()).empty());
  for (const char* name : {"job-train-3", "job-train-2"}) {
    copy.prebuilt_workload = name;
    CHECK(ChainOf(copy, {slice}, nullptr) == "job-train-9");
    CHECK(ChainOf(copy, {slice}, named.get()) == "job-train-9");
    CHECK(ChainOf(copy, {}, nullptr).empty());
  }
  copy.prebuilt_workload = "job-train-1";
  CHECK(ChainOf(copy, {slice}, nullptr).empty());
  CHECK(ChainOf(copy, {slice}, named.get()) == "job-train-1");
  named->slice = nullptr;
  CHECK(ChainOf(copy, {slice}, named.get()).empty());
}

}  // namespace fedra::placement::slice_choice_test
