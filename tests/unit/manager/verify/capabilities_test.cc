#include "manager/verify/capabilities.h"

#include <algorithm>
#include <tuple>

#include <nlohmann/json.hpp>

#include "dra/model/features.h"
#include "manager/verify/dra_api.h"
#include "tests/support/catch.h"

namespace fedra::verify::capabilities_test {
namespace {

using Names = std::vector<std::string>;

kube::ServerInfo Server(const std::string& release, Names dra_versions) {
  kube::ServerInfo server;
  server.git_version = release;
  server.resources = {"batch/v1/jobs", "jobset.x-k8s.io/v1alpha2/jobsets"};
  server.groups["kueue.x-k8s.io"] = {"v1beta2", "v1beta1"};
  if (!dra_versions.empty()) server.groups["resource.k8s.io"] = std::move(dra_versions);
  return server;
}

bool Has(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

TEST_CASE("each kind of job is one that a worker serves, or one that it does not") {
  const WorkerObjects objects(WorkerObjectsOptions{}, {});
  const WorkerCapabilities can = CapabilitiesOf(objects, Server("v1.36.3", {}));
  CHECK(can.job_kinds == Names{"Job", "JobSet"});
  CHECK(Has(can.job_kinds_missing, "RayJob"));
  CHECK(can.job_kinds.size() + can.job_kinds_missing.size() == objects.kinds().all().size());

  CHECK(can.kueue_versions == Names{"v1beta2", "v1beta1"});

  // Pods are of the core group, which every API server has.
  WorkerObjectsOptions with_pods;
  with_pods.kinds = tracking::BuiltInKindsAndPods();
  const WorkerObjects of_pods(with_pods, {});
  const WorkerCapabilities pods = CapabilitiesOf(of_pods, Server("v1.36.3", {}));
  CHECK(Has(pods.job_kinds, "Pod"));
}

TEST_CASE("what a worker has of DRA is its release's, and what it serves beside") {
  const WorkerObjects objects(WorkerObjectsOptions{}, {});
  CHECK(CapabilitiesOf(objects, Server("v1.36.3", {})).dra_features.empty());

  const WorkerCapabilities old = CapabilitiesOf(objects, Server("v1.34.4", {"v1", "v1beta2"}));
  CHECK(old.dra_versions == Names{"v1", "v1beta2"});
  CHECK(old.dra_release == "1.34");
  CHECK(old.dra_features == Names{"DRAAdminAccess", "DRAPrioritizedList"});

  // Releases that are not known are judged as the nearest one that is.
  for (const auto& [version, release, is_nearest] :
       {std::tuple{"v1.33.4", "1.34", true}, std::tuple{"v1.34.4", "1.34", false},
        std::tuple{"v1.37.9", "1.37", false}, std::tuple{"v1.38.0", "1.37", true},
        std::tuple{"a vendor's", "1.36", true},
        std::tuple{"v0.0.0-master+$Format:%H$", "1.36", true}}) {
    CAPTURE(version);
    const kube::ServerInfo unknown = Server(version, {"v1"});
    CHECK(CapabilitiesOf(objects, unknown).dra_release == release);
    CHECK(FeaturesOf(ReadDraApi(&unknown)).unknown_version == (is_nearest ? version : ""));
  }
  CHECK(FeaturesOf(ReadDraApi(nullptr)).unknown_version.empty());

  kube::ServerInfo server = Server("v1.36.3", {"v1"});
  const WorkerCapabilities usual = CapabilitiesOf(objects, server);
  CHECK(Has(usual.dra_features, "DRAPartitionableDevices"));
  CHECK_FALSE(Has(usual.dra_features, "DRADeviceTaintRules"));
  server.resources.insert("resource.k8s.io/v1beta2/devicetaintrules");
  CHECK(Has(CapabilitiesOf(objects, server).dra_features, "DRADeviceTaintRules"));

  server.groups["resource.k8s.io"] = Names(100, "v1");
  CHECK(CapabilitiesOf(objects, server).dra_versions.size() == 8);
  server.groups["resource.k8s.io"] = {std::string(1 << 20, 'v')};
  CHECK(CapabilitiesOf(objects, server).dra_versions.front().size() == 64);
}

TEST_CASE("a list that is refused is a right that is missing") {
  WorkerObjects objects(WorkerObjectsOptions{}, {});
  const kube::ServerInfo server = Server("v1.36.3", {"v1"});
  for (const Input& input : objects.Inputs(&server))
    input.sink->SetHealth({.state = watch::CacheState::kSynced, .complete = true});
  CHECK(CapabilitiesOf(objects, server).missing_rights.empty());
  for (const Input& input : objects.Inputs(&server)) {
    const bool is_refused =
        input.resource.plural == "deviceclasses" || input.resource.plural == "localqueues";
    if (is_refused) input.sink->SetHealth({.state = watch::CacheState::kForbidden});
    // Other failures than 403 do not show that a right is missing.
    if (input.resource.plural == "namespaces")
      input.sink->SetHealth({.state = watch::CacheState::kFailing});
  }
  CHECK(CapabilitiesOf(objects, server).missing_rights ==
        Names{"deviceclasses.resource.k8s.io", "localqueues.kueue.x-k8s.io"});
}

TEST_CASE("what a worker can is read back as it was stored") {
  const WorkerObjects objects(WorkerObjectsOptions{}, {});
  WorkerCapabilities can =
      CapabilitiesOf(objects, Server("v1.37.2", {"v1"}), {"gpu.example.com/sharing"});
  CHECK(can.declared == Names{"gpu.example.com/sharing"});
  can.missing_rights = {"pods"};
  CHECK(ParseCapabilities(ToJsonText(can)) == can);
  const WorkerCapabilities without = CapabilitiesOf(objects, Server("v1.36.3", {}));
  CHECK_FALSE(ToJson(without).contains("dra"));
  CHECK(ParseCapabilities(ToJsonText(without)) == without);
  for (const char* const unknown : {"{}", "", "[]", "no JSON", R"({"jobKinds":"Job"})"})
    CHECK_FALSE(ParseCapabilities(unknown));
  CHECK(ParseCapabilities(R"({"jobKinds":["Job",7]})")->job_kinds == Names{"Job"});
}

}  // namespace fedra::verify::capabilities_test
