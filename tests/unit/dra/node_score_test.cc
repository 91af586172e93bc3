// What kube-scheduler's plugins give a node for a pod, worked out by hand.

#include "dra/judge/node_score.h"

#include "dra/model/parse.h"
#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test::node_score_test {
namespace {

using dra::CpuAndMemory;
using dra::Load;

struct ScoreRow {
  const char* why;
  CpuAndMemory allocatable, on_node, pod;
  int of_balance, of_change;  // up to Kubernetes 1.35, and from 1.36 on
};

TEST_CASE("a node's score is what is left of it, and how well it is balanced") {
  const std::vector<ScoreRow> rows = {
      // Left are 75 % and 75 %; balanced before and after.
      {"an even share", {4000, 8000}, {0, 0}, {1000, 2000}, 75 + 100, 75 + 75},
      // Left are 25 % and 75 %, so 50; half the distance is 25 %.
      {"an uneven share", {4000, 8000}, {0, 0}, {3000, 2000}, 50 + 75, 50 + 62},
      // Left are 50 % and 50 %; before, half the distance was 25 %.
      {"a share that evens out", {4000, 8000}, {2000, 0}, {0, 4000}, 50 + 100, 50 + 87},
      {"the whole node", {4000, 8000}, {2000, 4000}, {2000, 4000}, 0 + 100, 0 + 75},
      // More than there is of one resource counts as nothing left of it, and as all taken; before,
      // half the distance was 50 %.
      {"more than there is", {4000, 8000}, {4000, 0}, {1000, 4000}, 25 + 75, 25 + 87},
      // 300 of 7000 and 700 of 9000: 95.7 and 92.2 %, each rounded down, and their mean.
      {"shares that do not come out even", {7000, 9000}, {0, 0}, {300, 700}, 93 + 98, 93 + 74},
      {"a node without memory", {4000, 0}, {0, 0}, {1000, 5}, 75 + 100, 75 + 75},
      {"a node without either", {0, 0}, {0, 0}, {1000, 5}, 0 + 100, 0 + 75},
      // A pod that asks for neither is not balanced.
      {"a pod that asks for nothing", {4000, 8000}, {1000, 0}, {0, 0}, 87, 87},
  };
  for (const ScoreRow& row : rows) {
    INFO(row.why);
    const Load on_node{row.on_node, row.on_node}, pod{row.pod, row.pod};
    CHECK(dra::ResourceScore(row.allocatable, on_node, pod, false) == row.of_balance);
    CHECK(dra::ResourceScore(row.allocatable, on_node, pod, true) == row.of_change);
  }
}

TEST_CASE("what containers do not ask for counts for what is left, not for the balance") {
  const Load pod{.requested = {1000, 0}, .counted = {1000, 4000}};
  // Left are 75 % and 50 %; taken are 25 % and nothing.
  CHECK(dra::ResourceScore({4000, 8000}, {}, pod, false) == 62 + 87);
}

TEST_CASE("no amount is too large to be scored") {
  constexpr int64_t kMost = INT64_MAX;
  const Load all{{kMost, kMost}, {kMost, kMost}};
  CHECK(dra::ResourceScore({kMost, kMost}, {}, {}, true) == 100);
  CHECK(dra::ResourceScore({kMost, kMost}, all, all, true) == 75);
  CHECK(dra::ResourceScore({kMost, kMost}, {}, {{1, kMost / 2}, {1, kMost / 2}}, false) ==
        (100 + 50) / 2 + 75);
  CHECK(dra::ResourceScore({-5, kMost}, {{-1, -1}, {-1, -1}}, {}, true) == 100);
}

TEST_CASE("scores of one plugin are shares of the best") {
  CHECK(dra::NormalizedScore(0, 0) == 0);
  CHECK(dra::NormalizedScore(8, 8) == 100);
  CHECK(dra::NormalizedScore(7, 8) == 87);
  CHECK(dra::NormalizedScore(0, 3) == 0);
}

struct UnrequestedRow {
  const char* why;
  const char* spec;
  CpuAndMemory requested, counted;  // memory in Mi
};

TEST_CASE("100m and 200Mi count for each container that asks for none") {
  const std::vector<UnrequestedRow> rows = {
      {"nothing is asked for", R"({"containers": [{}, {}]})", {0, 0}, {200, 400}},
      {"one of both",
       R"({"containers": [{"resources": {"requests": {"cpu": "1"}}}]})",
       {1000, 0},
       {1000, 200}},
      {"a limit is a request",
       R"({"containers": [{"resources": {"limits": {"memory": "1Gi"}}}]})",
       {0, 1024},
       {100, 1024}},
      {"a sidecar runs beside the others",
       R"({"initContainers": [{"restartPolicy": "Always"}], "containers": [{}]})",
       {0, 0},
       {200, 400}},
      {"an init container has ended by then",
       R"({"initContainers": [{}, {}], "containers": [{}]})",
       {0, 0},
       {100, 200}},
      {"a large init container covers it",
       R"({"initContainers": [{"resources": {"requests": {"cpu": "2"}}}], "containers": [{}]})",
       {2000, 0},
       {2000, 200}},
      {"the pod as a whole asks",
       R"({"resources": {"requests": {"cpu": "2"}}, "containers": [{}, {}]})",
       {2000, 0},
       {2000, 400}},
  };
  dra::ParseContext context;
  for (const UnrequestedRow& row : rows) {
    INFO(row.why);
    const json pod = {{"spec", json::parse(row.spec)}};
    const auto demand = dra::ParsePodDemand(pod, context);
    REQUIRE(demand);
    const Load load = dra::LoadOf(*demand);
    constexpr int64_t kMi = int64_t{1} << 20;
    CHECK(load.requested == CpuAndMemory{row.requested[0], row.requested[1] * kMi});
    CHECK(load.counted == CpuAndMemory{row.counted[0], row.counted[1] * kMi});
  }
}

}  // namespace
}  // namespace fedra::test::node_score_test
