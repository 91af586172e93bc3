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

TEST_CASE("a device that several pod sets could take is spare once") {
  Worker worker;
  worker.Template("any", {Request("r")}).Template("new", {RequestOfKind("r", "new")});
  worker.Template("old", {RequestOfKind("r", "old")});
  for (const char* name : {"n1", "n2"}) {
    std::vector<json> devices;
    for (int i = 0; i < 8; ++i)
      devices.push_back(Device("d" + std::to_string(i), {{"kind", i < 3 ? "new" : "old"}}));
    worker.Node(name, {{"zone", name}}).On(name, devices);
  }
  worker.On("x", {Device("f", {{"kind", "old"}})}, kEverywhere);
  struct Row {
    const char* why;
    std::vector<const char*> sets;  // templates
    const char* zone;               // of the last set; empty: any
    int headroom;
  };
  const std::vector<Row> rows = {
      {"one set", {"any"}, "", 16},
      {"three sets that want the same", {"any", "any", "any"}, "", 14},
      {"one wants some of what the other wants", {"any", "new"}, "", 15},
      {"they want different ones", {"new", "old"}, "", 15},
      {"two want the few", {"new", "new"}, "", 4},
      {"on other nodes, some of them the same", {"old", "old"}, "n1", 9},
      {"the few of one node", {"new"}, "n1", 2},
      {"all of one kind, and the few of one node", {"old", "new"}, "n2", 12},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    std::vector<dra::PodDemand> demands;
    for (const char* claim : row.sets) {
      demands.push_back({.name = "set-" + std::to_string(demands.size()),
                         .claims = {{.pod_claim = "d", .template_name = claim, .claim_name = ""}}});
    }
    if (*row.zone != '\0') demands.back().node.labels = {{Symbol("zone"), Symbol(row.zone)}};
    CHECK(worker.Judge(demands).verdict.headroom == row.headroom);
  }
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
