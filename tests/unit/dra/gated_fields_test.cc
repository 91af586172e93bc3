// Fields of feature gates that are off by default: a verdict that they may change is Unknown, and
// says which they are.

#include <string>
#include <variant>
#include <vector>

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::gated_fields_test {
namespace {

using verdict::Outcome;

// The fields that keep the verdict from being certain.
std::vector<std::string> Fields(const dra::Judgement& judgement) {
  if (judgement.verdict.outcome != Outcome::kUnknown) return {};
  const auto* doubt = std::get_if<verdict::ReleaseDoubt>(&judgement.verdict.reasons.at(0).facts);
  REQUIRE(doubt != nullptr);
  CHECK(doubt->kind == verdict::ReleaseDoubt::Kind::kGates);
  return doubt->fields;
}

struct Row {
  const char* what;
  json device;   // merged into the first of two
  json slice;    // merged into their slice
  json request;  // merged into the request
  std::vector<json> constraints;
  // Of "1.34", "1.35", "1.36", "1.37": the gate that is seen; empty: judged.
  std::array<std::string, 4> gates;
};

const json kNone = json::object();

std::vector<Row> Rows() {
  const std::string parts = "DRAPartitionableDevices", binding = "DRADeviceBindingConditions",
                    shares = "DRAConsumableCapacity", lists = "DRAListTypeAttributes",
                    fractions = "DRAFractionalCapacityRange";
  const json range = {
      {"capacity",
       {{"m",
         {{"value", "10"},
          {"requestPolicy",
           {{"default", "1"}, {"validRange", {{"min", "500m"}, {"step", "500m"}}}}}}}}}};
  return {
      {"nothing", kNone, kNone, kNone, {}, {}},
      {"taints", {{"taints", {{{"key", "k"}, {"effect", "NoSchedule"}}}}}, kNone, kNone, {}, {}},
      {"consumesCounters",
       {{"consumesCounters", {{{"counterSet", "s"}, {"counters", {{"c", {{"value", "1"}}}}}}}}},
       kNone,
       kNone,
       {},
       {parts, parts, "", ""}},
      {"perDeviceNodeSelection",
       kNone,
       {{"perDeviceNodeSelection", false}},
       kNone,
       {},
       {parts, parts, "", ""}},
      {"bindingConditions",
       {{"bindingConditions", {"ready"}}, {"bindingFailureConditions", {"bad"}}},
       kNone,
       kNone,
       {},
       {binding, binding, "", ""}},
      {"bindsToNode", {{"bindsToNode", true}}, kNone, kNone, {}, {binding, binding, "", ""}},
      {"allowMultipleAllocations",
       {{"allowMultipleAllocations", true}},
       kNone,
       kNone,
       {},
       {shares, shares, "", ""}},
      {"capacity of the request",
       kNone,
       kNone,
       {{"capacity", {{"requests", {{"m", "1"}}}}}},
       {},
       {shares, shares, "", ""}},
      {"distinctAttribute",
       kNone,
       kNone,
       kNone,
       {Distinct("gpu.example.com/n")},
       {"", shares, "", ""}},
      {"lists",
       {{"attributes", {{"list", {{"strings", {"x"}}}}}}},
       kNone,
       kNone,
       {},
       {lists, lists, lists, ""}},
      {"fractions", range, kNone, kNone, {}, {shares, shares, "", fractions}},
  };
}

dra::Judgement JudgeOn(const char* version, const Row& row, const char* of_class = "gpu") {
  Worker worker(*dra::FeaturesOf(version));
  worker.AddClass(Class("nic", {R"(device.driver == "nic.example.com")"}));
  worker.Node("n1").On("n1", {Device("a", {{"n", 1}}, row.device), Device("b", {{"n", 2}})},
                       row.slice);
  worker.On("n1", Devices(1), {{"driver", "nic.example.com"}});
  json request = row.request;
  request["deviceClassName"] = of_class;
  worker.Template("t", {Request("r", 1, request)}, row.constraints);
  return worker.Pods(1, "t");
}

TEST_CASE("fields of gates that are off by default make the verdict Unknown") {
  constexpr std::array kReleases = {"1.34", "1.35", "1.36", "1.37"};
  for (const Row& row : Rows()) {
    for (size_t i = 0; i < kReleases.size(); ++i) {
      INFO(row.what << " on " << kReleases[i]);
      const auto judgement = JudgeOn(kReleases[i], row);
      const std::vector<std::string> fields = Fields(judgement);
      if (row.gates[i].empty()) {
        CHECK(fields.empty());
        CHECK(judgement.verdict.outcome != Outcome::kUnknown);
      } else {
        REQUIRE(fields.size() == 1);
        CHECK_THAT(fields[0], ContainsSubstring("(" + row.gates[i] + ")"));
      }
    }
  }
}

TEST_CASE("what other devices have of such fields does not matter") {
  for (const Row& row : Rows()) {
    if (!row.request.empty() || !row.constraints.empty()) continue;
    INFO(row.what);
    const std::vector<std::string> fields = Fields(JudgeOn("1.35", row, "nic"));
    // But for lists: a device with an attribute of no known type fails every selector that looks at
    // it (DeviceMatches in cel/compile.go of k8s.io/dynamic-resource-allocation v0.35.4).
    CHECK(fields.empty() == (row.what != std::string("lists")));
  }
}

TEST_CASE("1.34 and 1.35 keep tainted devices from pods where objects have taints") {
  const json taint = {{"taints", {{{"key", "k"}, {"effect", "NoSchedule"}}}}};
  for (const char* version : {"1.34", "1.35", "1.36"}) {
    INFO(version);
    Worker worker(*dra::FeaturesOf(version));
    worker.Node("n1").On("n1", Devices(1, {}, taint)).Template("t", {Request("r")});
    CHECK(Code(worker.Pods(1, "t")) == ReasonCode::kDeviceTainted);
  }
}

TEST_CASE("an extended resource that a class names before 1.36") {
  json device_class = Class("gpu");
  device_class["spec"]["extendedResourceName"] = "example.com/gpu";
  const char* const pod = R"({"spec": {"containers": [
      {"resources": {"requests": {"example.com/gpu": "1"}}}]}})";
  for (const char* version : {"1.34", "1.35", "1.36"}) {
    INFO(version);
    Worker worker(*dra::FeaturesOf(version));
    worker.AddClass(device_class).Node("n1").On("n1", Devices(1));
    const auto judgement = worker.Judge({worker.Parse(pod)});
    if (std::string(version) == "1.36")
      CHECK(judgement.verdict.outcome == Outcome::kYes);
    else
      CHECK(Fields(judgement) ==
            std::vector<std::string>{"extendedResourceName (DRAExtendedResource)"});
  }
}

TEST_CASE("fields of gates count where an extended resource leads to them, too") {
  json device_class = Class("gpu");
  device_class["spec"]["extendedResourceName"] = "example.com/gpu";
  const char* const pod = R"({"spec": {"containers": [
      {"resources": {"requests": {"example.com/gpu": "1"}}}]}})";
  for (const Row& row : Rows()) {
    const bool of_devices = row.request.empty() && row.constraints.empty();
    for (const auto& [version, gate] : {std::pair("1.36", row.gates[2]), {"1.37", row.gates[3]}}) {
      INFO(row.what << " on " << version);
      Worker worker(*dra::FeaturesOf(version));
      worker.AddClass(device_class)
          .Node("n1")
          .On("n1", {Device("a", {{"n", 1}}, row.device), Device("b")}, row.slice);
      const auto fields = Fields(worker.Judge({worker.Parse(pod)}));
      CHECK(fields.size() == (of_devices && !gate.empty() ? 1 : 0));
    }
  }
}

}  // namespace
}  // namespace fedra::test::gated_fields_test
