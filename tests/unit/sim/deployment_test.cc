// Deployments of a simulated cluster, and the pods that they make.

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "tests/sim/api/json.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"

namespace fedra::sim::deployment_test {
namespace {

Json Deployment(int replicas) {
  const Json container = {{"name", "main"}, {"image", "registry.example.com/serve:1"}};
  const Json labels = {{"app", "serve"}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata",
           {{"name", "serve"},
            {"namespace", "ml"},
            {"labels", {{"kueue.x-k8s.io/queue-name", "gpu"}}}}},
          {"spec",
           {{"replicas", replicas},
            {"selector", {{"matchLabels", labels}}},
            {"template",
             {{"metadata", {{"labels", labels}}},
              {"spec", {{"containers", Json::array({container})}}}}}}}};
}

bool Becomes(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!holds() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return holds();
}

TEST_CASE("a Deployment has as many pods as it says, in its queue, and another one for each end") {
  Fleet fleet({.workers = {}});
  Objects& objects = fleet.manager().server.objects();
  REQUIRE(objects.Create(Deployment(2)));
  const auto pods = [&] { return objects.List("pods", "ml"); };
  REQUIRE(Becomes([&] { return pods().size() == 2; }));
  const Json first = pods().front();
  CHECK(StringAt(first, {"metadata", "name"}).starts_with("serve-"));
  CHECK(StringAt(first, {"metadata", "labels", "app"}) == "serve");
  CHECK(StringAt(first, {"metadata", "labels", "kueue.x-k8s.io/queue-name"}) == "gpu");
  // Kueue holds it.
  CHECK(ArrayAt(first, {"spec", "schedulingGates"}).size() == 1);

  const ObjectKey key{"ml", std::string(StringAt(first, {"metadata", "name"}))};
  REQUIRE(objects.Patch("pods", key, {{"status", {{"phase", "Failed"}}}}, "status"));
  REQUIRE(Becomes([&] { return pods().size() == 3; }));
  for (const Json& pod : pods()) {
    const ObjectKey name{"ml", std::string(StringAt(pod, {"metadata", "name"}))};
    if (name == key) continue;
    REQUIRE(objects.Patch("pods", name, {{"status", {{"phase", "Running"}}}}, "status"));
  }
  CHECK(objects.WaitFor("deployments", {"ml", "serve"}, [](const Json& deployment) {
    return IntAt(deployment, {"status", "readyReplicas"}) == 2;
  }));

  REQUIRE(objects.Delete("deployments", {"ml", "serve"}));
  CHECK(Becomes([&] { return pods().empty(); }));
}

}  // namespace
}  // namespace fedra::sim::deployment_test
