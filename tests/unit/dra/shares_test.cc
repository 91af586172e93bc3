// Shares of one device that several pods hold.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::shares_test {
namespace {

using verdict::Outcome;

// May be allocated several times; draws on the counter "memory" of its parent.
json Shared(const char* memory, const json& more = json::object()) {
  json device = Partition("shared", memory);
  device["allowMultipleAllocations"] = true;
  device.update(more);
  return device;
}

// What no claim records is not known between pods: a result without consumedCapacity never enters
// AggregatedCapacity, so every pod's share must find the counters anew, while the device is counted
// as allocated once (checkAvailableCounters, 1.36.3). 1.37 looks at the shares themselves.
TEST_CASE("until 1.36 shares without capacities take the counters once for each look") {
  struct Row {
    const char* why;
    const char* parent;
    json more;
    int fitting;  // of 3 pods, in 1.36; in 1.37 all fit
  };
  const json capacity = {
      {"capacity", {{"slots", {{"value", "8"}, {"requestPolicy", {{"default", "1"}}}}}}}};
  const std::vector<Row> rows = {
      {"enough for one look", "2", json::object(), 1},
      {"the device itself and another look", "4", json::object(), 3},
      {"with a capacity the share is known", "2", capacity, 3},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    Worker newer(dra::FeaturesOf(cel::KubernetesRelease::k137));
    newer.Node("n1").Parent("n1", row.parent, {Shared("2", row.more)});
    newer.Template("t", {Request("r")});
    CHECK(newer.Pods(3, "t").verdict.pods_fitting == 3);
    Worker worker(dra::FeaturesOf(cel::KubernetesRelease::k136));
    worker.Node("n1").Parent("n1", row.parent, {Shared("2", row.more)});
    worker.Template("t", {Request("r")});
    const auto judgement = worker.Pods(3, "t");
    CHECK(judgement.verdict.pods_fitting == row.fitting);
    CHECK(judgement.verdict.outcome == (row.fitting == 3 ? Outcome::kYes : Outcome::kNo));
  }
}

TEST_CASE("a share that a claim of the cluster holds is counted once, too") {
  for (const char* parent : {"2", "4"}) {
    Worker worker(dra::FeaturesOf(cel::KubernetesRelease::k136));
    worker.Node("n1").Parent("n1", parent, {Shared("2")});
    worker.Template("t", {Request("r")});
    worker.Add(Holding("x", "shared", {{"pool", "n1"}, {"shareID", "s"}}));
    CHECK(worker.Pods(3, "t").verdict.pods_fitting == (parent == std::string("2") ? 0 : 3));
  }
}

TEST_CASE("two shares of one pod take the counters once") {
  Worker worker;
  worker.Node("n1").Parent("n1", "2", {Shared("2")});
  worker.Template("t", {Request("r"), Request("q")});
  CHECK(worker.Pods(1, "t").verdict.outcome == Outcome::kYes);
}

}  // namespace
}  // namespace fedra::test::shares_test
