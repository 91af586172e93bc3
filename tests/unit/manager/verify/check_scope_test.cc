// Which workers an AdmissionCheck of ours means.

#include "manager/verify/check_scope.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::verify::check_scope_test {

using nlohmann::json;

namespace {

const ClusterName kEast("east");
const ClusterName kWest("west");

struct Fixture {
  Cache<tracking::AdmissionCheck> checks{&tracking::ParseAdmissionCheck,
                                         [](const ObjectKey&, const auto&, const auto&) {},
                                         [](const watch::CacheHealth&) {}};
  Cache<tracking::MultiKueueConfig> configs{&tracking::ParseMultiKueueConfig,
                                            [](const ObjectKey&, const auto&, const auto&) {},
                                            [](const watch::CacheHealth&) {}};
  CheckScopes scopes{"fedra.dev/federation", checks, configs};

  void Check(const std::string& name, json spec,
             const std::string& controller = "fedra.dev/federation",
             const json& annotations = json::object()) {
    spec["controllerName"] = controller;
    const json object = {
        {"metadata",
         {{"name", name}, {"uid", name}, {"resourceVersion", "1"}, {"annotations", annotations}}},
        {"spec", spec}};
    REQUIRE(checks.Upsert(object.dump()));
  }
  static json Parameters(const std::string& kind) {
    return {{"parameters", {{"apiGroup", "kueue.x-k8s.io"}, {"kind", kind}, {"name", "few"}}}};
  }
};

}  // namespace

TEST_CASE("an AdmissionCheck means all workers, or those of its MultiKueueConfig in their order") {
  Fixture f;
  f.Check("all", json::object());
  f.Check("few", Fixture::Parameters("MultiKueueConfig"));
  f.Check("foreign", json::object(), "kueue.x-k8s.io/multikueue");
  CHECK(f.scopes.IsOurs("all"));
  CHECK_FALSE(f.scopes.IsOurs("foreign"));
  CHECK_FALSE(f.scopes.IsOurs("unknown"));
  CHECK(f.scopes.Of("all").PlaceOf(kEast) == size_t{0});
  CHECK(f.scopes.Of("all").PlaceOf(kWest) == size_t{0});
  CHECK(f.scopes.Of("unknown").all);
  CHECK(f.scopes.Of("").all);

  CHECK(f.scopes.Of("few").problem == "MultiKueueConfig few does not exist");
  CHECK_FALSE(f.scopes.Of("few").PlaceOf(kEast));
  const json config = {{"metadata", {{"name", "few"}, {"uid", "u"}, {"resourceVersion", "2"}}},
                       {"spec", {{"clusters", {"west", "east"}}}}};
  REQUIRE(f.configs.Upsert(config.dump()));
  CHECK(f.scopes.Of("few").problem.empty());
  CHECK(f.scopes.Of("few").PlaceOf(kWest) == size_t{0});
  CHECK(f.scopes.Of("few").PlaceOf(kEast) == size_t{1});
  CHECK_FALSE(f.scopes.Of("few").PlaceOf(ClusterName("south")));
}

TEST_CASE("a check of MultiKueue's own needs parameters") {
  Fixture f;
  tracking::AdmissionCheck check;
  check.controller_name = "kueue.x-k8s.io/multikueue";
  const CheckScope scope = f.scopes.Of(check);
  CHECK_FALSE(scope.all);
  CHECK(scope.problem == "missing parameters reference");
  CHECK_FALSE(scope.PlaceOf(kEast));
}

TEST_CASE("an AdmissionCheck whose parameters are of another kind means no worker") {
  Fixture f;
  f.Check("odd", Fixture::Parameters("ConfigMap"));
  CHECK_THAT(f.scopes.Of("odd").problem, ContainsSubstring("must name a MultiKueueConfig"));
  CHECK_FALSE(f.scopes.Of("odd").PlaceOf(kEast));
}

TEST_CASE("annotations of our checks take workers out of service") {
  Fixture f;
  CHECK(f.scopes.Cordons().All().empty());
  CHECK(f.scopes.Cordons().Find(kEast) == nullptr);
  f.Check("one", json::object(), "fedra.dev/federation",
          {{"cordon.fedra.dev/east", "disks\nuntil 18:00"},
           {"cordon.fedra.dev/west", ""},
           {"drain.fedra.dev/west", "firmware"},
           {"cordon.fedra.dev/", 5},
           {"fedra.dev/east", "x"}});
  f.Check("foreign", json::object(), "example.com/other", {{"drain.fedra.dev/east", ""}});
  const tracking::Cordons of_one = {{kEast, {false, "disks until 18:00"}},
                                    {kWest, {true, "firmware"}}};
  CHECK(f.scopes.Cordons().All() == of_one);
  // Where one check of several drains a worker, it is drained.
  f.Check("a-second", json::object(), "fedra.dev/federation",
          {{"drain.fedra.dev/east", std::string(500, 'y')}, {"cordon.fedra.dev/west", "later"}});
  const tracking::Cordons both = f.scopes.Cordons().All();
  CHECK(both.at(kEast).drains);
  CHECK_THAT(both.at(kEast).reason, ContainsSubstring("yy..."));
  CHECK(both.at(kWest) == tracking::Cordon{true, "firmware"});
  CHECK(both.size() == 2);
}

}  // namespace fedra::verify::check_scope_test
