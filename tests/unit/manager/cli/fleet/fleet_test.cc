// The workers of a configuration, asked once.

#include "manager/cli/fleet/fleet.h"

#include <chrono>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "tests/sim/fleet.h"
#include "tests/sim/server.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"

namespace fedra::cli::fleet_test {

using nlohmann::json;

TEST_CASE("a worker that has been read stays as it was, whatever happens there") {
  const TempFolder folder;
  sim::Server east{{}};
  sim::Furnish(east, /*manager=*/false);
  const json kubeconfig = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "c"},
      {"contexts", {{{"name", "c"}, {"context", {{"cluster", "c"}, {"user", "u"}}}}}},
      {"clusters",
       {{{"name", "c"},
         {"cluster",
          {{"server", east.Address()},
           {"certificate-authority-data", Base64Encode(east.CaPem())}}}}}},
      {"users", {{{"name", "u"}, {"user", {{"token", "admin-token"}}}}}}};
  folder.Write("east.kubeconfig", kubeconfig.dump());
  const std::string config = folder.Write("fedra.yaml", R"(
apiVersion: fedra.dev/v1alpha1
kind: Configuration
manager: {kubeconfig: missing.kubeconfig}
workers: [{name: east, kubeconfig: east.kubeconfig}]
store: {path: fedra.db}
)");
  std::ostringstream out;
  const Terminal terminal{.out = out, .err = out};
  const auto fleet = OpenFleet({.config = config}, terminal);
  INFO((fleet ? out.str() : fleet.error().message));
  REQUIRE(fleet);
  const FleetWorker& worker = *(*fleet)->workers.at(0);
  REQUIRE(worker.objects().namespaces().Find({"", "ml"}) != nullptr);
  CHECK_FALSE(worker.Silence());
  REQUIRE(east.objects().Create(
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "later"}}}}));
  const auto is_seen = [&] { return worker.objects().namespaces().Find({"", "later"}) != nullptr; };
  CHECK_FALSE(HappensWithin(is_seen, std::chrono::seconds(1)));
  CHECK_FALSE(worker.Silence());
}

}  // namespace fedra::cli::fleet_test
