// Headroom: how many more devices could be taken once the pods have theirs. It ranks workers.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::headroom_test {
namespace {

const json kEverywhere = {
    {"nodeName", nullptr}, {"allNodes", true}, {"pool", {{"name", "fabric"}}}};

TEST_CASE("free devices of pools that are not of one node count once as headroom") {
  Worker worker;
  worker.Node("n1").Node("n2").On("n1", Devices(1)).On("x", Devices(2), kEverywhere);
  worker.Template("t", {Request("r")});
  CHECK(worker.Pods(1, "t").verdict.headroom == 2);
}

TEST_CASE("what cannot be taken is no headroom") {
  struct Row {
    const char* why;
    json more;
    int headroom;
  };
  const std::vector<Row> rows = {
      {"free", json::object(), 1},
      {"tainted", json({{"taints", {{{"key", "k"}, {"effect", "NoSchedule"}}}}}), 0},
      {"without the capacity", {{"allowMultipleAllocations", true}}, 0},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    const bool capacity = row.more.contains("allowMultipleAllocations");
    Worker worker;
    const json enough = {{"capacity", {{"memory", {{"value", "8Gi"}}}}}};
    json other = enough;
    if (capacity) other = json::object();
    other.update(row.more);
    worker.Node("n1").On("n1",
                         {Device("a", json::object(), enough), Device("b", json::object(), other)});
    worker.Template("t",
                    {Request("r", 1,
                             capacity ? json({{"capacity", {{"requests", {{"memory", "1Gi"}}}}}})
                                      : json::object())});
    CHECK(worker.Pods(1, "t").verdict.headroom == row.headroom);
  }
}

TEST_CASE("partitions whose parent is used up are no headroom") {
  Worker worker;
  worker.Node("n1").Parent("n1", "2", {Partition("a", "2"), Partition("b", "2")});
  worker.Node("n2").Parent("n2", "2", {Partition("a", "2")});
  worker.Template("t", {Request("r")});
  CHECK(worker.Pods(1, "t").verdict.headroom == 1);
}

}  // namespace
}  // namespace fedra::test::headroom_test
