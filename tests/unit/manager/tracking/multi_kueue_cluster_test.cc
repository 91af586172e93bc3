#include "manager/tracking/multi_kueue_cluster.h"

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "tests/support/catch.h"

namespace fedra::tracking::multi_kueue_cluster_test {

using nlohmann::json;
using Source = MultiKueueCluster::Source;

TEST_CASE("a MultiKueueCluster says where its kubeconfig is") {
  struct Row {
    const char* spec;
    Source source;
    std::string location;
  };
  const Row rows[] = {
      {R"({"clusterSource": {"kubeConfig": {"location": "east", "locationType": "Secret"}}})",
       Source::kSecret, "east"},
      {R"({"clusterSource": {"kubeConfig": {"location": "east"}}})", Source::kSecret, "east"},
      {R"({"clusterSource": {"kubeConfig": {"location": "/a/b", "locationType": "Path"}}})",
       Source::kPath, "/a/b"},
      {R"({"clusterSource": {"clusterProfileRef": {"name": "east"}}})", Source::kClusterProfile,
       "east"},
      {R"({"clusterSource": {"kubeConfig": {"location": "x", "locationType": "Vault"}}})",
       Source::kNone, "x"},
      {R"({"clusterSource": {"kubeConfig": {"location": 7}}})", Source::kSecret, ""},
      {R"({"clusterSource": "east"})", Source::kNone, ""},
      {R"({})", Source::kNone, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.spec);
    const auto cluster = ParseMultiKueueCluster({{"metadata",
                                                  {{"name", "gpu"},
                                                   {"resourceVersion", "7"},
                                                   {"creationTimestamp", "2026-06-01T00:00:00Z"}}},
                                                 {"spec", json::parse(row.spec)}});
    REQUIRE(cluster);
    CHECK(cluster->name == "gpu");
    CHECK(cluster->active.version.value == "7");
    CHECK(FormatRfc3339(cluster->created) == "2026-06-01T00:00:00Z");
    CHECK(cluster->source == row.source);
    CHECK(cluster->location == row.location);
  }
  CHECK_FALSE(ParseMultiKueueCluster(json::object()));
}

TEST_CASE("a MultiKueueCluster says whether Kueue is connected to it") {
  json object = {{"metadata", {{"name", "gpu"}}}};
  CHECK_FALSE(ParseMultiKueueCluster(object)->active.condition);
  object["status"]["conditions"] = json::array(
      {{{"type", "Active"}, {"status", "False"}, {"reason", "x"}, {"message", "refused"}}});
  auto cluster = ParseMultiKueueCluster(object);
  REQUIRE(cluster->active.condition);
  CHECK_FALSE(cluster->active.condition->is_true);
  CHECK(cluster->active.condition->message == "refused");
  object["status"]["conditions"][0]["status"] = "True";
  CHECK(ParseMultiKueueCluster(object)->active.condition->is_true);
}

}  // namespace fedra::tracking::multi_kueue_cluster_test
