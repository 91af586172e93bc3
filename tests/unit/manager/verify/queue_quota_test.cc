#include "manager/verify/queue_quota.h"

#include <vector>

#include <nlohmann/json.hpp>

#include "manager/tracking/pod_set.h"
#include "tests/support/catch.h"
#include "tests/support/must.h"

namespace fedra::verify {
namespace {

using nlohmann::json;

ClusterQueue Queue(const char* spec) {
  return Must(ParseClusterQueue({{"metadata", {{"name", "gpu"}}}, {"spec", json::parse(spec)}}));
}

// Two flavors of cpu, and memory.
constexpr const char* kAlone = R"({"resourceGroups": [
  {"coveredResources": ["cpu"], "flavors": [
    {"name": "spot", "resources": [{"name": "cpu", "nominalQuota": 8}]},
    {"name": "reserved", "resources": [{"name": "cpu", "nominalQuota": "4", "borrowingLimit": "9"}]}]},
  {"coveredResources": ["memory"], "flavors": [
    {"name": "any", "resources": [{"name": "memory", "nominalQuota": "10Gi"}]}]}]})";

std::string Why(const ClusterQueue& queue, const char* requests, int count, int least = 0,
                const std::set<std::string>& devices = {}) {
  const json pod = {
      {"spec",
       {{"containers",
         json::array({{{"name", "c"}, {"resources", {{"requests", json::parse(requests)}}}}})}}}};
  const std::vector<tracking::PodTemplate> templates = {{"main", count, &pod, least}};
  const auto demands = Must(tracking::ReadDemands(templates));
  const auto reason = WhyCannotHold(queue, *demands, devices);
  if (!reason) return {};
  CHECK(reason->code == dra::ReasonCode::kQueueCannotHold);
  CHECK(reason->object == "ClusterQueue gpu");
  return reason->message;
}

TEST_CASE("quota: what the largest flavor holds is enough") {
  const ClusterQueue queue = Queue(kAlone);
  CHECK(Why(queue, R"({"cpu": "2", "memory": "1Gi"})", 4).empty());
  CHECK(Why(queue, R"({"cpu": "2"})", 5) ==
        "5 pods of set main ask for 2 of cpu each, and ClusterQueue gpu has quota for at most 8 in "
        "one flavor: Kueue never admits them");
  CHECK(Why(queue, R"({"memory": "11Gi"})", 1) ==
        "1 pod of set main asks for 11Gi of memory each, and ClusterQueue gpu has quota for at most "
        "10Gi in one flavor: Kueue never admits them");
  CHECK(Why(queue, R"({"cpu": "1999m"})", 4).empty());
  CHECK(!Why(queue, R"({"cpu": "2001m"})", 4).empty());
}

TEST_CASE("quota: a resource that no group covers") {
  const ClusterQueue queue = Queue(kAlone);
  CHECK(Why(queue, R"({"cpu": "1", "nvidia.com/gpu": 1})", 1) ==
        "the pods ask for nvidia.com/gpu, and no resource group of ClusterQueue gpu covers it: "
        "Kueue never admits them");
  CHECK(Why(queue, R"({"cpu": "1", "nvidia.com/gpu": 0})", 1).empty());
  CHECK(Why(queue, R"({"cpu": "1", "nvidia.com/gpu": 1})", 0).empty());
  CHECK(Why(queue, R"({"deviceclass.resource.kubernetes.io/gpu": 1})", 1).empty());
  CHECK(Why(queue, R"({"nvidia.com/gpu": 1})", 1, 0, {"nvidia.com/gpu"}).empty());
}

TEST_CASE("quota: a cohort may lend, up to the limit where there is one") {
  json spec = json::parse(kAlone);
  for (const char* field : {"cohortName", "cohort"}) {
    json in_cohort = spec;
    in_cohort[field] = "all";
    const ClusterQueue queue = Queue(in_cohort.dump().c_str());
    // The flavor without a limit may borrow whatever there is.
    CHECK(Why(queue, R"({"cpu": "100"})", 1).empty());
    in_cohort["resourceGroups"][0]["flavors"][0]["resources"][0]["borrowingLimit"] = "0";
    const ClusterQueue limited = Queue(in_cohort.dump().c_str());
    CHECK(Why(limited, R"({"cpu": "13"})", 1).empty());
    CHECK(!Why(limited, R"({"cpu": "14"})", 1).empty());
  }
}

TEST_CASE("quota: with partial admission the least number of pods counts") {
  const ClusterQueue queue = Queue(kAlone);
  CHECK(Why(queue, R"({"cpu": "4"})", 10, 2).empty());
  CHECK(!Why(queue, R"({"cpu": "4"})", 10, 3).empty());
}

TEST_CASE("quota: odd objects bound nothing") {
  CHECK(!ParseClusterQueue(json::object()));
  const ClusterQueue odd = Queue(R"({"resourceGroups": [
      {"flavors": [{"resources": [{"name": "cpu", "nominalQuota": {}}, 3]}, "x"]}, 7]})");
  CHECK(Why(odd, R"({"cpu": "100"})", 1).empty());
}

}  // namespace
}  // namespace fedra::verify
