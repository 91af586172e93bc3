// What pod templates ask for.

#include "manager/tracking/pod_set.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::tracking::pod_set_test {

using nlohmann::json;
using Kind = tracking::Dependency::Kind;

namespace {

std::vector<tracking::Dependency> DependenciesOf(const char* spec) {
  const json object = {{"spec", json::parse(spec)}};
  const PodTemplate item{"main", 1, &object};
  const auto found = ReadDependencies({&item, 1});
  REQUIRE(found.has_value());
  return *found;
}

bool NeedsDevices(const char* spec) {
  const json object = {{"spec", json::parse(spec)}};
  const PodTemplate item{"main", 1, &object};
  return NeedDevices(**ReadDemands({&item, 1}));
}

}  // namespace

TEST_CASE("everything a pod cannot start without is found, once") {
  const auto found = DependenciesOf(R"({
    "serviceAccountName": "robot", "priorityClassName": "high", "runtimeClassName": "gvisor",
    "schedulingGroup": {"podGroupName": "gang"},
    "volumes": [
      {"configMap": {"name": "settings"}},
      {"secret": {"secretName": "keys"}},
      {"persistentVolumeClaim": {"claimName": "data"}},
      {"projected": {"sources": [{"configMap": {"name": "more"}}, {"secret": {"name": "pin"}}]}},
      {"emptyDir": {}}],
    "initContainers": [{"envFrom": [{"configMapRef": {"name": "settings"}}]}],
    "containers": [{"env": [{"valueFrom": {"secretKeyRef": {"name": "token", "key": "t"}}},
                            {"valueFrom": {"configMapKeyRef": {"name": "flags", "key": "f"}}},
                            {"value": "plain"}]}]})");
  const std::vector<tracking::Dependency> expected = {{Kind::kConfigMap, "flags"},
                                                      {Kind::kConfigMap, "more"},
                                                      {Kind::kConfigMap, "settings"},
                                                      {Kind::kSecret, "keys"},
                                                      {Kind::kSecret, "pin"},
                                                      {Kind::kSecret, "token"},
                                                      {Kind::kPersistentVolumeClaim, "data"},
                                                      {Kind::kServiceAccount, "robot"},
                                                      {Kind::kPriorityClass, "high"},
                                                      {Kind::kRuntimeClass, "gvisor"},
                                                      {Kind::kPodGroup, "gang"}};
  CHECK(found == expected);
}

TEST_CASE("what is optional is not needed, and nonsense is nothing") {
  CHECK(DependenciesOf(R"({
    "volumes": [{"configMap": {"name": "a", "optional": true}},
                {"secret": {"secretName": "b", "optional": true}}],
    "containers": [{"envFrom": [{"secretRef": {"name": "c", "optional": true}}]}]})")
            .empty());
  CHECK(DependenciesOf(R"({"volumes": 7, "containers": [1, null, {"env": {}}],
                           "serviceAccountName": ["x"]})")
            .empty());
}

TEST_CASE("schedulers that are not kube-scheduler are found, once each") {
  const std::vector<json> objects = {{{"spec", {{"schedulerName", "volcano"}}}},
                                     {{"spec", {{"schedulerName", "kai"}}}},
                                     {{"spec", {{"schedulerName", "volcano"}}}},
                                     {{"spec", {{"schedulerName", ""}}}},
                                     {{"spec", {{"schedulerName", "default-scheduler"}}}},
                                     {{"spec", {{"schedulerName", 7}}}},
                                     {{"spec", json::object()}}};
  std::vector<PodTemplate> templates;
  for (const json& object : objects) templates.push_back({"main", 1, &object});
  CHECK(ReadSchedulers(templates) == std::vector<std::string>{"kai", "volcano"});
}

TEST_CASE("devices have a say in claims and in extended resources only") {
  CHECK(NeedsDevices(R"({"resourceClaims": [{"name": "g", "resourceClaimName": "c"}]})"));
  CHECK(NeedsDevices(
      R"({"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1", "cpu": "1"}}}]})"));
  CHECK_FALSE(NeedsDevices(
      R"({"containers": [{"resources": {"requests": {"cpu": "1", "hugepages-2Mi": "4Mi"}}}]})"));
}

}  // namespace fedra::tracking::pod_set_test
