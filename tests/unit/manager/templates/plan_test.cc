// What is done about a template on a worker: row by row, and through random histories.

#include "manager/templates/plan.h"

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace fedra::templates::plan_test {

using verify::ClaimSummary;

namespace {

constexpr const char* kOrigin = "fedra";
const tracking::Identity kUs{kOrigin, "m1"};
const std::string kOne = R"({"spec":{"count":1}})";
const std::string kTwo = R"({"spec":{"count":2}})";

ClaimSummary Original(const std::string& uid, const std::string& spec) {
  ClaimSummary claim;
  claim.key = {"ml", "one-gpu"};
  claim.uid = uid;
  claim.spec = spec;
  return claim;
}

ClaimSummary Copy(const std::string& source_uid, const std::string& spec) {
  ClaimSummary claim = Original("copy-of-" + source_uid, spec);
  claim.marks.origin = kOrigin;
  claim.marks.source_uid = source_uid;
  return claim;
}

struct Row {
  std::string what;
  std::optional<ClaimSummary> original;
  std::optional<ClaimSummary> there;
  bool named = true;
  bool here = false;
  Step if_missing = Step::kNone;
  Step reconcile = Step::kNone;
  bool original_known = true;
  bool there_known = true;
  bool can_hold = true;
  bool leaving = false;

  Plan Decided(SyncPolicy mode) const {
    const View view{.original = original ? &*original : nullptr,
                    .original_known = original_known,
                    .there = there ? &*there : nullptr,
                    .there_known = there_known,
                    .can_hold = can_hold,
                    .named = named,
                    .here = here,
                    .leaving = leaving};
    return Decide(view, mode, kUs);
  }
};

std::vector<Row> Rows() {
  const ClaimSummary first = Original("u1", kOne);
  const ClaimSummary anew = Original("u2", kOne);
  const ClaimSummary changed = Original("u2", kTwo);
  const ClaimSummary copy = Copy("u1", kOne);
  ClaimSummary foreign = Original("x", kTwo);
  ClaimSummary other_origin = Copy("u1", kOne);
  other_origin.marks.origin = "another";
  ClaimSummary other_manager = Copy("u1", kOne);
  other_manager.marks.made_by = "m2";
  ClaimSummary half = Copy("u1", kOne);
  half.marks.source_uid.clear();
  ClaimSummary needy = first;
  needy.capabilities = {"gpu.nvidia.com/MPSSupport"};
  ClaimSummary going = copy;
  going.deleting = true;
  using enum Step;
  return {
      {"nobody is sent there", first, {}, true, false},
      {"a workload is sent there", first, {}, true, true, kCreate, kCreate},
      {"the manager has none", {}, {}, true, true},
      {"the worker cannot hold it", first, {}, true, true, kNone, kNone, true, true, false},
      {"the worker's are not known", first, {}, true, true, kNone, kNone, true, false},
      {"up to date", first, copy, true, true},
      {"up to date, used elsewhere", first, copy, true, false},
      {"no longer named", first, copy, false, false, kDelete, kDelete},
      {"neither named nor on the manager", {}, copy, false, false, kDelete, kDelete},
      {"named, gone from the manager, in use", {}, copy, true, true},
      {"named, gone from the manager, unused", {}, copy, true, false, kDelete, kDelete},
      {"perhaps gone from the manager", {}, copy, true, false, kNone, kNone, false},
      {"created anew, as it was", anew, copy, true, true, kNone, kRefresh},
      {"needs another capability now", needy, copy, true, true, kNone, kRefresh},
      {"changed, unused", changed, copy, true, false, kNone, kReplace},
      {"changed, in use", changed, copy, true, true, kNone, kWait},
      {"changed, no longer named", changed, copy, false, false, kDelete, kDelete},
      {"on its way out", first, going, false, false},
      {"foreign, used", first, foreign, true, true},
      {"foreign, unused", first, foreign, false, false},
      {"of another origin", changed, other_origin, false, false},
      {"of another manager", changed, other_manager, false, false},
      {"a label without the annotation", changed, half, false, false},
  };
}

}  // namespace

TEST_CASE("what is done about a template on a worker") {
  for (const Row& row : Rows()) {
    INFO(row.what);
    CHECK(row.Decided(SyncPolicy::kNever).step == Step::kNone);
    CHECK(row.Decided(SyncPolicy::kIfMissing).step == row.if_missing);
    const Plan plan = row.Decided(SyncPolicy::kReconcile);
    CHECK(plan.step == row.reconcile);
    CHECK(plan.why.empty() == (plan.step == Step::kNone));
    CHECK(ToString(plan.step).empty() == (plan.step == Step::kNone));
  }
}

TEST_CASE("a worker that leaves keeps a copy only while a workload there uses it") {
  Row row{.what = "", .original = Original("u1", kOne), .there = Copy("u1", kOne), .leaving = true};
  CHECK(row.Decided(SyncPolicy::kIfMissing).step == Step::kDelete);
  row.here = true;
  CHECK(row.Decided(SyncPolicy::kIfMissing).step == Step::kWait);
  row.there->marks = {};  // not a copy of ours
  CHECK(row.Decided(SyncPolicy::kIfMissing).step == Step::kNone);
}

TEST_CASE("a replacement says what has changed") {
  Row row{.what = "", .original = Original("u2", kTwo), .there = Copy("u1", kOne)};
  CHECK(row.Decided(SyncPolicy::kReconcile).why ==
        "the manager's template has changed: spec.spec.count: 1 there, 2 on the manager");
}

namespace {

// A manager, three workers and the workloads of one namespace, where things happen at random.
//
// The model is naive: it knows at every moment what must be there, from the whole state, without
// steps. Carrying out plans until nothing is left to do must arrive there.
class History final {
 public:
  History(unsigned seed, SyncPolicy mode) : dice_(seed), mode_(mode) {}

  void Run(int events) {
    for (int i = 0; i < events; ++i) {
      const auto before = workers_;
      Happen();
      const auto given = workers_;
      const std::vector<std::optional<ClaimSummary>> expected = Expected();
      Settle();
      for (size_t worker = 0; worker < kWorkers; ++worker) {
        INFO("event " << i << ", worker " << worker);
        CHECK(workers_[worker] == expected[worker]);
        CheckUntouched(given[worker], worker);
      }
    }
  }

 private:
  static constexpr size_t kWorkers = 3;

  struct Workload {
    std::optional<size_t> worker;  // that it is on
  };

  size_t Throw(size_t sides) { return std::uniform_int_distribution<size_t>(0, sides - 1)(dice_); }
  bool IsHere(size_t worker) const {
    return std::any_of(workloads_.begin(), workloads_.end(),
                       [&](const Workload& workload) { return workload.worker == worker; });
  }

  void Happen() {
    switch (Throw(9)) {
      case 0:
        original_.reset();
        break;
      case 1:
      case 2:
        if (!original_)
          original_ = Original("u" + std::to_string(++uids_), Throw(2) == 0 ? kOne : kTwo);
        break;
      case 3:
        workloads_.push_back({});
        break;
      case 4:
        if (!workloads_.empty()) workloads_[Throw(workloads_.size())].worker = Throw(kWorkers);
        break;
      case 5:
        if (!workloads_.empty()) workloads_[Throw(workloads_.size())].worker.reset();
        break;
      case 6:
        if (!workloads_.empty()) workloads_.erase(workloads_.begin());
        break;
      case 7:
        HappenOn(Throw(kWorkers));
        break;
      default:
        can_hold_[Throw(kWorkers)] = Throw(3) != 0;
    }
  }

  // What others do on a worker.
  void HappenOn(size_t worker) {
    std::optional<ClaimSummary>& there = workers_[worker];
    if (Throw(2) == 0) {
      there.reset();
    } else if (!there) {
      there = Original("foreign", kTwo);
    } else {
      there->marks.origin.clear();  // a user makes the copy their own
    }
  }

  std::vector<std::optional<ClaimSummary>> Expected() const {
    std::vector<std::optional<ClaimSummary>> all;
    for (size_t worker = 0; worker < kWorkers; ++worker) all.push_back(ExpectedOn(worker));
    return all;
  }

  std::optional<ClaimSummary> ExpectedOn(size_t worker) const {
    const std::optional<ClaimSummary>& now = workers_[worker];
    const bool ours = now && now->marks.origin == kOrigin;
    if (now && !ours) return now;
    const bool here = IsHere(worker);
    const auto fresh = [&] { return std::optional(Copy(original_->uid, original_->spec)); };
    if (!now) return here && original_ && can_hold_[worker] ? fresh() : std::nullopt;
    if (workloads_.empty() || (!original_ && !here)) return std::nullopt;
    if (!original_ || mode_ == SyncPolicy::kIfMissing) return now;
    if (now->spec == original_->spec) {
      std::optional<ClaimSummary> same = now;
      same->marks.source_uid = original_->uid;
      return same;
    }
    return here ? now : fresh();
  }

  void Settle() {
    for (int round = 0; round < 3; ++round) {
      bool quiet = true;
      for (size_t worker = 0; worker < kWorkers; ++worker) quiet &= !CarryOut(worker);
      if (quiet) return;
    }
    FAIL("the plans do not come to an end");
  }

  bool CarryOut(size_t worker) {
    std::optional<ClaimSummary>& there = workers_[worker];
    const View view{.original = original_ ? &*original_ : nullptr,
                    .there = there ? &*there : nullptr,
                    .can_hold = can_hold_[worker],
                    .named = !workloads_.empty(),
                    .here = IsHere(worker)};
    const Step step = Decide(view, mode_, kUs).step;
    if (step == Step::kNone || step == Step::kWait) return false;
    if (step == Step::kDelete) {
      there.reset();
    } else if (step == Step::kRefresh) {
      there->marks.source_uid = original_->uid;
    } else {
      there = Copy(original_->uid, original_->spec);
    }
    return true;
  }

  // What is another user's, and whatever a workload there uses, is as it was.
  void CheckUntouched(const std::optional<ClaimSummary>& before, size_t worker) const {
    if (!before) return;
    const bool ours = before->marks.origin == kOrigin;
    if (!ours) CHECK(workers_[worker] == before);
    if (!IsHere(worker)) return;
    REQUIRE(workers_[worker].has_value());
    CHECK(workers_[worker]->spec == before->spec);
    CHECK(workers_[worker]->uid == before->uid);
  }

  std::mt19937 dice_;
  const SyncPolicy mode_;
  std::optional<ClaimSummary> original_;
  std::vector<std::optional<ClaimSummary>> workers_{kWorkers};
  std::vector<bool> can_hold_ = std::vector<bool>(kWorkers, true);
  std::vector<Workload> workloads_;
  int uids_ = 0;
};

}  // namespace

TEST_CASE("through any history the copies are what the naive model says") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    History(seed, SyncPolicy::kIfMissing).Run(60);
    History(seed, SyncPolicy::kReconcile).Run(60);
  }
}

}  // namespace fedra::templates::plan_test
