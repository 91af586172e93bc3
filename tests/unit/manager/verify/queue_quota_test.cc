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

// Nothing else was dispatched there.
std::optional<verdict::Reason> WhyFullNow(const ClusterQueue& queue,
                                          std::span<const dra::PodDemand> demands,
                                          const IsDevice& is_device) {
  return WhyFull(queue, demands, is_device);
}

tracking::Demands Asking(const char* requests, int count, int least = 0) {
  const json pod = {
      {"spec",
       {{"containers",
         json::array({{{"name", "c"}, {"resources", {{"requests", json::parse(requests)}}}}})}}}};
  const std::vector<tracking::PodTemplate> templates = {{"main", count, &pod, least}};
  return *tracking::ReadDemands(templates);
}

// What the rule says of so many pods that ask for this; empty: nothing.
std::string SubRequest(Rule rule, const ClusterQueue& queue, const char* requests, int count,
                       int least = 0, const std::string& device = {}) {
  const auto demands = Asking(requests, count, least);
  const auto reason =
      rule(queue, *demands, [&](const std::string& resource) { return resource == device; });
  if (!reason) return {};
  CHECK(reason->code == (rule == &WhyFullNow ? verdict::ReasonCode::kQueueFull
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
  CHECK(SubRequest(&WhyFullNow, odd, R"({"cpu": "100"})", 1).empty());
}

TEST_CASE("quota: full is a queue whose own quota has room for the pods, but not now") {
  const ClusterQueue queue = Queue(kAlone, json::parse(R"({"flavorsReservation": [
      {"name": "spot", "resources": [{"name": "cpu", "total": "6500m"}]},
      {"name": "reserved", "resources": [{"name": "cpu", "total": 3}]},
      {"name": "gone", "resources": [{"name": "cpu", "total": 100}]}]})"));
  CHECK(SubRequest(&WhyFullNow, queue, R"({"cpu": "500m"})", 3).empty());
  CHECK(SubRequest(&WhyFullNow, queue, R"({"cpu": "500m", "memory": "10Gi"})", 1).empty());
  CHECK(SubRequest(&WhyFullNow, queue, R"({"cpu": "2"})", 2) ==
        "2 pods of set main ask for 2 cpu each, and ClusterQueue gpu has reserved 6500m of its 8 "
        "for others");
  // Never is not full.
  CHECK(SubRequest(&WhyFullNow, queue, R"({"cpu": "9"})", 1).empty());
  CHECK(SameLimits(queue, Queue(kAlone)));
  CHECK_FALSE(queue == Queue(kAlone));
}

// Two flavors of cpu that are tried in this order, 8 and 4, and one of memory, 10Gi; of "b" 1 is
// reserved.
ClusterQueue TwoFlavors() {
  return Queue(json::parse(R"({"cohortName": "all", "resourceGroups": [
      {"coveredResources": ["cpu"], "flavors": [
        {"name": "b", "resources": [{"name": "cpu", "nominalQuota": 8}]},
        {"name": "a", "resources": [{"name": "cpu", "nominalQuota": 4}]}]},
      {"coveredResources": ["memory"], "flavors": [
        {"name": "any", "resources": [{"name": "memory", "nominalQuota": "10Gi"}]}]}]})"),
               json::parse(R"({"flavorsReservation": [
      {"name": "b", "resources": [{"name": "cpu", "total": 1}]}]})"));
}

TEST_CASE("quota: what was dispatched there fills the flavors in the order of the spec") {
  struct Row {
    const char* what;
    std::vector<std::pair<const char*, int>> dispatched;  // each pod, and how many
    const char* asked;
    bool full;
  };
  const Row row = GENERATE(values<Row>({
      {"nothing else", {}, R"({"cpu": "7"})", false},
      {"the first flavor has the rest", {{R"({"cpu": "2"})", 1}}, R"({"cpu": "5"})", false},
      {"and not more", {{R"({"cpu": "2"})", 1}}, R"({"cpu": "5001m"})", true},
      {"several jobs add up",
       {{R"({"cpu": "1"})", 2}, {R"({"cpu": "500m"})", 2}},
       R"({"cpu": "4001m"})",
       true},
      {"the first is full: the second", {{R"({"cpu": "7"})", 1}}, R"({"cpu": "4"})", false},
      {"and what is left of it", {{R"({"cpu": "3"})", 3}}, R"({"cpu": "2001m"})", true},
      {"", {{R"({"cpu": "3"})", 3}}, R"({"cpu": "2"})", false},
      {"the first is full, and the second too small",
       {{R"({"cpu": "7"})", 1}},
       R"({"cpu": "5"})",
       true},
      {"both are full", {{R"({"cpu": "11"})", 1}}, R"({"cpu": "1m"})", true},
      {"and more than full", {{R"({"cpu": "9"})", 1000}}, R"({"cpu": "1m"})", true},
      {"which has no end", {{R"({"cpu": "9E"})", 2'000'000'000}}, R"({"cpu": "1m"})", true},
      {"what only a cohort would lend is not full",
       {{R"({"cpu": "11"})", 1}},
       R"({"cpu": "9"})",
       false},
      {"each resource by itself", {{R"({"cpu": "11"})", 1}}, R"({"memory": "10Gi"})", false},
      {"", {{R"({"memory": "1Gi"})", 1}}, R"({"cpu": "1", "memory": "10Gi"})", true},
      {"what is not counted there", {{R"({"gpu": "100"})", 1}}, R"({"cpu": "7"})", false},
  }));
  INFO(row.what << " " << row.asked);
  QuotaAmounts dispatched;
  for (const auto& [requests, pods] : row.dispatched) dispatched.Add(*Asking(requests, pods));
  const auto is_device = [](const std::string&) { return false; };
  const ClusterQueue queue = TwoFlavors();
  const auto demands = Asking(row.asked, 1);
  CHECK(WhyFull(queue, *demands, is_device, dispatched).has_value() == row.full);
  // What was added is taken off again without a rest.
  for (const auto& [requests, pods] : row.dispatched) dispatched.Subtract(*Asking(requests, pods));
  CHECK(dispatched.IsEmpty());
}

TEST_CASE("quota: full says how much others that were dispatched there ask for") {
  QuotaAmounts dispatched;
  dispatched.Add(*Asking(R"({"cpu": "2500m"})", 2));
  const auto reason = WhyFull(
      TwoFlavors(), *Asking(R"({"cpu": "3"})", 2), [](const auto&) { return false; }, dispatched);
  REQUIRE(reason);
  CHECK(verdict::MessageOf(*reason) ==
        "2 pods of set main ask for 3 cpu each, and ClusterQueue gpu has reserved 1 of its 8 for "
        "others; jobs that were dispatched there ask for another 5");
}

TEST_CASE("quota: of a set that may be admitted in part all pods are taken to come") {
  QuotaAmounts amounts;
  amounts.Add(*Asking(R"({"cpu": "2", "memory": "0"})", 10, 3));
  CHECK(amounts.MilliOf("cpu") == 20'000);
  CHECK(amounts.MilliOf("memory") == 0);
  QuotaAmounts more = amounts;
  more.Add(amounts);
  CHECK(more.MilliOf("cpu") == 40'000);
  more.Subtract(amounts);
  CHECK(more == amounts);
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
