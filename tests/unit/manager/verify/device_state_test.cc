// From the objects of a worker, as its watches bring them, to verdicts on devices.

#include "manager/verify/device_state.h"

#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/verify/devices.h"
#include "tests/support/catch.h"
#include "verdict/reason_text.h"

namespace fedra::verify::device_state_test {

using nlohmann::json;
using verdict::Outcome;
using verdict::ReasonCode;
using watch::CacheHealth;
using watch::CacheSink;
using watch::CacheState;

namespace {

std::string Object(const std::string& ns, const std::string& name, json rest) {
  static int version = 0;  // a feed takes an object of a known version for unchanged
  rest["metadata"]["name"] = name;
  rest["metadata"]["namespace"] = ns;
  rest["metadata"]["uid"] = name + "-uid";
  rest["metadata"]["resourceVersion"] = std::to_string(++version);
  return rest.dump();
}

std::string SliceOf(int devices) {
  json list = json::array();
  for (int i = 0; i < devices; ++i) list.push_back({{"name", fmt::format("gpu-{}", i)}});
  return Object("", "slice-1",
                {{"spec",
                  {{"driver", "gpu.example.com"},
                   {"nodeName", "node-1"},
                   {"pool", {{"name", "node-1"}, {"generation", 1}, {"resourceSliceCount", 1}}},
                   {"devices", list}}}});
}

std::string NodeWith(const std::string& cpu, const std::string& heartbeat) {
  return Object("", "node-1",
                {{"status",
                  {{"allocatable", {{"cpu", cpu}, {"pods", "110"}, {"memory", "8Gi"}}},
                   {"conditions", json::array({{{"lastHeartbeatTime", heartbeat}}})}}}});
}

int Sum(const verify::PodCounts& counts) {
  int sum = 0;
  for (const auto& [pod_set, count] : counts) sum += count;
  return sum;
}

std::string ClaimHolding(const std::string& name, const std::string& device) {
  const json result = {
      {"request", "r"}, {"driver", "gpu.example.com"}, {"pool", "node-1"}, {"device", device}};
  return Object(
      "ml", name,
      {{"spec", {{"devices", json::object()}}},
       {"status", {{"allocation", {{"devices", {{"results", json::array({result})}}}}}}}});
}

std::string PodOf(const std::string& name, const std::string& job, const std::string& node,
                  const std::string& phase, const std::string& cpu, const std::string& claim) {
  json pod = {{"metadata", {{"labels", {{"batch.kubernetes.io/job-name", job}}}}},
              {"spec",
               {{"containers",
                 json::array({{{"name", "c"}, {"resources", {{"requests", {{"cpu", cpu}}}}}}})}}},
              {"status", {{"phase", phase}}}};
  if (!node.empty()) pod["spec"]["nodeName"] = node;
  if (!claim.empty())
    pod["status"]["resourceClaimStatuses"] =
        json::array({{{"name", "gpu"}, {"resourceClaimName", claim}}});
  return Object("ml", name, pod);
}

tracking::Demands OneGpuPods(int count, const std::string& cpu = "100m",
                             const std::string& pod_group = "",
                             const std::string& claim_template = "one-gpu") {
  json pod = {{"spec",
               {{"resourceClaims",
                 json::array({{{"name", "gpu"}, {"resourceClaimTemplateName", claim_template}}})},
                {"containers",
                 json::array({{{"name", "c"}, {"resources", {{"requests", {{"cpu", cpu}}}}}}})}}}};
  if (!pod_group.empty()) pod["spec"]["schedulingGroup"]["podGroupName"] = pod_group;
  const tracking::PodTemplate item{"main", count, &pod};
  return *tracking::ReadDemands({&item, 1});
}

DraApi With(bool taint_rules, bool pod_groups = false) {
  DraApi api;
  api.release = "v1.36.3";
  api.taint_rules = taint_rules;
  api.pod_groups = pod_groups;
  return api;
}

struct Fixture {
  int changes = 0;
  DeviceChange last = DeviceChange::kNone;
  int health_changes = 0;
  DeviceState state;

  explicit Fixture(DeviceStateOptions options = {})
      : state(
            std::move(options),
            [this](DeviceChange change) {
              ++changes;
              last = change;
            },
            [this] { ++health_changes; }) {
    state.SetRelease(With(true));
    const json request = {
        {"name", "r"},
        {"exactly", {{"deviceClassName", "gpu"}, {"allocationMode", "ExactCount"}, {"count", 1}}}};
    Fill(state.sinks().slices, {SliceOf(2)});
    Fill(state.sinks().classes, {Object("", "gpu", {{"spec", json::object()}})});
    Fill(state.sinks().templates,
         {Object("ml", "one-gpu",
                 {{"spec", {{"spec", {{"devices", {{"requests", json::array({request})}}}}}}}})});
    Fill(state.sinks().claims, {});
    Fill(state.sinks().taint_rules, {});
    Fill(state.sinks().pod_groups, {});
    Fill(state.sinks().nodes, {NodeWith("4", "1")});
    Fill(state.sinks().pods, {});
  }

  static void SetState(CacheSink& sink, CacheState state) {
    CacheHealth health;
    health.state = state;
    health.complete = state == CacheState::kSynced;
    sink.SetHealth(health);
  }
  static void Fill(CacheSink& sink, const std::vector<std::string>& objects) {
    sink.Reset();
    for (const std::string& object : objects) REQUIRE(sink.Upsert(object).has_value());
    sink.Synced();
    SetState(sink, CacheState::kSynced);
  }
  verdict::Verdict Verdict(const tracking::Demands& demands,
                           const dra::AssumedList& assumed = nullptr) const {
    return JudgeDevices(state, "ml", demands, assumed).verdict;
  }
};

dra::AssumedList Pods(const tracking::Demands& demands, int count) {
  return std::make_shared<const std::vector<dra::AssumedPods>>(
      1, dra::AssumedPods{"ml", {demands, &demands->front()}, count});
}

}  // namespace

namespace {

TemplatesToCome ToCome(const std::string& uid, int count) {
  const json request = {{"name", "r"}, {"exactly", {{"deviceClassName", "gpu"}, {"count", count}}}};
  const json object = {{"metadata", {{"namespace", "ml"}, {"name", "one-gpu"}, {"uid", uid}}},
                       {"spec", {{"spec", {{"devices", {{"requests", json::array({request})}}}}}}}};
  const auto original = std::make_shared<const ClaimSummary>(*ParseTemplate(object));
  return [original](const ObjectKey& key) { return key == original->key ? original : nullptr; };
}

}  // namespace

TEST_CASE("devices are judged with a template that is still to come") {
  Fixture f;
  const auto judge = [&](const TemplatesToCome& to_come) {
    return JudgeDevices(f.state, "ml", OneGpuPods(1), {}, to_come).verdict;
  };
  Fixture::Fill(f.state.sinks().templates, {});
  CHECK(judge({}).outcome != Outcome::kYes);
  CHECK(judge(ToCome("u1", 1)).outcome == Outcome::kYes);
  CHECK(judge(ToCome("u1", 1)).headroom == 1);
  CHECK(judge(ToCome("u2", 3)).outcome == Outcome::kNo);
  CHECK(judge(ToCome("u3", 2)).headroom == 0);
}

TEST_CASE("what the worker has comes before what is to come") {
  Fixture f;
  const auto three = ToCome("u1", 3);
  CHECK(JudgeDevices(f.state, "ml", OneGpuPods(1), {}, three).verdict.outcome == Outcome::kYes);
  const std::string own =
      Object("ml", "one-gpu",
             {{"spec",
               {{"spec",
                 {{"devices",
                   {{"requests", json::array({{{"name", "r"},
                                               {"exactly",
                                                {{"deviceClassName", "gpu"},
                                                 {"allocationMode", "ExactCount"},
                                                 {"count", 1}}}}})}}}}}}}});
  Fixture::Fill(f.state.sinks().templates, {});
  CHECK(JudgeDevices(f.state, "ml", OneGpuPods(1), {}, three).verdict.outcome == Outcome::kNo);
  REQUIRE(f.state.sinks().templates.Upsert(own).has_value());
  CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kYes);
}

TEST_CASE("a judgement leaves no template of the manager among the worker's objects") {
  Fixture f;
  Fixture::Fill(f.state.sinks().templates, {});
  const auto before = f.state.snapshot();
  const tracking::Demands demands = OneGpuPods(1);
  const auto one = ToCome("u1", 1);
  CHECK(JudgeDevices(f.state, "ml", demands, {}, one).verdict.outcome == Outcome::kYes);
  CHECK(VerifyDevices(f.state, "ml", demands, {}, one).outcome == Outcome::kYes);
  CHECK(f.state.judge().Serving("ml", *demands, one) != nullptr);
  CHECK(f.state.snapshot() == before);
  CHECK(before->templates().empty());
  // The manager's went: no later judgement knows it.
  CHECK(f.Verdict(demands).outcome == Outcome::kNo);
  CHECK(VerifyDevices(f.state, "ml", demands, {}, {}).outcome == Outcome::kNo);
}

TEST_CASE("assumed pods are judged with the templates that are to come for them") {
  Fixture f;
  const tracking::Demands waiting = OneGpuPods(1, "100m", "", "two-gpus");
  const json request = {
      {"name", "r"},
      {"exactly", {{"deviceClassName", "gpu"}, {"allocationMode", "ExactCount"}, {"count", 2}}}};
  Fixture::Fill(
      f.state.sinks().templates,
      {Object("ml", "two-gpus",
              {{"spec", {{"spec", {{"devices", {{"requests", json::array({request})}}}}}}}})});
  const tracking::Demands others = OneGpuPods(1);
  const auto assumed = Pods(others, 1);
  const auto outcome = [&](const TemplatesToCome& to_come) {
    const verdict::Verdict verdict = VerifyDevices(f.state, "ml", waiting, assumed, to_come);
    CHECK(verdict == JudgeDevices(f.state, "ml", waiting, assumed, to_come).verdict);
    return verdict.outcome;
  };
  CHECK(outcome(ToCome("u1", 1)) == Outcome::kNo);  // theirs takes one of two
  CHECK(outcome({}) == Outcome::kYes);              // without a template they take nothing
  CHECK(outcome(ToCome("u1", 1)) == Outcome::kNo);
}

TEST_CASE("the template of the manager is parsed once for as long as it is the same") {
  Guarded<dra::ParseContext> parsing;
  const ParsedTemplates parsed(parsing);
  const auto one = ToCome("u1", 1)({"ml", "one-gpu"});
  const auto read = parsed.Of(one);
  REQUIRE(read != nullptr);
  CHECK(read->key == ObjectKey{"ml", "one-gpu"});
  CHECK(parsed.Of(one) == read);
  const auto other = ToCome("u2", 1)({"ml", "one-gpu"});
  CHECK(parsed.Of(other) != read);
  CHECK(parsed.Of(one) == read);
  auto broken = std::make_shared<ClaimSummary>(*one);
  broken->spec = "[";
  CHECK(parsed.Of(broken) == nullptr);
}

TEST_CASE("devices are there, are taken, and are free again") {
  Fixture f;
  CHECK(f.Verdict(OneGpuPods(2)).outcome == Outcome::kYes);
  CHECK(f.Verdict(OneGpuPods(1)).headroom == 1);
  const int before = f.changes;
  REQUIRE(f.state.sinks().claims.Upsert(ClaimHolding("train-1", "gpu-0")).has_value());
  CHECK(f.changes == before + 1);
  const verdict::Verdict verdict = f.Verdict(OneGpuPods(2));
  CHECK(verdict.outcome == Outcome::kNo);
  CHECK(verdict.pods_fitting == 1);
  REQUIRE(verdict.reasons.size() == 2);
  CHECK(verdict.reasons[0].code == ReasonCode::kPodsDoNotFit);
  CHECK_THAT(verdict::MessageOf(verdict.reasons[1]), ContainsSubstring("ml/train-1"));
  REQUIRE(f.state.sinks().claims.Remove(ClaimHolding("train-1", "gpu-0")).has_value());
  CHECK(f.Verdict(OneGpuPods(2)).outcome == Outcome::kYes);
}

TEST_CASE("a relist takes away what is gone, in one step and with one call") {
  Fixture f;
  Fixture::Fill(f.state.sinks().claims, {ClaimHolding("a", "gpu-0"), ClaimHolding("b", "gpu-1")});
  CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kNo);
  const int before = f.changes;
  f.state.sinks().claims.Reset();
  CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kNo);  // the old state until the list is whole
  REQUIRE(f.state.sinks().claims.Upsert(ClaimHolding("b", "gpu-1")).has_value());
  f.state.sinks().claims.Synced();
  CHECK(f.changes == before + 1);
  CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kYes);
}

TEST_CASE("what cannot be listed makes the answer Unknown, with its name") {
  Fixture f;
  const auto code = [&] { return f.Verdict(OneGpuPods(1)).reasons.at(0).code; };
  Fixture::SetState(f.state.sinks().slices, CacheState::kForbidden);
  CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kUnknown);
  CHECK(code() == ReasonCode::kForbidden);
  CHECK(f.Verdict(OneGpuPods(1)).reasons.at(0).object == "resourceslices.resource.k8s.io");
  Fixture::SetState(f.state.sinks().slices, CacheState::kNotServed);
  CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kNo);
  CHECK(code() == ReasonCode::kApiMissing);
  Fixture::SetState(f.state.sinks().slices, CacheState::kSynced);
  Fixture::SetState(f.state.sinks().taint_rules, CacheState::kNotServed);  // then there are none
  CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kYes);
  Fixture::SetState(f.state.sinks().pods, CacheState::kForbidden);
  CHECK(code() == ReasonCode::kForbidden);
}

TEST_CASE(
    "without node resources a node needs no room, but assumed pods still come to hold devices") {
  Fixture f(DeviceStateOptions{.node_resources = false, .scalable_pools = {}});
  CHECK(f.Verdict(OneGpuPods(1, "64")).outcome == Outcome::kYes);
  REQUIRE(f.state.sinks().claims.Upsert(ClaimHolding("c1", "gpu-0")).has_value());
  REQUIRE(f.state.sinks()
              .pods.Upsert(PodOf("p1", "train", "node-1", "Running", "1", "c1"))
              .has_value());
  CHECK(Sum(f.state.pods().Holding({"Job.batch", {"ml", "train"}})) == 1);
}

TEST_CASE("a change says whether devices can have become free, or other ones have come") {
  Fixture f;
  REQUIRE(f.state.sinks().slices.Upsert(SliceOf(3)).has_value());
  CHECK(f.last == DeviceChange::kOffer);
  REQUIRE(f.state.sinks().claims.Upsert(ClaimHolding("c", "gpu-0")).has_value());
  CHECK(f.last == DeviceChange::kTaken);
  REQUIRE(f.state.sinks().pods.Upsert(PodOf("p", "x", "node-1", "Running", "1", "c")).has_value());
  CHECK(f.last == DeviceChange::kTaken);
  REQUIRE(
      f.state.sinks().pods.Upsert(PodOf("p", "x", "node-1", "Succeeded", "1", "c")).has_value());
  CHECK(f.last == DeviceChange::kFreed);
  REQUIRE(f.state.sinks().nodes.Upsert(NodeWith("5", "2")).has_value());
  CHECK(f.last == DeviceChange::kOffer);
  REQUIRE(f.state.sinks().claims.Remove(ClaimHolding("c", "gpu-0")).has_value());
  CHECK(f.last == DeviceChange::kFreed);
}

TEST_CASE("classes that may not be listed are no missing resources") {
  Fixture f;
  Fixture::SetState(f.state.sinks().classes, CacheState::kForbidden);
  CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kUnknown);
}

TEST_CASE("devices are counted by what became of them, and named holders are jobs") {
  Fixture f;
  using Stocks = std::map<std::string, DeviceStock>;
  CHECK(f.state.Stock() == Stocks{{"gpu.example.com", {.free = 2}}});
  REQUIRE(f.state.sinks().claims.Upsert(ClaimHolding("p-gpu", "gpu-0")).has_value());
  CHECK(f.state.Stock() == Stocks{{"gpu.example.com", {.free = 1, .allocated = 1}}});
  const std::string rule = Object("", "maintenance",
                                  {{"spec",
                                    {{"deviceSelector", {{"driver", "gpu.example.com"}}},
                                     {"taint", {{"key", "k"}, {"effect", "NoSchedule"}}}}}});
  DraApi with_taints = With(true);
  with_taints.release = "v1.37.0";
  f.state.SetRelease(with_taints);
  REQUIRE(f.state.sinks().taint_rules.Upsert(rule).has_value());
  CHECK(f.state.Stock() == Stocks{{"gpu.example.com", {.allocated = 1, .tainted = 1}}});
  Fixture busy;
  REQUIRE(busy.state.sinks().claims.Upsert(ClaimHolding("p-gpu", "gpu-0")).has_value());
  REQUIRE(busy.state.sinks().claims.Upsert(ClaimHolding("q-gpu", "gpu-1")).has_value());
  REQUIRE(busy.state.sinks()
              .pods.Upsert(PodOf("p", "train", "node-1", "Running", "1", "p-gpu"))
              .has_value());
  CHECK_THAT(verdict::MessageOf(busy.Verdict(OneGpuPods(1)).reasons.at(0)),
             ContainsSubstring("2 allocated (job ml/train, ml/q-gpu)"));
}

TEST_CASE("a node needs room beside what runs there") {
  Fixture f;
  CHECK(f.Verdict(OneGpuPods(1, "3")).outcome == Outcome::kYes);
  REQUIRE(f.state.sinks().pods.Upsert(PodOf("p", "x", "node-1", "Running", "2", "")).has_value());
  const verdict::Verdict verdict = f.Verdict(OneGpuPods(1, "3"));
  CHECK(verdict.outcome == Outcome::kNo);
  CHECK(verdict.reasons.at(0).code == ReasonCode::kNodeResources);
  REQUIRE(f.state.sinks().pods.Upsert(PodOf("p", "x", "node-1", "Succeeded", "2", "")).has_value());
  CHECK(f.Verdict(OneGpuPods(1, "3")).outcome == Outcome::kYes);
}

TEST_CASE("a host port of a running pod is not free") {
  Fixture f;
  const json with_port = {{"name", "c"}, {"ports", json::array({{{"hostPort", 8080}}})}};
  json pod = {{"spec",
               {{"resourceClaims",
                 json::array({{{"name", "gpu"}, {"resourceClaimTemplateName", "one-gpu"}}})},
                {"containers", json::array({with_port})}}}};
  const tracking::PodTemplate item{"main", 1, &pod};
  const tracking::Demands demands = *tracking::ReadDemands({&item, 1});
  CHECK(f.Verdict(demands).outcome == Outcome::kYes);
  for (const char* address : {"", "10.0.0.1"}) {
    INFO("on address " << address);
    json with_address = with_port;
    with_address["ports"][0]["hostIP"] = address;
    json running = {{"spec", {{"nodeName", "node-1"}, {"containers", json::array({with_address})}}},
                    {"status", {{"phase", "Running"}}}};
    REQUIRE(f.state.sinks().pods.Upsert(Object("web", "p", running)).has_value());
    const verdict::Verdict verdict = f.Verdict(demands);
    CHECK(verdict.outcome == Outcome::kNo);
    CHECK(verdict.reasons.at(0).code == ReasonCode::kNodeResources);
  }
}

TEST_CASE("a Yes says that anti-affinity of running pods was not looked at, where it may matter") {
  struct Row {
    const char* ns;  // of the running pod
    json more;       // of its term
    const char* phase;
    bool noted;  // for a job in "ml"
  };
  const json none = json::object();
  for (const Row& row : {Row{"ml", none, "Running", true}, Row{"web", none, "Running", false},
                         Row{"web", {{"namespaces", {"ml"}}}, "Running", true},
                         Row{"ml", {{"namespaces", json::array({"web"})}}, "Running", false},
                         Row{"web", {{"namespaceSelector", none}}, "Running", true},
                         Row{"ml", none, "Succeeded", false}}) {
    INFO(row.ns << " " << row.more.dump() << " " << row.phase);
    json term = {{"topologyKey", "kubernetes.io/hostname"}};
    term.update(row.more);
    const char* const required = "requiredDuringSchedulingIgnoredDuringExecution";
    json pod = json::parse(PodOf("p", "x", "node-1", row.phase, "1", ""));
    pod["metadata"]["namespace"] = row.ns;
    pod["spec"]["affinity"]["podAntiAffinity"][required] = json::array({term});
    Fixture f;
    REQUIRE(f.state.sinks().pods.Upsert(pod.dump()).has_value());
    const verdict::Verdict verdict = f.Verdict(OneGpuPods(1));
    CHECK(verdict.outcome == Outcome::kYes);
    CHECK(verdict.reasons.size() == (row.noted ? 1 : 0));
    if (row.noted) CHECK(verdict.reasons.at(0).code == ReasonCode::kPodUnverified);
  }
}

TEST_CASE("up to 1.36.2 DeviceTaintRules make every verdict Unknown: the scheduler panics") {
  const std::string rule = Object("", "other",
                                  {{"spec",
                                    {{"deviceSelector", {{"driver", "other.example.com"}}},
                                     {"taint", {{"key", "k"}, {"effect", "NoSchedule"}}}}}});
  for (const auto& [release, doubtful] : std::map<std::string, bool>{
           {"v1.35.4", false}, {"v1.36.0", true}, {"v1.36.2", true}, {"v1.36.3", false}}) {
    INFO(release);
    Fixture f;
    DraApi api = With(true);
    api.release = release;
    f.state.SetRelease(api);
    const auto verdict = [&](int pods) {
      return VerifyDevices(f.state, "ml", OneGpuPods(pods), {});
    };
    CHECK(verdict(1).outcome == Outcome::kYes);
    REQUIRE(f.state.sinks().taint_rules.Upsert(rule).has_value());
    CHECK(verdict(1).outcome == (doubtful ? Outcome::kUnknown : Outcome::kYes));
    CHECK(verdict(3).outcome == (doubtful ? Outcome::kUnknown : Outcome::kNo));
    if (doubtful) CHECK(verdict(3).reasons.at(0).code == ReasonCode::kReleaseUnverified);
    REQUIRE(f.state.sinks().taint_rules.Remove(rule).has_value());
    CHECK(verdict(1).outcome == Outcome::kYes);
  }
}

TEST_CASE("what a running pod's devices take of the node counts like its requests (KEP-5517)") {
  Fixture f;
  json pod = json::parse(PodOf("busy", "other", "node-1", "Running", "1", "busy-gpu"));
  pod["status"]["nodeAllocatableResourceClaimStatuses"] = json::array(
      {{{"resourceClaimName", "busy-gpu"}, {"containers", {"c"}}, {"resources", {{"cpu", "2"}}}}});
  REQUIRE(f.state.sinks().pods.Upsert(pod.dump()));
  CHECK(f.Verdict(OneGpuPods(1, "1")).outcome == Outcome::kYes);
  CHECK(f.Verdict(OneGpuPods(1, "1500m")).outcome == Outcome::kNo);
}

TEST_CASE("... in the form of 1.37 with overheads per pod and container") {
  Fixture f;
  json pod = json::parse(PodOf("busy", "other", "node-1", "Running", "1", "busy-gpu"));
  const json taken = {
      {"resourceClaimName", "busy-gpu"},
      {"containers", {"c", "d"}},
      {"mapping", {{{"name", "cpu"}, {"quantity", "500m"}}}},
      {"overhead", {{{"name", "cpu"}, {"perPod", "500m"}, {"perContainer", "500m"}}}}};
  pod["status"]["nodeAllocatableResourceClaimStatuses"] = json::array({taken});
  REQUIRE(f.state.sinks().pods.Upsert(pod.dump()));
  CHECK(f.Verdict(OneGpuPods(1, "1")).outcome == Outcome::kYes);
  CHECK(f.Verdict(OneGpuPods(1, "1001m")).outcome == Outcome::kNo);
}

TEST_CASE("heartbeats of nodes and idle words of pods wake nobody") {
  Fixture f;
  REQUIRE(f.state.sinks().pods.Upsert(PodOf("p", "x", "node-1", "Running", "1", "")).has_value());
  const int before = f.changes;
  REQUIRE(f.state.sinks().nodes.Upsert(NodeWith("4", "2")).has_value());
  REQUIRE(f.state.sinks().pods.Upsert(PodOf("p", "x", "node-1", "Running", "1", "")).has_value());
  CHECK(f.changes == before);
  REQUIRE(f.state.sinks().nodes.Upsert(NodeWith("5", "2")).has_value());
  CHECK(f.changes == before + 1);
  REQUIRE(f.state.sinks().pods.Upsert(PodOf("p", "x", "node-1", "Running", "2", "")).has_value());
  CHECK(f.changes == before + 2);  // resized in place
}

TEST_CASE("assumed pods take their devices; holding ones have taken them") {
  Fixture f;
  const auto others = OneGpuPods(2);
  CHECK(f.Verdict(OneGpuPods(1), Pods(others, 1)).outcome == Outcome::kYes);
  const verdict::Verdict verdict = f.Verdict(OneGpuPods(1), Pods(others, 2));
  CHECK(verdict.outcome == Outcome::kNo);
  CHECK_THAT(verdict::MessageOf(verdict.reasons.at(0)),
             ContainsSubstring("already dispatched here"));

  const tracking::JobKey job{"Job.batch", {"ml", "train"}};
  CHECK(Sum(f.state.pods().Holding(job)) == 0);
  auto& pods = f.state.sinks().pods;
  REQUIRE(pods.Upsert(PodOf("p1", "train", "node-1", "Pending", "1", "c1")).has_value());
  CHECK(Sum(f.state.pods().Holding(job)) == 0);  // its claim has not been seen yet
  REQUIRE(
      f.state.sinks().claims.Upsert(Object("ml", "c1", {{"spec", json::object()}})).has_value());
  CHECK(Sum(f.state.pods().Holding(job)) == 0);
  REQUIRE(pods.Upsert(PodOf("p1", "train", "", "Pending", "1", "c1")).has_value());
  REQUIRE(f.state.sinks().claims.Upsert(ClaimHolding("c1", "gpu-0")).has_value());
  CHECK(Sum(f.state.pods().Holding(job)) == 1);  // allocated; the binding may take its time
  REQUIRE(pods.Upsert(PodOf("p2", "train", "", "Pending", "1", "")).has_value());
  CHECK(Sum(f.state.pods().Holding(job)) == 1);
  REQUIRE(pods.Upsert(PodOf("p2", "train", "node-1", "Pending", "1", "")).has_value());
  CHECK(Sum(f.state.pods().Holding(job)) ==
        2);  // without claims its node is all there is to wait for
  REQUIRE(pods.Remove(PodOf("p1", "train", "node-1", "Pending", "1", "c1")).has_value());
  CHECK(Sum(f.state.pods().Holding(job)) == 1);
  REQUIRE(pods.Upsert(PodOf("p2", "train", "node-1", "Succeeded", "1", "")).has_value());
  CHECK(Sum(f.state.pods().Holding(job)) == 1);
  REQUIRE(pods.Upsert(PodOf("p2", "train", "node-1", "Failed", "1", "")).has_value());
  CHECK(Sum(f.state.pods().Holding(job)) == 0);  // its replacement needs the device
  REQUIRE(pods.Upsert(PodOf("p3", "train", "node-1", "Running", "1", "")).has_value());
  CHECK(Sum(f.state.pods().Holding(job)) == 1);
}

TEST_CASE("the same question about the same state is answered from memory, and no other") {
  Fixture f;
  const auto demands = OneGpuPods(1);
  CHECK(f.state.judge().Verdict("ml", demands, {}).headroom == 1);
  CHECK(f.state.judge().Verdict("ml", demands, {}).headroom == 1);
  CHECK(f.state.judge().Verdict("ml", demands, Pods(demands, 1)).headroom == 0);
  REQUIRE(f.state.sinks().claims.Upsert(ClaimHolding("other", "gpu-1")).has_value());
  CHECK(f.state.judge().Verdict("ml", demands, {}).headroom == 0);
  CHECK(f.state.judge().Verdict("ml", demands, {}) ==
        f.state.judge().Judge("ml", *demands, {}).verdict);
}

TEST_CASE("templates and claims without devices wake nobody here, and are judged all the same") {
  Fixture f;
  const auto two_gpus = [](const char* ns, const char* name) {
    const json request = {
        {"name", "r"},
        {"exactly", {{"deviceClassName", "gpu"}, {"allocationMode", "ExactCount"}, {"count", 2}}}};
    return Object(ns, name,
                  {{"spec", {{"spec", {{"devices", {{"requests", json::array({request})}}}}}}}});
  };
  const auto demands = OneGpuPods(1);
  CHECK(f.state.judge().Verdict("ml", demands, {}).headroom == 1);
  const int before = f.changes;
  REQUIRE(f.state.sinks().templates.Upsert(two_gpus("other", "one-gpu")).has_value());
  CHECK(f.state.judge().Verdict("ml", demands, {}).headroom == 1);
  REQUIRE(f.state.sinks().templates.Upsert(two_gpus("ml", "one-gpu")).has_value());
  CHECK(f.state.judge().Verdict("ml", demands, {}).headroom == 0);
  REQUIRE(f.state.sinks().templates.Remove(two_gpus("ml", "one-gpu")).has_value());
  CHECK(f.state.judge().Verdict("ml", demands, {}).outcome == Outcome::kNo);
  const std::string claim = Object("ml", "c", {{"spec", json::object()}});
  REQUIRE(f.state.sinks().claims.Upsert(claim).has_value());
  REQUIRE(f.state.sinks().claims.Remove(claim).has_value());
  CHECK(f.changes == before);
  REQUIRE(f.state.sinks().claims.Upsert(claim).has_value());
  REQUIRE(f.state.sinks().claims.Upsert(ClaimHolding("c", "gpu-0")).has_value());
  CHECK(f.changes == before + 1);
  REQUIRE(f.state.sinks().claims.Upsert(claim).has_value());  // its device is free again
  CHECK(f.changes == before + 2);
}

TEST_CASE("a class that comes or goes is judged anew") {
  Fixture f;
  const auto demands = OneGpuPods(1);
  const std::string gpu = Object("", "gpu", {{"spec", json::object()}});
  CHECK(f.state.judge().Verdict("ml", demands, {}).outcome == Outcome::kYes);
  REQUIRE(f.state.sinks().classes.Remove(gpu).has_value());
  CHECK(f.state.judge().Verdict("ml", demands, {}).outcome == Outcome::kNo);
  REQUIRE(f.state.sinks().classes.Upsert(gpu).has_value());
  CHECK(f.state.judge().Verdict("ml", demands, {}).outcome == Outcome::kYes);
}

TEST_CASE("an object that only comes again wakes nobody, and is not judged again") {
  Fixture f;
  REQUIRE(f.state.sinks().claims.Upsert(ClaimHolding("c", "gpu-0")).has_value());
  const int before = f.changes;
  const auto snapshot = f.state.snapshot();
  REQUIRE(f.state.sinks().slices.Upsert(SliceOf(2)).has_value());
  REQUIRE(f.state.sinks().claims.Upsert(ClaimHolding("c", "gpu-0")).has_value());
  REQUIRE(
      f.state.sinks().classes.Upsert(Object("", "gpu", {{"spec", json::object()}})).has_value());
  REQUIRE(f.state.sinks().nodes.Upsert(NodeWith("4", "2")).has_value());
  Fixture::Fill(f.state.sinks().slices, {SliceOf(2)});
  CHECK(f.changes == before);
  CHECK(f.state.snapshot() == snapshot);
  REQUIRE(f.state.sinks().slices.Upsert(SliceOf(3)).has_value());
  CHECK(f.changes == before + 1);
}

TEST_CASE("another release decides about the same objects") {
  Fixture f;
  Fixture::Fill(
      f.state.sinks().taint_rules,
      {Object("", "all", {{"spec", {{"taint", {{"key", "k"}, {"effect", "NoSchedule"}}}}}})});
  CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kNo);
  const int before = f.changes;
  f.state.SetRelease(With(false));
  CHECK(f.changes == before + 1);
  CHECK(f.Verdict(OneGpuPods(2)).outcome == Outcome::kYes);
  f.state.SetRelease(With(false));
  CHECK(f.changes == before + 1);
  f.state.SetRelease(With(true));
  CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kNo);
  CHECK(f.state.judge().Verdict("ml", OneGpuPods(1), {}).outcome == Outcome::kNo);
}

std::string GroupSharing(const std::string& name, const std::string& template_name,
                         const std::string& condition = "Unknown") {
  return Object(
      "ml", name,
      {{"spec",
        {{"resourceClaims",
          json::array({{{"name", "gpu"}, {"resourceClaimTemplateName", template_name}}})}}},
       {"status", {{"conditions", json::array({{{"status", condition}}})}}}});
}

TEST_CASE("the pods of a group share its claim where PodGroups are served") {
  Fixture f;
  const auto pods = OneGpuPods(4, "100m", "training");
  const auto outcome = [&] { return f.state.judge().Verdict("ml", pods, {}).outcome; };
  Fixture::Fill(f.state.sinks().pod_groups, {GroupSharing("training", "one-gpu")});
  CHECK(outcome() == Outcome::kNo);
  const int before = f.changes;
  f.state.SetRelease(With(true, true));
  CHECK(f.changes == before + 1);
  CHECK(outcome() == Outcome::kYes);
  CHECK(f.Verdict(OneGpuPods(4)).outcome == Outcome::kNo);
}

TEST_CASE("a PodGroup that comes, changes or goes is a change for its pods' verdicts") {
  Fixture f;
  f.state.SetRelease(With(true, true));
  const auto pods = OneGpuPods(4, "100m", "training");
  const auto outcome = [&] { return f.state.judge().Verdict("ml", pods, {}).outcome; };
  auto& groups = f.state.sinks().pod_groups;
  int changes = f.changes;
  CHECK(outcome() == Outcome::kNo);
  REQUIRE(groups.Upsert(GroupSharing("training", "one-gpu")).has_value());
  CHECK(f.changes == ++changes);
  CHECK(outcome() == Outcome::kYes);
  REQUIRE(groups.Upsert(GroupSharing("training", "one-gpu", "False")).has_value());
  CHECK(f.changes == changes);  // its claims are the same
  REQUIRE(groups.Upsert(GroupSharing("training", "another")).has_value());
  CHECK(f.changes == ++changes);
  CHECK(outcome() == Outcome::kNo);
  REQUIRE(groups.Upsert(GroupSharing("training", "one-gpu")).has_value());
  CHECK(f.changes == ++changes);
  CHECK(outcome() == Outcome::kYes);
  REQUIRE(groups.Remove(GroupSharing("training", "one-gpu")).has_value());
  CHECK(f.changes == ++changes);
  CHECK(outcome() == Outcome::kNo);
}

TEST_CASE("pods of a group that are on their way take its one claim") {
  Fixture f;
  f.state.SetRelease(With(true, true));
  const auto others = OneGpuPods(4, "100m", "training");
  CHECK(f.Verdict(OneGpuPods(1), Pods(others, 4)).outcome == Outcome::kNo);
  Fixture::Fill(f.state.sinks().pod_groups, {GroupSharing("training", "one-gpu")});
  CHECK(f.Verdict(OneGpuPods(1), Pods(others, 4)).outcome == Outcome::kYes);
  CHECK(f.state.judge().Verdict("ml", OneGpuPods(2), Pods(others, 4)).outcome == Outcome::kNo);
  // More of the same group need nothing more.
  CHECK(f.Verdict(OneGpuPods(4, "100m", "training"), Pods(others, 4)).outcome == Outcome::kYes);
}

TEST_CASE("a group that demands what is not looked at makes a Yes uncertain, and no No") {
  Fixture f;
  const auto verdict = [&](int pods, const json& spec) {
    REQUIRE(f.state.sinks().pod_groups.Upsert(Object("ml", "training", {{"spec", spec}})));
    return VerifyDevices(f.state, "ml", OneGpuPods(pods, "100m", "training"), {});
  };
  const json topology = {{"schedulingConstraints", {{"topology", {{{"key", "rack"}}}}}}};
  CHECK(verdict(1, json::object()).outcome == Outcome::kYes);
  CHECK(verdict(1, topology).outcome == Outcome::kUnknown);
  CHECK(verdict(1, topology).reasons.at(0).code == ReasonCode::kGroupUnverified);
  CHECK(verdict(9, topology).outcome == Outcome::kNo);
  const verdict::Verdict nested = verdict(1, {{"parentCompositePodGroupName", "all"}});
  CHECK(nested.outcome == Outcome::kUnknown);
  CHECK_THAT(verdict::MessageOf(nested.reasons.at(0)),
             ContainsSubstring("PodGroup ml/training has parentCompositePodGroupName"));
  CHECK(verdict(1, json::object()).outcome == Outcome::kYes);
}

TEST_CASE("a gang larger than the job never starts: No, unless the group has other pods") {
  Fixture f;
  const json gang = {{"schedulingPolicy", {{"gang", {{"minCount", 3}}}}}};
  REQUIRE(
      f.state.sinks().pod_groups.Upsert(Object("ml", "training", {{"spec", gang}})).has_value());
  const auto verdict = [&](int pods) {
    return VerifyDevices(f.state, "ml", OneGpuPods(pods, "100m", "training"), {});
  };
  CHECK(verdict(2).outcome == Outcome::kNo);
  REQUIRE_FALSE(verdict(2).reasons.empty());
  CHECK(verdict(2).reasons[0].code == ReasonCode::kGangIncomplete);
  CHECK(verdict(2).reasons[0].object == "PodGroup ml/training");
  CHECK(verdict::MessageOf(verdict(2).reasons[0]) ==
        "PodGroup ml/training needs minCount 3 pods before any of them is scheduled; "
        "the job has 2");
  // Whatever else is said about three, it is not the gang.
  for (const verdict::Reason& reason : verdict(3).reasons)
    CHECK(reason.code != ReasonCode::kGangIncomplete);
  const json member = {{"spec", {{"schedulingGroup", {{"podGroupName", "training"}}}}}};
  REQUIRE(f.state.sinks().pods.Upsert(Object("ml", "of-another-job", member)).has_value());
  for (const verdict::Reason& reason : verdict(2).reasons)
    CHECK(reason.code != ReasonCode::kGangIncomplete);
  json done = member;
  done["status"]["phase"] = "Succeeded";
  REQUIRE(f.state.sinks().pods.Upsert(Object("ml", "of-another-job", done)).has_value());
  CHECK(verdict(2).reasons.at(0).code == ReasonCode::kGangIncomplete);
}

TEST_CASE("pods of a PodGroup that is missing get no claims where PodGroups are served") {
  Fixture f;
  const auto grouped = OneGpuPods(1, "100m", "training");
  CHECK(f.Verdict(grouped).outcome == Outcome::kYes);
  f.state.SetRelease(With(true, true));
  REQUIRE(f.state.sinks().pod_groups.Upsert(GroupSharing("another", "one-gpu")).has_value());
  const verdict::Verdict verdict = VerifyDevices(f.state, "ml", grouped, {});
  CHECK(verdict.outcome == Outcome::kNo);
  CHECK(verdict.reasons.at(0).code == ReasonCode::kDependencyMissing);
  CHECK(verdict.reasons.at(0).object == "PodGroup ml/training");
  CHECK(f.Verdict(grouped) == verdict);
  const int before = f.changes;
  REQUIRE(f.state.sinks()
              .pod_groups.Upsert(Object("ml", "training", {{"spec", json::object()}}))
              .has_value());
  CHECK(f.changes == before + 1);
  CHECK(f.Verdict(grouped).outcome == Outcome::kYes);
  CHECK(VerifyDevices(f.state, "other", grouped, {}).outcome == Outcome::kNo);
}

TEST_CASE("PodGroups that cannot be listed are in the way of pods that name one only") {
  Fixture f;
  f.state.SetRelease(With(true, true));
  const auto grouped = OneGpuPods(1, "100m", "training");
  for (const CacheState state : {CacheState::kForbidden, CacheState::kSyncing}) {
    Fixture::SetState(f.state.sinks().pod_groups, state);
    CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kYes);
    const verdict::Verdict verdict = VerifyDevices(f.state, "ml", grouped, {});
    CHECK(verdict.outcome == Outcome::kUnknown);
    CHECK(verdict.reasons.at(0).object == "podgroups.scheduling.k8s.io");
    CHECK(f.Verdict(grouped).outcome == Outcome::kUnknown);
  }
  // Without the API a group has no effect.
  Fixture::SetState(f.state.sinks().pod_groups, CacheState::kNotServed);
  CHECK(f.Verdict(grouped).outcome == Outcome::kYes);
  Fixture::SetState(f.state.sinks().pod_groups, CacheState::kForbidden);
  f.state.SetRelease(With(true, false));
  CHECK(f.Verdict(grouped).outcome == Outcome::kYes);
}

TEST_CASE("what was known of a PodGroup is not judged by where their list has gone silent") {
  Fixture f;
  f.state.SetRelease(With(true, false));
  const json gang = {{"schedulingPolicy", {{"gang", {{"minCount", 3}}}}}};
  Fixture::Fill(f.state.sinks().pod_groups, {Object("ml", "training", {{"spec", gang}})});
  Fixture::SetState(f.state.sinks().pod_groups, CacheState::kForbidden);
  for (const int pods : {1, 3}) {
    const verdict::Verdict verdict =
        VerifyDevices(f.state, "ml", OneGpuPods(pods, "100m", "training"), {});
    CHECK(verdict.outcome == Outcome::kUnknown);
    CHECK(verdict.reasons.at(0).object == "podgroups.scheduling.k8s.io");
  }
}

// spec.deviceSelector of resource.k8s.io/v1alpha3 up to Kubernetes 1.34.
TEST_CASE("a rule that selects by class or by selectors makes a No uncertain, and no Yes") {
  const json taint = {{"key", "k"}, {"effect", "NoSchedule"}};
  const json cel = json::array({{{"cel", {{"expression", "true"}}}}});
  const json selectors[] = {{{"deviceClassName", "gpu"}, {"device", "gpu-0"}},
                            {{"selectors", cel}, {"device", "gpu-0"}}};
  for (const json& selector : selectors) {
    Fixture f;
    Fixture::Fill(
        f.state.sinks().taint_rules,
        {Object("", "rule", {{"spec", {{"deviceSelector", selector}, {"taint", taint}}}})});
    CHECK(f.Verdict(OneGpuPods(1)).outcome == Outcome::kYes);
    const verdict::Verdict doubted = f.Verdict(OneGpuPods(2));
    CHECK(doubted.outcome == Outcome::kUnknown);
    CHECK(doubted.reasons.at(0).code == ReasonCode::kApiVersionOld);
    CHECK(VerifyDevices(f.state, "ml", OneGpuPods(2), {}).outcome == Outcome::kUnknown);
    Fixture::Fill(f.state.sinks().taint_rules, {});
    CHECK(f.Verdict(OneGpuPods(2)).outcome == Outcome::kYes);
    CHECK(f.Verdict(OneGpuPods(3)).outcome == Outcome::kNo);
  }
}

TEST_CASE("an object that cannot be read is an error of this object only") {
  Fixture f;
  CHECK_FALSE(f.state.sinks().slices.Upsert(Object("", "bad", {{"spec", {{"driver", 7}}}})));
  CHECK_FALSE(f.state.sinks().pods.Upsert("{"));
  CHECK(f.Verdict(OneGpuPods(2)).outcome == Outcome::kYes);
}

TEST_CASE("the stricter verdict speaks first") {
  verdict::Verdict warned{
      .outcome = Outcome::kYes,
      .headroom = 3,
      .reasons = {{ReasonCode::kTemplateDrift, "t", verdict::Sentence{"differs"}}}};
  const verdict::Verdict refused{
      .outcome = Outcome::kNo,
      .reasons = {{ReasonCode::kNotEnoughDevices, "", verdict::Sentence{"0 of 1"}}}};
  const verdict::Verdict both = Combine(warned, refused);
  CHECK(both.outcome == Outcome::kNo);
  CHECK(both.headroom == 3);
  REQUIRE(both.reasons.size() == 2);
  CHECK(both.reasons[0].code == ReasonCode::kNotEnoughDevices);
  CHECK(Combine(refused, warned).reasons[0].code == ReasonCode::kNotEnoughDevices);
  CHECK(Combine(both, warned).reasons.size() == 2);  // each once
}

}  // namespace fedra::verify::device_state_test
