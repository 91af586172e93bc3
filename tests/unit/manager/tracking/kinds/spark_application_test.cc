// Of which fields of a SparkApplication its pods are made.

#include "manager/tracking/kinds/spark_application.h"

#include <map>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::tracking::spark_application_test {

using nlohmann::json;

namespace {

json WithSpec(const std::string& spec) { return {{"spec", json::parse(spec)}}; }

// Of the driver.
json DriverOf(const std::string& spec) { return (*SparkPods(WithSpec(spec)).at(0).object)["spec"]; }

// "cpu=1 memory=1408Mi" of the driver, as the scheduler will see it; the error where it cannot be
// read.
std::string RequestsOf(const std::string& spec,
                       std::vector<PodTemplate> (*pods_of)(const json& object) = &SparkPods) {
  const std::vector<PodTemplate> pods = pods_of(WithSpec(spec));
  const auto demands = ReadDemands(std::span(pods).first(1));
  if (!demands) return demands.error().message;
  std::map<std::string, std::string> sorted;
  for (const auto& [resource, amount] : (*demands)->at(0).requests)
    sorted[resource.str()] = amount.ToString();
  std::string text;
  for (const auto& [resource, amount] : sorted)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", resource, amount);
  return text;
}

std::vector<Dependency> DependenciesOf(const std::string& spec) {
  const auto found = ReadDependencies(SparkPods(WithSpec(spec)));
  REQUIRE(found.has_value());
  return *found;
}

}  // namespace

TEST_CASE("SparkApplication: one driver, and the executors that it says") {
  const auto [spec, executors] = GENERATE(table<const char*, int>({
      {R"({"executor": {"instances": 4}})", 4},
      {R"({"executor": {}})", 0},  // as Kueue counts; Spark's default is another
      {R"({})", 0},
  }));
  const std::vector<PodTemplate> pods = SparkPods(WithSpec(spec));
  REQUIRE(pods.size() == 2);
  CHECK(pods[0].name == "driver");
  CHECK(*pods[0].count == 1);
  CHECK(pods[1].name == "executor");
  CHECK(*pods[1].count == executors);
  CHECK((*pods[1].object)["spec"]["containers"][0]["name"] == "spark-kubernetes-executor");
  CHECK_FALSE(SparkPods(WithSpec(R"({"executor": {"instances": "4"}})"))[1].count.has_value());
}

TEST_CASE("SparkApplication: the image of Spark's container") {
  const auto [spec, image] = GENERATE(table<const char*, const char*>({
      {R"({"image": "all"})", "all"},
      {R"({"image": "all", "driver": {"image": "own"}})", "own"},
      {R"({"sparkConf": {"spark.kubernetes.container.image": "conf"}})", "conf"},
      {R"({"sparkConf": {"spark.kubernetes.driver.container.image": "conf"}})", "conf"},
      {R"({"driver": {"template": {"spec": {"containers": [{"image": "template"}]}}}})",
       "template"},
      {R"({})", ""},
  }));
  CHECK(DriverOf(spec)["containers"][0].value("image", "") == image);
}

TEST_CASE("SparkApplication: cores, memory with its overhead, and devices") {
  const auto [spec, requests] = GENERATE(table<const char*, const char*>({
      {R"({})", "cpu=1 memory=1408Mi"},
      {R"({"driver": {"cores": 2, "memory": "512m"}})", "cpu=2 memory=896Mi"},
      {R"({"driver": {"cores": 2, "coreRequest": "500m", "memory": "8g"}})",
       "cpu=500m memory=9011Mi"},
      {R"({"type": "Python", "driver": {"memory": "8G"}})", "cpu=1 memory=11468Mi"},
      {R"({"type": "R", "memoryOverheadFactor": "0.5", "driver": {"memory": "8gb"}})",
       "cpu=1 memory=12Gi"},
      {R"({"memoryOverheadFactor": "nan", "driver": {"memory": "8g"}})", "cpu=1 memory=9011Mi"},
      {R"({"driver": {"memory": "1024", "memoryOverhead": "1g"}})", "cpu=1 memory=2Gi"},
      {R"({"driver": {"memory": "1g", "memoryOverhead": "0"}})", "cpu=1 memory=1Gi"},
      {R"({"driver": {"memory": "2000k"}})", "cpu=1 memory=386Mi"},
      {R"({"driver": {"gpu": {"name": "nvidia.com/gpu", "quantity": 2}}})",
       "cpu=1 memory=1408Mi nvidia.com/gpu=2"},
      {R"({"driver": {"gpu": {"name": "nvidia.com/gpu", "quantity": 0}}})", "cpu=1 memory=1408Mi"},
      // What the template says of other resources stays.
      {R"({"driver": {"template": {"spec": {"containers": [
         {"name": "spark-kubernetes-driver", "resources": {"requests": {"cpu": "9", "example.com/x": 1}}}]}}}})",
       "cpu=1 example.com/x=1 memory=1408Mi"},
  }));
  INFO(spec);
  CHECK(RequestsOf(spec) == requests);
}

TEST_CASE("SparkApplication: of its fields Kueue counts what they say, and no more") {
  const auto [spec, counted] = GENERATE(table<const char*, const char*>({
      {R"({})", ""},
      {R"({"driver": {"cores": 2, "memoryOverhead": "1g"}})", ""},
      {R"({"driver": {"cores": 2, "coreRequest": "500m", "memory": "8g"}})", "cpu=500m memory=8Gi"},
      {R"({"driver": {"memory": "1048576"}})", "memory=1048576"},
      {R"({"driver": {"coreLimit": "2", "memoryLimit": "512m"}})", "cpu=2 memory=512Mi"},
      {R"({"driver": {"gpu": {"name": "nvidia.com/gpu", "quantity": 2}}})", "nvidia.com/gpu=2"},
      {R"({"driver": {"sidecars": [{"name": "s", "resources": {"requests": {"cpu": 1}}}]}})",
       "cpu=1"},
      {R"({"driver": {"template": {"spec": {"containers": [
         {"name": "spark-kubernetes-driver", "resources": {"requests": {"cpu": "9"}}}]}}}})",
       ""},
  }));
  INFO(spec);
  CHECK(RequestsOf(spec, &SparkCountedPods) == counted);
  const std::vector<PodTemplate> pods =
      SparkCountedPods(WithSpec(R"({"executor": {"instances": 4}})"));
  REQUIRE(pods.size() == 2);
  CHECK(*pods[1].count == 4);
}

TEST_CASE("SparkApplication: an amount that nobody can read is not left out") {
  const auto [field, value] = GENERATE(table<const char*, const char*>({
      {"memory", "8x"},
      {"memory", "-1g"},
      {"memory", "9999999p"},
      {"memory", "g"},
      {"memoryOverhead", "8x"},
      {"coreRequest", "many"},
  }));
  INFO(field << " " << value);
  const json spec{{"driver", {{field, value}}}};
  CHECK(RequestsOf(spec.dump()).starts_with("pod template"));
}

TEST_CASE("SparkApplication: Spark's container is the template's of its name, or the first") {
  const auto container = [](const char* containers) {
    const json pod = DriverOf(R"({"driver": {"cores": 3, "template": {"spec": {"containers": )" +
                              std::string(containers) + "}}}}");
    std::string found;
    for (const json& each : pod["containers"])
      if (each.contains("resources")) found += each.value("name", "?") + " ";
    return found;
  };
  CHECK(container(R"([])") == "spark-kubernetes-driver ");
  CHECK(container(R"([{"name": "a"}, {"name": "b"}])") == "a ");
  CHECK(container(R"([{"name": "a"}, {"name": "spark-kubernetes-driver"}])") ==
        "spark-kubernetes-driver ");
  CHECK(container(R"([3])") == "? ");
  CHECK(container(R"("x")") == "spark-kubernetes-driver ");
}

TEST_CASE("SparkApplication: claims are the templates'") {
  const json object = WithSpec(R"({"executor": {"instances": 2, "template": {"spec": {
    "containers": [{"name": "executor", "resources": {"claims": [{"name": "gpu"}]}}],
    "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]}}}})");
  Requirement requirement;
  REQUIRE(ReadPods(SparkPods(object), requirement));
  CHECK(requirement.TemplateNames() == std::vector<std::string>{"one-gpu"});
  CHECK(requirement.pod_sets[1].count == 2);
  CHECK(requirement.demands->at(1).container_claims == std::vector<std::string>{"gpu"});
}

TEST_CASE("SparkApplication: where its pods may run") {
  const json pod = DriverOf(R"({"nodeSelector": {"a": "1", "b": "1"}, "batchScheduler": "volcano",
    "driver": {"nodeSelector": {"b": "2"}, "affinity": {"nodeAffinity": {}},
               "tolerations": [{"key": "y"}], "priorityClassName": "high", "schedulerName": "mine",
               "template": {"spec": {"nodeSelector": {"c": "3"}, "tolerations": [{"key": "x"}]}}}})");
  CHECK(pod["nodeSelector"] == json{{"a", "1"}, {"b", "2"}, {"c", "3"}});
  CHECK(pod["tolerations"] == json::parse(R"([{"key": "x"}, {"key": "y"}])"));
  CHECK(pod["affinity"] == json::parse(R"({"nodeAffinity": {}})"));
  CHECK(pod["priorityClassName"] == "high");
  CHECK(pod["schedulerName"] == "volcano");
}

TEST_CASE("SparkApplication: what its pods name must be there") {
  using Kind = Dependency::Kind;
  CHECK(DependenciesOf(R"({"sparkConfigMap": "spark-conf", "volumes": [
      {"name": "data", "persistentVolumeClaim": {"claimName": "mounted"}},
      {"name": "other", "persistentVolumeClaim": {"claimName": "not-mounted"}},
      {"name": "spark-local-dir-1", "persistentVolumeClaim": {"claimName": "OnDemand"}}],
    "driver": {"serviceAccount": "spark", "volumeMounts": [{"name": "data"}, {"name": "spark-local-dir-1"}],
               "configMaps": [{"name": "more", "path": "/x"}],
               "secrets": [{"name": "key", "path": "/y", "secretType": "Generic"}]},
    "executor": {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "env", "key": "k"}}}],
                 "envFrom": [{"configMapRef": {"name": "from"}}],
                 "envSecretKeyRefs": {"B": {"name": "ref", "key": "k"}},
                 "sidecars": [{"name": "s", "envFrom": [{"secretRef": {"name": "side"}}]}],
                 "initContainers": [{"name": "i", "envFrom": [{"secretRef": {"name": "init"}}]}]}})") ==
        std::vector<Dependency>{{Kind::kConfigMap, "from"},
                                {Kind::kConfigMap, "more"},
                                {Kind::kConfigMap, "spark-conf"},
                                {Kind::kSecret, "env"},
                                {Kind::kSecret, "init"},
                                {Kind::kSecret, "key"},
                                {Kind::kSecret, "ref"},
                                {Kind::kSecret, "side"},
                                {Kind::kPersistentVolumeClaim, "mounted"},
                                {Kind::kServiceAccount, "spark"}});
}

TEST_CASE("SparkApplication: what no API server takes makes pods all the same") {
  for (const char* object :
       {R"({})", R"("x")", R"({"spec": 3})", R"({"spec": {"driver": [], "executor": "x"}})",
        R"({"spec": {"driver": {"template": [], "volumeMounts": 1, "secrets": [2], "gpu": 1}}})",
        R"({"spec": {"volumes": 1, "driver": {"template": {"spec": {"containers": {}, "volumes": 2},
            "metadata": 1}, "env": 1, "envSecretKeyRefs": [1], "tolerations": {}, "cores": "two"}}})"}) {
    INFO(object);
    CHECK(SparkPods(json::parse(object)).size() == 2);
  }
}

}  // namespace fedra::tracking::spark_application_test
