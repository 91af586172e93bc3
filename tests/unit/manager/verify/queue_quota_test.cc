#include "manager/verify/queue_quota.h"

#include <vector>

#include <nlohmann/json.hpp>

#include "manager/tracking/pod_set.h"
#include "tests/support/catch.h"
#include "verdict/reason_text.h"

namespace fedra::verify::queue_quota_test {
namespace {

using nlohmann::json;

ClusterQueue Queue(const json& spec, json status = json::object()) {
  return *ParseClusterQueue(
      {{"metadata", {{"name", "gpu"}}}, {"spec", spec}, {"status", std::move(status)}});
}

// Two flavors of cpu, and memory.
const json kAlone = json::parse(R"({"resourceGroups": [
  {"coveredResources": ["cpu"], "flavors": [
    {"name": "spot", "resources": [{"name": "cpu", "nominalQuota": 8}]},
    {"name": "reserved", "resources": [{"name": "cpu", "nominalQuota": "4", "borrowingLimit": "9"}]}]},
  {"coveredResources": ["memory"], "flavors": [
    {"name": "any", "resources": [{"name": "memory", "nominalQuota": "10Gi"}]}]}]})");

using Rule = decltype(WhyCannotHold)*;

// What the rule says of so many pods that ask for this; empty: nothing.
std::string SubRequest(Rule rule, const ClusterQueue& queue, const char* requests, int count,
                       int least = 0, const std::string& device = {}) {
  const json pod = {
      {"spec",
       {{"containers",
         json::array({{{"name", "c"}, {"resources", {{"requests", json::parse(requests)}}}}})}}}};
  const std::vector<tracking::PodTemplate> templates = {{"main", count, &pod, least}};
  const auto demands = *tracking::ReadDemands(templates);
  const auto reason =
      rule(queue, *demands, [&](const std::string& resource) { return resource == device; });
  if (!reason) return {};
  CHECK(reason->code == (rule == &WhyFull ? verdict::ReasonCode::kQueueFull
                                          : verdict::ReasonCode::kQueueCannotHold));
  CHECK(reason->object == "ClusterQueue gpu");
  return verdict::MessageOf(*reason);
}

std::string Why(const ClusterQueue& queue, const char* requests, int count, int least = 0,
                const std::string& device = {}) {
  return SubRequest(&WhyCannotHold, queue, requests, count, least, device);
}

TEST_CASE("quota: what the largest flavor holds is enough") {
  const ClusterQueue queue = Queue(kAlone);
  CHECK(Why(queue, R"({"cpu": "2", "memory": "1Gi"})", 4).empty());
  CHECK(Why(queue, R"({"cpu": "2"})", 5) ==
        "5 pods of set main ask for 2 cpu each, and ClusterQueue gpu has quota for at most 8 in "
        "one flavor: Kueue never admits them");
  CHECK(Why(queue, R"({"memory": "11Gi"})", 1) ==
        "1 pod of set main asks for 11Gi memory, and ClusterQueue gpu has quota for at most "
        "10Gi in one flavor: Kueue never admits them");
  CHECK_THAT(Why(queue, R"({"cpu": "4k"})", 1), ContainsSubstring("asks for 4000 cpu, "));
  CHECK(Why(queue, R"({"cpu": "1999m"})", 4).empty());
  CHECK(!Why(queue, R"({"cpu": "2001m"})", 4).empty());
}

TEST_CASE("quota: a resource that no group covers") {
  const ClusterQueue queue = Queue(kAlone);
  CHECK(
      Why(queue, R"({"cpu": "1", "nvidia.com/gpu": 1})", 1) ==
      "the pods ask for nvidia.com/gpu, which no resource group of ClusterQueue gpu covers: Kueue "
      "never admits them");
  CHECK(Why(queue, R"({"cpu": "1", "nvidia.com/gpu": 0})", 1).empty());
  CHECK(Why(queue, R"({"cpu": "1", "nvidia.com/gpu": 1})", 0).empty());
  CHECK(Why(queue, R"({"deviceclass.resource.kubernetes.io/gpu": 1})", 1).empty());
  CHECK(Why(queue, R"({"nvidia.com/gpu": 1})", 1, 0, "nvidia.com/gpu").empty());
}

TEST_CASE("quota: a cohort may lend, up to the limit where there is one") {
  json spec = kAlone;
  for (const char* field : {"cohortName", "cohort"}) {
    json in_cohort = spec;
    in_cohort[field] = "all";
    const ClusterQueue queue = Queue(in_cohort);
    // The flavor without a limit may borrow whatever there is.
    CHECK(Why(queue, R"({"cpu": "100"})", 1).empty());
    in_cohort["resourceGroups"][0]["flavors"][0]["resources"][0]["borrowingLimit"] = "0";
    const ClusterQueue limited = Queue(in_cohort);
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
  const ClusterQueue odd = Queue(json::parse(R"({"resourceGroups": [
      {"flavors": [{"resources": [{"name": "cpu", "nominalQuota": {}}, 3]}, "x"]}, 7]})"),
                                 json::parse(R"({"flavorsReservation": [{"resources": 3}, 4]})"));
  CHECK(Why(odd, R"({"cpu": "100"})", 1).empty());
  CHECK(SubRequest(&WhyFull, odd, R"({"cpu": "100"})", 1).empty());
}

TEST_CASE("quota: full is a queue whose own quota has room for the pods, but not now") {
  const ClusterQueue queue = Queue(kAlone, json::parse(R"({"flavorsReservation": [
      {"name": "spot", "resources": [{"name": "cpu", "total": "6500m"}]},
      {"name": "reserved", "resources": [{"name": "cpu", "total": 3}]},
      {"name": "gone", "resources": [{"name": "cpu", "total": 100}]}]})"));
  CHECK(SubRequest(&WhyFull, queue, R"({"cpu": "500m"})", 3).empty());
  CHECK(SubRequest(&WhyFull, queue, R"({"cpu": "500m", "memory": "10Gi"})", 1).empty());
  CHECK(SubRequest(&WhyFull, queue, R"({"cpu": "2"})", 2) ==
        "2 pods of set main ask for 2 cpu each, and ClusterQueue gpu has reserved 6500m of its 8 "
        "for others");
  // Never is not full.
  CHECK(SubRequest(&WhyFull, queue, R"({"cpu": "9"})", 1).empty());
  CHECK(SameLimits(queue, Queue(kAlone)));
  CHECK_FALSE(queue == Queue(kAlone));
}

TEST_CASE("quota: stopped queues") {
  CHECK(ReadStopPolicy(json::object()) == StopPolicy::kNone);
  CHECK(ReadStopPolicy({{"stopPolicy", "None"}}) == StopPolicy::kNone);
  CHECK(ReadStopPolicy({{"stopPolicy", "Hold"}}) == StopPolicy::kHold);
  CHECK(ReadStopPolicy({{"stopPolicy", "HoldAndDrain"}}) == StopPolicy::kHoldAndDrain);
  json stopped = kAlone;
  stopped["stopPolicy"] = "Hold";
  CHECK_FALSE(SameLimits(Queue(stopped), Queue(kAlone)));
}

}  // namespace
}  // namespace fedra::verify::queue_quota_test
