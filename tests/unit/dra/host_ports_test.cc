// Host ports: one pod for each port of a node. And what else of a pod is only noted.

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::host_ports_test {
namespace {

using verdict::Outcome;

// A pod with a device; `ports` of its container, `more` merged into the spec.
std::string PodWith(const std::vector<json>& ports, const json& more = json::object()) {
  json spec = {
      {"resourceClaims", {{{"name", "d"}, {"resourceClaimTemplateName", "one"}}}},
      {"containers", {{{"name", "c"}, {"ports", ports}}}},
  };
  if (more.is_object()) spec.merge_patch(more);
  return json({{"spec", spec}}).dump();
}

json Port(int host_port, const char* protocol = nullptr, const char* address = nullptr) {
  json port = {{"containerPort", 80}, {"hostPort", host_port}};
  if (protocol != nullptr) port["protocol"] = protocol;
  if (address != nullptr) port["hostIP"] = address;
  return port;
}

void MakeTwoNodes(Worker& worker) {
  worker.Node("n1")
      .Node("n2")
      .On("n1", Devices(4))
      .On("n2", Devices(4))
      .Template("one", {Request("r")});
}

TEST_CASE("as many pods with a host port as there are nodes") {
  Worker worker;
  MakeTwoNodes(worker);
  const std::string pod = PodWith({Port(8080)});
  CHECK(worker.Judge({worker.Parse(pod.c_str(), 2)}).verdict.outcome == Outcome::kYes);
  const auto judgement = worker.Judge({worker.Parse(pod.c_str(), 3)});
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK(judgement.verdict.pods_fitting == 2);
  REQUIRE(judgement.verdict.reasons.size() >= 2);
  CHECK_THAT(verdict::MessageOf(judgement.verdict.reasons[1]),
             ContainsSubstring("hostPort:TCP:8080"));
  // Without any, all fit.
  CHECK(worker.Judge({worker.Parse(PodWith({}).c_str(), 8)}).verdict.outcome == Outcome::kYes);
}

struct Row {
  const char* what;
  std::vector<json> ports, others;
  json more = json::object();  // of both
  bool together = false;       // on one node
};

TEST_CASE("which ports meet on one node") {
  const json init = {{"containers", {{{"name", "c"}}}},
                     {"initContainers", {{{"name", "i"}, {"ports", {Port(1)}}}}}};
  json sidecar = init;
  sidecar["initContainers"][0]["restartPolicy"] = "Always";
  const std::vector<Row> rows = {
      {"the same", {Port(1)}, {Port(1)}},
      {"TCP is the default", {Port(1)}, {Port(1, "TCP")}},
      {"one of several", {Port(1), Port(2)}, {Port(2), Port(3)}},
      {"others", {Port(1)}, {Port(2)}, {}, true},
      {"other protocols", {Port(1, "UDP")}, {Port(1, "TCP")}, {}, true},
      {"all addresses and one", {Port(1)}, {Port(1, "TCP", "10.0.0.1")}},
      {"one address and all", {Port(1, "TCP", "10.0.0.1")}, {Port(1)}},
      {"one address and all, as they may be written",
       {Port(1, "TCP", "10.0.0.1")},
       {Port(1, "TCP", "0.0.0.0")}},
      {"one address", {Port(1, "TCP", "10.0.0.1")}, {Port(1, "TCP", "10.0.0.1")}},
      {"two addresses", {Port(1, "TCP", "10.0.0.1")}, {Port(1, "TCP", "10.0.0.2")}, {}, true},
      {"two addresses and all",
       {Port(1, "TCP", "10.0.0.1"), Port(2)},
       {Port(1, "TCP", "10.0.0.2"), Port(2, "TCP", "10.0.0.2")}},
      {"ports of the container only",
       {{{"containerPort", 80}}},
       {{{"containerPort", 80}}},
       {},
       true},
      {"the host's network",
       {{{"containerPort", 80}}},
       {{{"containerPort", 80}}},
       {{"hostNetwork", true}}},
      {"an init container is over by then", {}, {}, init, true},
      {"a sidecar is not", {}, {}, sidecar},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Worker worker;
    worker.Node("n1").On("n1", Devices(4)).Template("one", {Request("r")});
    const auto a = worker.Parse(PodWith(row.ports, row.more).c_str());
    const auto b = worker.Parse(PodWith(row.others, row.more).c_str());
    CHECK(worker.Judge({a, b}).verdict.outcome == (row.together ? Outcome::kYes : Outcome::kNo));
  }
}

TEST_CASE("a port that a running pod has is not free, whatever else is not looked at") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(4)).Template("one", {Request("r")});
  const auto used = Used({{Symbol("n1"), {{Symbol("hostPort:TCP:8080"), Quantity(1)}}}});
  for (const bool node_resources : {true, false}) {
    dra::JudgeOptions options;
    options.used = used;
    options.node_resources = node_resources;
    const auto pod = worker.Parse(PodWith({Port(8080)}).c_str());
    CHECK(Code(worker.Judge({pod}, options)) == ReasonCode::kNodeResources);
    const auto other = worker.Parse(PodWith({Port(8081)}).c_str());
    CHECK(worker.Judge({other}, options).verdict.outcome == Outcome::kYes);
  }
}

std::vector<std::string> NotedOf(const std::vector<json>& ports, const json& more) {
  Worker worker;
  MakeTwoNodes(worker);
  const auto judgement = worker.Judge({worker.Parse(PodWith(ports, more).c_str())});
  CHECK(judgement.verdict.outcome == Outcome::kYes);
  if (judgement.verdict.reasons.empty()) return {};
  CHECK(judgement.verdict.reasons[0].code == ReasonCode::kPodUnverified);
  return std::get<verdict::PodTerms>(judgement.verdict.reasons[0].facts).fields;
}

TEST_CASE("a Yes says what of the pods was not looked at") {
  using Fields = std::vector<std::string>;
  const json term = {{{"topologyKey", "zone"}, {"labelSelector", json::object()}}};
  const char* const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const std::vector<json> none;
  CHECK(NotedOf(none, {}).empty());
  CHECK(NotedOf(none, {{"affinity", {{"podAffinity", {{required, term}}}}}}) ==
        Fields{"affinity.podAffinity"});
  CHECK(NotedOf(none, {{"affinity", {{"podAntiAffinity", {{required, term}}}}}}) ==
        Fields{"affinity.podAntiAffinity"});
  CHECK(NotedOf(none, {{"affinity",
                        {{"podAffinity",
                          {{"preferredDuringSchedulingIgnoredDuringExecution", json::array()}}}}}})
            .empty());
  CHECK(
      NotedOf(none, {{"topologySpreadConstraints", {{{"whenUnsatisfiable", "DoNotSchedule"}}}}}) ==
      Fields{"topologySpreadConstraints"});
  CHECK(NotedOf(none, {{"topologySpreadConstraints", {{{"whenUnsatisfiable", "ScheduleAnyway"}}}}})
            .empty());
  CHECK(NotedOf(none, {{"volumes",
                        {{{"name", "a"}, {"emptyDir", json::object()}},
                         {{"name", "b"}, {"persistentVolumeClaim", {{"claimName", "data"}}}}}}}) ==
        Fields{"volumes"});
  CHECK(NotedOf(none, {{"volumes", {{{"name", "a"}, {"emptyDir", json::object()}}}}}).empty());
  // Kueue's own gate is on every pod that it holds.
  CHECK(NotedOf(none, {{"schedulingGates", {{{"name", "g"}}}}}).empty());
  CHECK(NotedOf(none, {{"affinity",
                        {{"podAffinity", {{required, term}}},
                         {"podAntiAffinity", {{required, term}}}}}}) ==
        Fields{"affinity.podAffinity", "affinity.podAntiAffinity"});
}

}  // namespace
}  // namespace fedra::test::host_ports_test
