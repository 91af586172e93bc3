#include "manager/reconcile/queue_index.h"

#include <set>

#include "tests/support/catch.h"

namespace fedra::reconcile::queue_index_test {

namespace {

using Keys = std::set<ObjectKey>;

const ObjectKey kTrain{"ml", "train"};
const ObjectKey kTeam{"ml", "team"};

// In LocalQueue ml/team. `cluster_queue`: that has reserved its quota; empty: none has.
tracking::Workload InTeam(const std::string& cluster_queue) {
  tracking::Workload workload;
  workload.key = kTrain;
  workload.requirement.queue = kTeam.name;
  workload.cluster_queue = cluster_queue;
  workload.quota_reserved = tracking::Condition{.is_true = !cluster_queue.empty()};
  return workload;
}

Keys Of(const std::vector<ObjectKey>& keys) { return {keys.begin(), keys.end()}; }

}  // namespace

TEST_CASE("whose quota a queue has reserved, until it ends or goes") {
  QueueIndex index;
  tracking::Workload train = InTeam("gpu");
  index.Update(kTrain, &train);
  CHECK(Of(index.OfClusterQueue("gpu")) == Keys{kTrain});
  CHECK(Of(index.OfLocalQueue(kTeam)) == Keys{kTrain});
  CHECK(Of(index.All()) == Keys{kTrain});
  SECTION("it waits again") {
    train = InTeam("");
    index.Update(kTrain, &train);
  }
  SECTION("it ends") {
    train.finished = tracking::Condition{.is_true = true};
    index.Update(kTrain, &train);
  }
  SECTION("it goes") { index.Update(kTrain, nullptr); }
  CHECK(index.OfClusterQueue("gpu").empty());
  CHECK(index.OfLocalQueue(kTeam).empty());
  CHECK(index.All().empty());
}

TEST_CASE("about which workloads Kueue has decided without a check") {
  QueueIndex index;
  index.Point(kTeam, "gpu");
  tracking::Workload train = InTeam(GENERATE("", "gpu"));
  const auto check = [&](const Keys& expected) {
    CHECK(Of(index.UncheckedIn(kTeam)) == expected);
    CHECK(Of(index.UncheckedOfClusterQueue("gpu")) == expected);
    CHECK(Of(index.Unchecked()) == expected);
  };
  index.Update(kTrain, &train);
  check({kTrain});
  CHECK(index.UncheckedIn({"hpc", kTeam.name}).empty());
  CHECK(index.UncheckedOfClusterQueue("cpu").empty());
  SECTION("its LocalQueue points elsewhere") {
    index.Point(kTeam, "cpu");
    CHECK(index.UncheckedOfClusterQueue("gpu").empty());
    CHECK(Of(index.UncheckedOfClusterQueue("cpu")) == Keys{kTrain});
    index.Point(kTeam, "");
    CHECK(index.UncheckedOfClusterQueue("cpu").empty());
    CHECK(Of(index.UncheckedIn(kTeam)) == Keys{kTrain});
  }
  SECTION("it has its checks") {
    train.checks.push_back({.name = "fedra"});
    index.Update(kTrain, &train);
    check({});
  }
  SECTION("it ends") {
    train.finished = tracking::Condition{.is_true = true};
    index.Update(kTrain, &train);
    check({});
  }
  SECTION("it goes") {
    index.Update(kTrain, nullptr);
    check({});
  }
}

}  // namespace fedra::reconcile::queue_index_test
