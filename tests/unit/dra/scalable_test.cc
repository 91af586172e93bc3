// MayScale: what declared scalable pools could bring.

#include "dra/judge/scalable_pool.h"

#include "tests/unit/dra/judge_worker.h"
#include "verdict/reason_text.h"

namespace fedra::test::scalable_test {
namespace {

using Catch::Matchers::StartsWith;
using dra::ScalablePool;
using verdict::Outcome;

// A cluster with one node of two devices, both allocated.
Worker Full() {
  Worker worker;
  worker.Node("n1").On("n1", Devices(2)).Template("one", {Request("r")});
  worker.Add(Holding("x", "gpu-0", {{"pool", "n1"}})).Add(Holding("y", "gpu-1", {{"pool", "n1"}}));
  return worker;
}

const ScalablePool kEight = {
    .device_class = "gpu", .devices = 8, .node_labels = {{"pool", "h100"}}, .max_nodes = 0};

dra::Judgement SubRequest(Worker& worker, const std::vector<ScalablePool>& pools, int pods,
                          const std::string& claim_template = "one",
                          const json& more = json::object()) {
  json pod = {
      {"spec",
       {{"resourceClaims", {{{"name", "d"}, {"resourceClaimTemplateName", claim_template}}}}}}};
  pod.merge_patch(more);
  return worker.Judge({worker.Parse(pod.dump().c_str(), pods)}, {.scalable_pools = &pools});
}

TEST_CASE("a lack of devices that new nodes would bring is MayScale, with what is missing now") {
  Worker worker = Full();
  const auto judgement = SubRequest(worker, {kEight}, 9);
  CHECK(judgement.verdict.outcome == Outcome::kMayScale);
  CHECK(judgement.verdict.pods_fitting == 0);
  CHECK(Code(judgement) == ReasonCode::kNotEnoughDevices);
  CHECK_THAT(First(judgement), ContainsSubstring("2 allocated (other/x, other/y); 2 new nodes of a "
                                                 "scalable pool (8 devices of class gpu, "
                                                 "pool=h100) could provide it"));
  CHECK(SubRequest(worker, {}, 9).verdict.outcome == Outcome::kNo);
}

TEST_CASE("pods that fit now do not need new nodes") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(2)).Template("one", {Request("r")});
  auto judgement = SubRequest(worker, {kEight}, 10);
  CHECK(judgement.verdict.outcome == Outcome::kMayScale);
  CHECK(judgement.verdict.pods_fitting == 2);
  REQUIRE(judgement.pod_sets[0].new_nodes.has_value());
  CHECK(judgement.pod_sets[0].new_nodes->nodes == 1);
  judgement = SubRequest(worker, {kEight}, 2);
  CHECK(judgement.verdict.outcome == Outcome::kYes);
  CHECK_FALSE(judgement.pod_sets[0].new_nodes.has_value());
}

struct Row {
  const char* why;
  ScalablePool pool;
  int pods;
  json request;
  json pod;
  bool scales;
};

TEST_CASE("new nodes help only when class, count, labels and number suffice") {
  const json on_h100 = {{"spec", {{"nodeSelector", {{"pool", "h100"}}}}}};
  const json on_a100 = {{"spec", {{"nodeSelector", {{"pool", "a100"}}}}}};
  ScalablePool other_class = kEight, two_nodes = kEight, none = kEight;
  other_class.device_class = "tpu";
  two_nodes.max_nodes = 2;
  none.devices = 0;
  const json none_set = json::object();
  const std::vector<Row> rows = {
      {"as many as a node has", kEight, 1, Request("r", 8), none_set, true},
      {"more than a node has", kEight, 1, Request("r", 9), none_set, false},
      {"another class", other_class, 1, Request("r"), none_set, false},
      {"no devices", none, 1, Request("r"), none_set, false},
      {"labels that the pod asks for", kEight, 1, Request("r"), on_h100, true},
      {"labels that the pod does not want", kEight, 1, Request("r"), on_a100, false},
      {"the last node", two_nodes, 4, Request("r", 4), none_set, true},
      {"one node too many", two_nodes, 5, Request("r", 4), none_set, false},
      {"all devices of a node, each pod", two_nodes, 2, All("r"), none_set, true},
      {"all devices of a node, one pod too many", two_nodes, 3, All("r"), none_set, false},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    Worker worker = Full();
    worker.Template("t", {row.request});
    const auto judgement = SubRequest(worker, {row.pool}, row.pods, "t", row.pod);
    CHECK((judgement.verdict.outcome == Outcome::kMayScale) == row.scales);
    CHECK((judgement.verdict.outcome == Outcome::kNo) == !row.scales);
  }
}

TEST_CASE("pod sets share the new nodes that may be added") {
  Worker worker = Full();
  ScalablePool pool = kEight;
  pool.max_nodes = 3;
  const std::vector<ScalablePool> pools = {pool};
  auto demand = worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "one"}]}})", 9);
  CHECK(worker.Judge({demand}, {.scalable_pools = &pools}).verdict.outcome == Outcome::kMayScale);
  CHECK(worker.Judge({demand, demand}, {.scalable_pools = &pools}).verdict.outcome == Outcome::kNo);
}

TEST_CASE("entries with equal labels are one kind of node, others are not combined") {
  Worker worker = Full();
  worker.AddClass(Class("nic", {R"(device.driver == "nic.example.com")"}));
  worker.Template("both", {Request("g", 4), Request("n", 1, {{"deviceClassName", "nic"}})});
  ScalablePool nics = {
      .device_class = "nic", .devices = 2, .node_labels = kEight.node_labels, .max_nodes = 0};
  const auto judgement = SubRequest(worker, {kEight, nics}, 3, "both");
  CHECK(judgement.verdict.outcome == Outcome::kMayScale);
  REQUIRE(judgement.pod_sets[0].new_nodes.has_value());
  CHECK_THAT(verdict::MessageOf(*judgement.pod_sets[0].new_nodes),
             StartsWith("2 new nodes of a scalable pool (8 devices of class gpu, "
                        "2 devices of class nic, pool=h100)"));
  nics.node_labels = {{"pool", "other"}};
  CHECK(SubRequest(worker, {kEight, nics}, 3, "both").verdict.outcome == Outcome::kNo);
}

TEST_CASE("what new nodes do not bring must be free in the cluster") {
  Worker worker = Full();
  worker.AddClass(Class("net", {R"(device.driver == "net.example.com")"}));
  worker.On("", Devices(2),
            {{"driver", "net.example.com"},
             {"nodeName", nullptr},
             {"allNodes", true},
             {"pool", {{"name", "fabric"}}}});
  worker.Template("both", {Request("g", 4), Request("n", 1, {{"deviceClassName", "net"}})});
  CHECK(SubRequest(worker, {kEight}, 2, "both").verdict.outcome == Outcome::kMayScale);
  CHECK(SubRequest(worker, {kEight}, 3, "both").verdict.outcome == Outcome::kNo);
}

TEST_CASE("a kind of new node that cannot take the rest leaves it to the next kind") {
  Worker worker = Full();
  worker.AddClass(Class("net", {R"(device.driver == "net.example.com")"}));
  // Of the two cards, nodes of zone a reach one.
  const auto card = [&](const char* pool, const json& zones) {
    const json zone = {{"key", "zone"}, {"operator", "In"}, {"values", zones}};
    const json selector = {
        {"nodeSelectorTerms", json::array({{{"matchExpressions", json::array({zone})}}})}};
    worker.On("", {Device("card")},
              {{"driver", "net.example.com"},
               {"nodeName", nullptr},
               {"nodeSelector", selector},
               {"pool", {{"name", pool}}}});
  };
  card("near", {"a", "b"});
  card("far", {"b"});
  worker.Template("both", {Request("g"), Request("n", 1, {{"deviceClassName", "net"}})});
  ScalablePool a = kEight, b = kEight;
  a.node_labels = {{"zone", "a"}};
  b.node_labels = {{"zone", "b"}};
  CHECK(SubRequest(worker, {a}, 2, "both").verdict.outcome == Outcome::kNo);
  CHECK(SubRequest(worker, {a, b}, 2, "both").verdict.outcome == Outcome::kMayScale);
}

TEST_CASE("the alternative that new nodes can satisfy is reported") {
  Worker worker = Full();
  worker.Template("t", {FirstAvailable("f", {Request("big", 16), Request("small", 8)})});
  const auto judgement = SubRequest(worker, {kEight}, 1, "t");
  CHECK(judgement.verdict.outcome == Outcome::kMayScale);
  CHECK(judgement.verdict.alternatives == std::vector<int>{1});
}

TEST_CASE("a shared claim keeps its pods on one new node, an allocated one on its own") {
  Worker worker = Full();
  worker.Add(Claim("shared", {Request("r", 8)}));
  const std::vector<ScalablePool> pools = {kEight};
  const auto ask = [&](int pods) {
    return worker
        .Judge(
            {worker.Parse(
                R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimName": "shared"}]}})",
                pods)},
            {.scalable_pools = &pools})
        .verdict.outcome;
  };
  CHECK(ask(5) == Outcome::kMayScale);
  worker.Add(Claim("own", {Request("r", 2)}));
  auto demand = worker.Parse(R"({"spec": {"resourceClaims": [
      {"name": "d", "resourceClaimName": "own"}, {"name": "e", "resourceClaimTemplateName": "one"}]}})");
  demand.count = 6;
  CHECK(worker.Judge({demand}, {.scalable_pools = &pools}).verdict.outcome == Outcome::kMayScale);
  demand.count = 7;
  CHECK(worker.Judge({demand}, {.scalable_pools = &pools}).verdict.outcome == Outcome::kNo);
  json bound = Claim("shared", {Request("r")});
  bound["status"] = json::parse(R"({"reservedFor": [{"uid": "u"}],
      "allocation": {"allocationTimestamp": "2026-01-01T00:00:00Z", "nodeSelector": {"nodeSelectorTerms": [
      {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gone"]}]}]},
      "devices": {"results": []}}})");
  worker.Add(bound);
  CHECK(ask(1) == Outcome::kNo);
}

TEST_CASE("extended resources that devices provide scale like claims") {
  Worker worker;
  json mapped = Class("gpu");
  mapped["spec"]["extendedResourceName"] = "example.com/gpu";
  worker.AddClass(mapped).Node("n1").On("n1", Devices(1));
  const std::vector<ScalablePool> pools = {kEight};
  const auto ask = [&](const char* count, int pods) {
    const std::string pod =
        R"({"spec": {"containers": [{"resources": {"requests": {"example.com/gpu": ")" +
        std::string(count) + R"("}}}]}})";
    return worker.Judge({worker.Parse(pod.c_str(), pods)}, {.scalable_pools = &pools})
        .verdict.outcome;
  };
  CHECK(ask("4", 3) == Outcome::kMayScale);
  CHECK(ask("9", 1) == Outcome::kNo);
}

TEST_CASE("what no node can mend stays No: missing objects, selector errors, full CPUs alone") {
  Worker worker = Full();
  CHECK(SubRequest(worker, {kEight}, 1, "absent").verdict.outcome == Outcome::kNo);
  worker.Template(
      "error",
      {Request("r", 1,
               {{"selectors", Cel({R"(device.attributes["gpu.example.com"].model == "x")"})}})});
  const auto judgement = SubRequest(worker, {kEight}, 1, "error");
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK(Code(judgement) == ReasonCode::kSelectorError);
  Worker small;
  small.Node("n1", json::object(), {{"status", {{"allocatable", {{"cpu", "1"}}}}}});
  const std::vector<ScalablePool> pools = {kEight};
  const auto demand =
      small.Parse(R"({"spec": {"containers": [{"resources": {"requests": {"cpu": "2"}}}]}})");
  CHECK(small.Judge({demand}, {.scalable_pools = &pools}).verdict.outcome == Outcome::kNo);
}

}  // namespace
}  // namespace fedra::test::scalable_test
