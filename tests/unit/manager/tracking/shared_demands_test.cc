// Equal demands are one, for as long as one holder has them.

#include "manager/tracking/shared_demands.h"

#include <nlohmann/json.hpp>

#include "manager/tracking/workload.h"
#include "tests/support/catch.h"

namespace fedra::tracking::shared_demands_test {
namespace {

using nlohmann::json;

Workload Parsed(const std::string& ns, const std::string& name, const std::string& claim_template,
                const std::string& command = "train") {
  json object = json::parse(R"({"metadata": {}, "spec": {"queueName": "gpu", "podSets": [
      {"name": "main", "count": 1, "template": {"spec": {"containers": [{"name": "main"}],
       "resourceClaims": [{"name": "gpu"}]}}}]},
      "status": {"conditions": [{"type": "QuotaReserved", "status": "True"}]}})");
  object["metadata"] = {{"namespace", ns}, {"name", name}, {"uid", name}};
  json& pod = object["spec"]["podSets"][0]["template"]["spec"];
  pod["containers"][0]["command"] = json::array({command});
  pod["resourceClaims"][0]["resourceClaimTemplateName"] = claim_template;
  return ParseWorkload(object).value();
}

}  // namespace

TEST_CASE("demands of jobs of one template are one, whatever else their pods say") {
  const Workload first = Parsed("ml", "a", "one-gpu");
  REQUIRE(first.requirement.demands != nullptr);
  CHECK(Parsed("ml", "b", "one-gpu", "evaluate").requirement.demands == first.requirement.demands);
  CHECK(Parsed("ml", "c", "two-gpus").requirement.demands != first.requirement.demands);
  // The templates of another namespace are others.
  CHECK(Parsed("vision", "a", "one-gpu").requirement.demands != first.requirement.demands);
}

TEST_CASE("demands that nobody has any more are not kept") {
  const size_t before = CountSharedDemands();
  {
    std::vector<Workload> many;
    for (int i = 0; i < 100; ++i)
      many.push_back(Parsed("ml", std::to_string(i), "template-" + std::to_string(i % 50)));
    CHECK(CountSharedDemands() == before + 50);
  }
  CHECK(CountSharedDemands() == before);
}

}  // namespace fedra::tracking::shared_demands_test
