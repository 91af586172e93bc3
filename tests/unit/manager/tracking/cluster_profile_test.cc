#include "manager/tracking/cluster_profile.h"

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "tests/support/catch.h"

namespace fedra::tracking::cluster_profile_test {
namespace {

using nlohmann::json;
using Access = ClusterProfile::Access;

json Object(const json& status) {
  return {{"metadata",
           {{"namespace", "fleet"},
            {"name", "gpu-east"},
            {"creationTimestamp", "2026-11-26T10:00:00Z"},
            {"labels", {{"env", "prod"}, {"odd", 7}}}}},
          {"spec", {{"clusterManager", {{"name", "acme"}}}}},
          {"status", status}};
}

std::vector<Access> AccessIn(const json& status) {
  const auto profile = ParseClusterProfile(Object(status));
  REQUIRE(profile);
  return profile->access;
}

TEST_CASE("a ClusterProfile is where a cluster is, by provider") {
  const json cluster = {{"server", "https://a"}};
  const json full = {{"name", "fleet"}, {"cluster", cluster}};
  const json bare = {{"name", "bare"}};
  const auto profile =
      ParseClusterProfile(Object({{"accessProviders", json::array({full, bare})}}));
  REQUIRE(profile);
  CHECK(profile->key == ObjectKey{"fleet", "gpu-east"});
  CHECK(profile->created == *ParseRfc3339("2026-11-26T10:00:00Z"));
  CHECK(profile->labels == LabelSelector::Labels{{"env", "prod"}});
  CHECK(profile->access ==
        std::vector<Access>{{"fleet", cluster.dump(), "status.accessProviders[0].cluster"},
                            {"bare", "", "status.accessProviders[1].cluster"}});
}

TEST_CASE("the deprecated credentialProviders count where no accessProvider has the name") {
  const auto provider = [](const char* name, const char* server) {
    return json{{"name", name}, {"cluster", {{"server", server}}}};
  };
  const json old = json::array({provider("a", "https://old"), provider("b", "https://old")});
  const json present = json::array({provider("a", "https://a")});
  CHECK(AccessIn({{"credentialProviders", old}, {"accessProviders", present}}) ==
        std::vector<Access>{
            {"a", R"({"server":"https://a"})", "status.accessProviders[0].cluster"},
            {"b", R"({"server":"https://old"})", "status.credentialProviders[1].cluster"}});
}

TEST_CASE("odd profiles offer nothing, or not without bounds") {
  CHECK(AccessIn(nullptr).empty());
  CHECK(AccessIn({{"accessProviders", "text"}}).empty());
  const json odd = json::array({7, json{{"name", 7}}, json{{"name", ""}}});
  CHECK(AccessIn({{"accessProviders", odd}}).empty());
  json many = json::array();
  for (int i = 0; i < 1000; ++i) many.push_back({{"name", std::to_string(i)}});
  CHECK(AccessIn({{"accessProviders", many}, {"credentialProviders", many}}).size() == 64);
  CHECK_FALSE(ParseClusterProfile(json::object()));
}

TEST_CASE("what changes often makes no other profile") {
  json status = {{"accessProviders", json::array({json{{"name", "a"}}})}};
  const auto quiet = ParseClusterProfile(Object(status));
  status["properties"] = json::array({json{{"name", "p"}, {"value", "1"}}});
  status["conditions"] = json::array({json{{"type", "ControlPlaneHealthy"}, {"status", "True"}}});
  const auto busy = ParseClusterProfile(Object(status));
  REQUIRE((quiet && busy));
  CHECK(*quiet == *busy);
}

}  // namespace
}  // namespace fedra::tracking::cluster_profile_test
