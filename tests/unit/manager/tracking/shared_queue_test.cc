#include "manager/tracking/shared_queue.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::tracking::shared_queue_test {
namespace {

using nlohmann::json;

std::optional<double> WeightOf(const json& weight) {
  const json object = {{"metadata", {{"name", "ml"}}},
                       {"spec", {{"fairSharing", {{"weight", weight}}}}}};
  return ParseSharedQueue(object)->weight;
}

TEST_CASE("a queue's weight is a quantity, and what is none counts as none") {
  CHECK(WeightOf("2") == 2.0);
  CHECK(WeightOf("500m") == 0.5);
  CHECK(WeightOf(3) == 3.0);
  CHECK(WeightOf("0") == 0.0);
  CHECK(WeightOf("-1") == std::nullopt);
  CHECK(WeightOf(-1) == std::nullopt);
  CHECK(WeightOf(1.5) == std::nullopt);
  CHECK(WeightOf("many") == std::nullopt);
  CHECK(WeightOf(json::object()) == std::nullopt);
}

TEST_CASE("a queue's order is its annotation") {
  const json object = {
      {"metadata", {{"name", "ml"}, {"annotations", {{"fedra.dev/order", "Strict"}}}}}};
  CHECK(*ParseSharedQueue(object) == SharedQueue{"ml", "Strict", std::nullopt, false, ""});
  CHECK_FALSE(ParseSharedQueue(json::object()));
}

TEST_CASE("LocalQueues share where their ClusterQueue says so") {
  const auto share = [](const json& scope) {
    const json object = {{"metadata", {{"name", "ml"}}}, {"spec", {{"admissionScope", scope}}}};
    return ParseSharedQueue(object)->local_queues_share;
  };
  CHECK(share({{"admissionMode", "UsageBasedAdmissionFairSharing"}}));
  CHECK_FALSE(share({{"admissionMode", "NoAdmissionFairSharing"}}));
  CHECK_FALSE(share("UsageBasedAdmissionFairSharing"));
}

TEST_CASE("a queue's checks are those that do not depend on a job's flavors") {
  const auto checks = [](const json& strategy) {
    const json object = {{"metadata", {{"name", "ml"}}},
                         {"spec", {{"admissionChecksStrategy", strategy}}}};
    return ParseSharedQueue(object)->checks;
  };
  using Names = std::vector<std::string>;
  const json some = {{"name", "some"}, {"onFlavors", {"spot"}}};
  const json all = {{"name", "all"}};
  const json none = {{"name", "none"}, {"onFlavors", json::array()}};
  CHECK(checks({{"admissionChecks", json::array({some, all, none, "odd", json::object()})}}) ==
        Names{"all", "none"});
  CHECK(checks({{"admissionChecks", "odd"}}).empty());
  CHECK(checks("odd").empty());
}

TEST_CASE("a queue that is not active has Kueue's words for it") {
  const auto why = [](const std::string& status) {
    const json active = {{"type", "Active"}, {"status", status}, {"message", "no such flavor"}};
    const json object = {{"metadata", {{"name", "ml"}}},
                         {"status", {{"conditions", json::array({active})}}}};
    return ParseSharedQueue(object)->why_inactive;
  };
  CHECK(why("False") == "no such flavor");
  CHECK(why("True").empty());
}

}  // namespace
}  // namespace fedra::tracking::shared_queue_test
