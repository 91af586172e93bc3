// Which of several workers comes first: the list of docs/verdicts.md, "Yes, and which worker comes
// first", in its order.

#include "manager/placement/rank.h"

#include <algorithm>
#include <array>

#include "tests/support/catch.h"

namespace fedra::placement::rank_test {

using namespace std::chrono_literals;

namespace {

constexpr WallTime kNow{std::chrono::hours(1)};

struct Fixture {
  std::vector<ClusterView> clusters{Good("first"), Good("second")};
  PlacementRecord record;

  // There is nothing that another worker could have before it.
  static ClusterView Good(const char* name) {
    ClusterView cluster;
    cluster.name = ClusterName(name);
    cluster.contact = Contact::kFull;
    cluster.verdict.outcome = verdict::Outcome::kYes;
    cluster.verdict.headroom = 1;
    cluster.claims_in_use = 1;
    return cluster;
  }
  void Fail(const ClusterView& cluster, WallTime at) {
    record.failures.push_back({.cluster = cluster.name, .at = at});
  }
  std::string Best() const {
    const auto ranked = Rank(clusters, record, {}, kNow);
    REQUIRE(ranked.size() == clusters.size());
    return ranked.front()->name.value;
  }
};

// One item of the list, by what makes a worker the worse one.
struct Item {
  const char* name;
  void (*worsen)(Fixture& fixture, ClusterView& cluster);
};

// 1 to 7; 8, the order given, is that of Fixture::clusters.
constexpr std::array kItems = {
    Item{"the verdict",
         [](Fixture&, ClusterView& it) { it.verdict.outcome = verdict::Outcome::kMayScale; }},
    Item{"a recent failure",
         [](Fixture& fixture, ClusterView& it) { fixture.Fail(it, kNow - 1s); }},
    Item{"a queue without room",
         [](Fixture&, ClusterView& it) {
           it.verdict.reasons = {
               {verdict::ReasonCode::kQueueFull, "", verdict::Quota{.queue = "gpu"}}};
         }},
    Item{"claims in use", [](Fixture&, ClusterView& it) { it.claims_in_use = 0; }},
    Item{"the alternative", [](Fixture&, ClusterView& it) { it.verdict.alternatives = {0, 1}; }},
    Item{"devices to spare", [](Fixture&, ClusterView& it) { it.verdict.headroom = 0; }},
    Item{"clones that wait", [](Fixture&, ClusterView& it) { it.waiting_clones = 1; }},
};

}  // namespace

// So a swap of two neighbours fails.
TEST_CASE("rank: each item outweighs all that are behind it in the list") {
  for (const Item* item = kItems.begin(); item != kItems.end(); ++item) {
    CAPTURE(item->name);
    Fixture fixture;
    item->worsen(fixture, fixture.clusters[0]);
    for (const Item* later = item + 1; later != kItems.end(); ++later)
      later->worsen(fixture, fixture.clusters[1]);
    CHECK(fixture.Best() == "second");
  }
}

TEST_CASE_METHOD(Fixture, "rank: without a difference the order given decides") {
  CHECK(Best() == "first");
  std::ranges::reverse(clusters);
  CHECK(Best() == "second");
}

TEST_CASE_METHOD(Fixture, "rank: of verdicts Yes, then MayScale, then Unknown") {
  clusters.push_back(Good("third"));
  clusters[0].verdict.outcome = verdict::Outcome::kUnknown;
  clusters[1].verdict.outcome = verdict::Outcome::kMayScale;
  const auto ranked = Rank(clusters, record, {.unknown = UnknownPolicy::kTryLast}, kNow);
  REQUIRE(ranked.size() == 3);
  CHECK(ranked[0]->name.value == "third");
  CHECK(ranked[1]->name.value == "second");
  CHECK(ranked[2]->name.value == "first");
}

TEST_CASE_METHOD(Fixture, "rank: of two that failed, the one whose failure is older") {
  Fail(clusters[0], kNow - 1min);
  Fail(clusters[1], kNow - 2min);
  CHECK(Best() == "second");
  SECTION("and none that is long ago counts") {
    record.failures = {{.cluster = clusters[0].name, .at = kNow - kFailureMemory}};
    CHECK(Best() == "first");
  }
}

TEST_CASE_METHOD(Fixture, "rank: alternatives are counted over all requests, lower ones first") {
  clusters[0].verdict.alternatives = {1, 1};
  clusters[1].verdict.alternatives = {0, 1};
  CHECK(Best() == "second");
}

}  // namespace fedra::placement::rank_test
