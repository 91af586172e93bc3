// ManagerLists: what the lists' health means for all of the manager.

#include "manager/reconcile/manager_lists.h"

#include <memory>

#include "manager/tracking/resources.h"
#include "tests/support/catch.h"

namespace fedra::manager_lists_test {

using reconcile::Gap;
using reconcile::ManagerInput;
using reconcile::ManagerLists;
using reconcile::Need;
using watch::CacheHealth;
using watch::CacheState;

namespace {

// A cache that is as it was set to be.
class FakeSink final : public watch::CacheSink {
 public:
  void Reset() override {}
  Result<void> Upsert(std::string_view) override { return {}; }
  Result<void> Remove(std::string_view) override { return {}; }
  void Synced() override {}
  watch::Held held() const override { return {}; }
  void SetHealth(CacheHealth health) override { health_ = std::move(health); }
  CacheHealth health() const override { return health_; }

  void Set(CacheState state, bool complete) {
    health_ = {};
    health_.state = state;
    health_.complete = complete;
    if (state == CacheState::kFailing)
      health_.error = std::make_shared<const Error>(Error{ErrorCode::kUnavailable, "500", {}, {}});
  }

 private:
  CacheHealth health_;
};

// Workloads, which are required, and queues, which are not.
struct Two {
  FakeSink workloads;
  FakeSink queues;
  bool reads_queues = true;
  ManagerLists lists{
      [this](const ManagerInput& input) { return reads_queues || input.need == Need::kRequired; }};

  Two() {
    lists.Set(
        {{{.resource = tracking::kWorkloads}, &workloads},
         {{.resource = tracking::kClusterQueues, .need = Need::kOptional, .without = "no order"},
          &queues}});
    workloads.Set(CacheState::kSynced, true);
    queues.Set(CacheState::kSynced, true);
  }
};

std::vector<std::string> Names(const std::vector<Gap>& gaps) {
  std::vector<std::string> names;
  for (const Gap& gap : gaps) names.push_back(gap.resource);
  return names;
}

const std::vector<std::string> kQueues = {"clusterqueues.kueue.x-k8s.io"};

}  // namespace

TEST_CASE("the manager's lists are as their worst one that counts") {
  Two two;
  SECTION("all is listed") {
    CHECK(two.lists.AreListed());
    CHECK(two.lists.AreListedAnew());
    CHECK(two.lists.Problem().empty());
    CHECK(two.lists.Gaps().empty());
  }
  SECTION("one that is required is refused") {
    two.workloads.Set(CacheState::kForbidden, false);
    CHECK_FALSE(two.lists.AreListed());
    CHECK_FALSE(two.lists.Problem().empty());
    CHECK(two.lists.Gaps().empty());
  }
  SECTION("an old list is good enough until it must be made anew") {
    two.workloads.Set(CacheState::kFailing, true);
    CHECK(two.lists.AreListed());
    CHECK_FALSE(two.lists.AreListedAnew());
    CHECK_FALSE(two.lists.Problem().empty());
  }
  SECTION("one that is not needed is refused: a gap") {
    two.queues.Set(CacheState::kForbidden, false);
    CHECK(two.lists.AreListed());
    CHECK(two.lists.Problem().empty());
    CHECK(Names(two.lists.Gaps()) == kQueues);
  }
  SECTION("one that is not read counts for nothing") {
    two.reads_queues = false;
    two.queues.Set(CacheState::kSyncing, false);
    CHECK(two.lists.AreListed());
    two.queues.Set(CacheState::kForbidden, false);
    CHECK(two.lists.Gaps().empty());
  }
}

TEST_CASE("what another leader has written is listed anew, or known not to come") {
  struct Case {
    const char* what;
    CacheState state;
    bool complete;  // by an older list, if not by this one
    bool is_listed_anew;
    bool is_gap;
  };
  const Case cases[] = {
      {"the list is on its way", CacheState::kSyncing, true, false, false},
      {"there was none yet", CacheState::kSyncing, false, false, false},
      {"it has come", CacheState::kSynced, true, true, false},
      {"it has failed, and an older one is there", CacheState::kFailing, true, true, true},
      {"it has failed, and there is none", CacheState::kFailing, false, true, true},
      {"it is refused", CacheState::kForbidden, false, true, true},
      {"it is not served", CacheState::kNotServed, false, true, true},
  };
  for (const Case& row : cases) {
    CAPTURE(row.what);
    FakeSink records;
    records.Set(row.state, row.complete);
    ManagerLists lists([](const ManagerInput&) { return true; });
    lists.Set({{{.resource = tracking::kPlacementRecords,
                 .need = Need::kOptional,
                 .without = "nothing is inherited",
                 .is_missed_unserved = true,
                 .is_inherited = true},
                &records}});
    CHECK(lists.AreListedAnew() == row.is_listed_anew);
    CHECK(!lists.Gaps().empty() == row.is_gap);
    CHECK(lists.Problem().empty());
  }
}

TEST_CASE("a gap is new once, and again after it was closed") {
  Two two;
  two.queues.Set(CacheState::kForbidden, false);
  CHECK(Names(two.lists.TakeNewGaps()) == kQueues);
  CHECK(two.lists.TakeNewGaps().empty());
  // An outage between two refusals closes nothing.
  two.queues.Set(CacheState::kSyncing, false);
  CHECK(two.lists.TakeNewGaps().empty());
  two.queues.Set(CacheState::kForbidden, false);
  CHECK(two.lists.TakeNewGaps().empty());
  two.queues.Set(CacheState::kSynced, true);
  CHECK(two.lists.TakeNewGaps().empty());
  two.queues.Set(CacheState::kForbidden, true);
  CHECK(Names(two.lists.TakeNewGaps()) == kQueues);
}

TEST_CASE("a Kueue that is too old for the manager is told of once, with what to do") {
  Two two;
  two.workloads.Set(CacheState::kNotServed, false);
  const std::string problem =
      "the API server does not serve workloads.kueue.x-k8s.io in v1beta2: install Kueue 0.15 or "
      "newer there";
  CHECK(two.lists.Problem() == problem);
  const std::vector<Gap> told = two.lists.TakeNewGaps();
  REQUIRE(told.size() == 1);
  CHECK(told[0].why == problem + "; fedra decides nothing before it can read it");
  CHECK(two.lists.TakeNewGaps().empty());
  two.workloads.Set(CacheState::kSynced, true);
  CHECK(two.lists.TakeNewGaps().empty());
  two.workloads.Set(CacheState::kForbidden, false);
  CHECK(Names(two.lists.TakeNewGaps()) == std::vector<std::string>{"workloads.kueue.x-k8s.io"});
}

}  // namespace fedra::manager_lists_test
