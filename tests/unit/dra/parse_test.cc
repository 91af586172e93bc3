// The border: every version of the API, defaulting, and input that is not what it should be.

#include "dra/model/parse.h"

#include "dra/model/pod_demand.h"

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test::parse_test {
namespace {

dra::Slice Read(const json& object, dra::ParseContext& context) {
  auto slice = dra::ParseSlice(object, context);
  REQUIRE(slice);
  return *slice;
}

TEST_CASE("a slice of v1beta1 becomes the same as one of v1") {
  const json v1 = {
      {"apiVersion", "resource.k8s.io/v1"},
      {"metadata", {{"name", "s"}}},
      {"spec",
       {{"driver", "d"},
        {"nodeName", "n"},
        {"pool", {{"name", "p"}, {"generation", 3}, {"resourceSliceCount", 2}}},
        {"devices", {Device("a", {{"x", 1}}, {{"capacity", {{"m", {{"value", "1Gi"}}}}}})}}}}};
  json beta = v1;
  beta["apiVersion"] = "resource.k8s.io/v1beta1";
  json basic = v1["spec"]["devices"][0];
  basic.erase("name");
  beta["spec"]["devices"] = json::array({json{{"name", "a"}, {"basic", basic}}});
  for (const json& object : {v1, beta}) {
    dra::ParseContext context;
    const dra::Slice slice = Read(object, context);
    CHECK(slice.pool.ToString() == "d/p");
    CHECK(slice.generation == 3);
    CHECK(slice.pool_slices == 2);
    CHECK(slice.reach.node_name == "n");
    REQUIRE(slice.devices.size() == 1);
    const dra::Device& device = slice.devices[0];
    CHECK(device.name == "a");
    REQUIRE(device.Find("x"));
    CHECK(*device.Find("x") == dra::AttributeValue(int64_t{1}));
    REQUIRE(device.capacity);
    CHECK((*device.capacity)[0].value == *Quantity::Parse("1Gi"));
  }
}

TEST_CASE("a claim of v1beta1 has its request flat, later ones below exactly") {
  const json v1 = Claim("c", {Request("r", 2, {{"selectors", Cel({"true"})}})});
  json beta = v1;
  json flat = v1["spec"]["devices"]["requests"][0]["exactly"];
  flat["name"] = "r";
  beta["spec"]["devices"]["requests"] = json::array({flat});
  for (const json& object : {v1, beta}) {
    dra::ParseContext context;
    const auto claim = dra::ParseClaim(object, context);
    REQUIRE(claim);
    REQUIRE(claim->spec.requests.size() == 1);
    REQUIRE(claim->spec.requests[0].exactly);
    const dra::DeviceRequest& request = *claim->spec.requests[0].exactly;
    CHECK(request.name == "r");
    CHECK(request.count == 2);
    CHECK(request.selectors == std::vector{dra::Symbol("true")});
    CHECK(request.mode == dra::AllocationMode::kExactCount);
  }
}

TEST_CASE("alpha versions are refused as a missing API") {
  dra::ParseContext context;
  json slice = Slice("s", {});
  slice["apiVersion"] = "resource.k8s.io/v1alpha3";
  const auto result = dra::ParseSlice(slice, context);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kApiMissing);
}

TEST_CASE("defaults are filled in for manifests only") {
  const json bare =
      Claim("c", {{{"name", "r"},
                   {"exactly", {{"deviceClassName", "gpu"}, {"tolerations", {{{"key", "k"}}}}}}}});
  dra::ParseContext context;
  const auto as_is = dra::ParseClaim(bare, context);
  REQUIRE(as_is);
  CHECK(as_is->spec.requests[0].exactly->mode == dra::AllocationMode::kUnknown);
  const auto defaulted = dra::ParseClaim(bare, context, dra::Defaulting::kAsApiServer);
  REQUIRE(defaulted);
  const dra::DeviceRequest& request = *defaulted->spec.requests[0].exactly;
  CHECK(request.mode == dra::AllocationMode::kExactCount);
  CHECK(request.count == 1);
  CHECK(request.tolerations[0].op == "Equal");
}

TEST_CASE("what devices of a slice have in common is stored once, also over slices") {
  dra::ParseContext context;
  const std::vector<json> devices = {Device("a", {{"model", "x"}, {"uuid", "1"}}),
                                     Device("b", {{"model", "x"}, {"uuid", "2"}})};
  const dra::Slice first = Read(Slice("1", devices), context);
  const dra::Slice second = Read(Slice("2", devices), context);
  REQUIRE(first.devices[0].common);
  CHECK(first.devices[0].common == first.devices[1].common);
  CHECK(first.devices[0].common == second.devices[0].common);
  CHECK(first.devices[0].own.size() == 1);
  CHECK(*first.devices[0].Find("model") == dra::AttributeValue(dra::Symbol("x")));
  CHECK(*first.devices[1].Find("uuid") == dra::AttributeValue(dra::Symbol("2")));
  CHECK(first.devices[0].Find("gone") == nullptr);
}

struct BadRow {
  const char* pointer;  // where in the slice
  json value;
  const char* message;
};

TEST_CASE("wrong types are errors that name the field") {
  json good = Slice("s", {Device("a", {{"x", 1}}, {{"capacity", {{"m", {{"value", "1"}}}}}})});
  const std::vector<BadRow> rows = {
      {"/spec", 1, "spec: expected an object"},
      {"/spec/driver", 1, "spec.driver: expected a string"},
      {"/spec/driver", nullptr, "spec.driver: missing"},
      {"/spec/pool/generation", "1", "spec.pool.generation: expected a 64 bit integer"},
      {"/spec/pool/generation", 1.5, "spec.pool.generation: expected a 64 bit integer"},
      {"/spec/pool/generation", 18446744073709551615u, "expected a 64 bit integer"},
      {"/spec/devices", "x", "spec.devices: expected a list"},
      {"/spec/devices/0", 1, "spec.devices[0]: expected an object"},
      {"/spec/devices/0/name", "", "spec.devices[0].name: missing"},
      {"/spec/devices/0/attributes/x", 1, "spec.devices[0].attributes.x: expected an object"},
      {"/spec/devices/0/attributes/x/int", "1", "attributes.x.int: expected a 64 bit integer"},
      {"/spec/devices/0/capacity/m/value", "1Zi", "capacity.m.value: expected a quantity"},
      {"/spec/devices/0/capacity/m/value", true, "capacity.m.value: expected a quantity"},
      {"/spec/allNodes", "yes", "spec.allNodes: expected true or false"},
      {"/spec/sharedCounters", json::object(), "spec.sharedCounters: expected a list"},
  };
  for (const BadRow& row : rows) {
    json bad = good;
    bad[json::json_pointer(row.pointer)] = row.value;
    dra::ParseContext context;
    const auto result = dra::ParseSlice(bad, context);
    INFO(row.pointer << " = " << row.value);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, ContainsSubstring(row.message));
  }
  dra::ParseContext context;
  CHECK_FALSE(dra::ParseSlice(json::array(), context));
  CHECK_FALSE(dra::ParseSlice("text", context));
}

TEST_CASE("lists beyond all reason are refused") {
  dra::ParseContext context;
  const auto result = dra::ParseSlice(Slice("s", Devices(5000)), context);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kTooLarge);
}

TEST_CASE("an allocated claim: results, shares, node selector, consumers") {
  const json claim = json::parse(R"({
    "metadata": {"namespace": "ml", "name": "c", "uid": "u", "deletionTimestamp": "2026-01-01T00:00:00Z"},
    "status": {"reservedFor": [{"uid": "p1"}, {"uid": "p2"}],
      "allocation": {"allocationTimestamp": "2026-01-01T00:00:00Z",
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]},
        "devices": {"results": [
          {"request": "r/s", "driver": "d", "pool": "p", "device": "a", "shareID": "i", "consumedCapacity": {"m": "1Gi"}},
          {"request": "r", "driver": "d", "pool": "p", "device": "b", "adminAccess": true}]}}}})");
  dra::ParseContext context;
  const auto parsed = dra::ParseClaim(claim, context);
  REQUIRE(parsed);
  CHECK(parsed->deleting);
  CHECK(parsed->reserved_for == std::vector<std::string>{"p1", "p2"});
  REQUIRE(parsed->allocation);
  CHECK(parsed->allocation->has_timestamp);
  REQUIRE(parsed->allocation->node_selector);
  REQUIRE(parsed->allocation->devices.size() == 2);
  CHECK(parsed->allocation->devices[0].share == dra::Symbol("i"));
  CHECK(parsed->allocation->devices[0].consumed->at(0).second == *Quantity::Parse("1Gi"));
  CHECK(parsed->allocation->devices[1].admin_access);
}

TEST_CASE("a pod template: claims, constraints, and resources as the scheduler adds them up") {
  const json pod = json::parse(R"({"spec": {
    "nodeSelector": {"pool": "a100"},
    "tolerations": [{"key": "gpu", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
      "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]}}},
    "overhead": {"cpu": "100m"},
    "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}, {"name": "x", "resourceClaimName": "shared"}],
    "initContainers": [
      {"name": "side", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}},
      {"name": "load", "resources": {"requests": {"cpu": "4"}}}],
    "containers": [
      {"name": "a", "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "9", "memory": "1Gi"}}},
      {"name": "b", "resources": {"requests": {"cpu": "2"}}}]}})");
  dra::ParseContext context;
  const auto demand = dra::ParsePodDemand(pod, context);
  REQUIRE(demand);
  CHECK(demand->claims.size() == 2);
  CHECK(demand->claims[0].template_name == "one");
  CHECK(demand->claims[1].claim_name == "shared");
  CHECK(demand->node.labels.size() == 1);
  CHECK(demand->node.affinity);
  CHECK(demand->node.tolerations.size() == 1);
  REQUIRE(demand->requests.size() == 2);
  // init: 4 + 1 of the sidecar = 5; running: 1 + 2 + 1 = 4; the larger one and the overhead
  CHECK(demand->requests[0].second == *Quantity::Parse("5100m"));
  CHECK(demand->requests[1].second == *Quantity::Parse("1Gi"));
}

// With the last one as the sum, such a pod would fit on every node.
TEST_CASE("requests whose sum no quantity holds ask for more than any node has") {
  const json pod = json::parse(R"({"spec": {"containers": [
    {"name": "a", "resources": {"requests": {"cpu": "1e30"}}},
    {"name": "b", "resources": {"requests": {"cpu": "1n"}}}]}})");
  dra::ParseContext context;
  const auto demand = dra::ParsePodDemand(pod, context);
  REQUIRE(demand);
  REQUIRE(demand->requests.size() == 1);
  CHECK(demand->requests[0].second > *Quantity::Parse("1e30"));
}

struct PodLevelRow {
  const char* why;
  const char* container;  // resources of the container
  const char* pod;        // spec.resources
  const char* resource;
  const char* amount;  // empty: none
};

TEST_CASE("pod-level resources are defaulted as the API server does it (KEP 2837)") {
  const std::vector<PodLevelRow> rows = {
      {"a request counts", R"({"requests": {"cpu": "1"}})", R"({"requests": {"cpu": "3"}})", "cpu",
       "3"},
      {"a request beside its limit", "{}", R"({"requests": {"cpu": "3"}, "limits": {"cpu": "8"}})",
       "cpu", "3"},
      {"a limit alone: what the containers ask for", R"({"requests": {"cpu": "1"}})",
       R"({"limits": {"cpu": "8"}})", "cpu", "1"},
      {"a limit alone: the containers' limits are requests", R"({"limits": {"cpu": "2"}})",
       R"({"limits": {"cpu": "8"}})", "cpu", "2"},
      {"a limit alone: no container asks", "{}", R"({"limits": {"cpu": "8"}})", "cpu", "8"},
      {"each resource by itself", R"({"requests": {"cpu": "1"}})",
       R"({"limits": {"cpu": "8", "memory": "1Gi"}})", "memory", "1Gi"},
      {"huge pages cannot be overcommitted", R"({"limits": {"hugepages-2Mi": "2Mi"}})",
       R"({"limits": {"hugepages-2Mi": "8Mi"}})", "hugepages-2Mi", "8Mi"},
      {"huge pages of the containers", R"({"limits": {"hugepages-2Mi": "2Mi"}})",
       R"({"limits": {"cpu": "8"}})", "hugepages-2Mi", "2Mi"},
      {"other resources have no pod level", R"({"limits": {"example.com/gpu": "1"}})",
       R"({"requests": {"example.com/gpu": "4"}})", "example.com/gpu", "1"},
      {"nor do they come from there", "{}", R"({"limits": {"ephemeral-storage": "1Gi"}})",
       "ephemeral-storage", ""},
  };
  for (const PodLevelRow& row : rows) {
    INFO(row.why);
    const json pod = {{"spec",
                       {{"containers", json::array({{{"resources", json::parse(row.container)}}})},
                        {"resources", json::parse(row.pod)}}}};
    dra::ParseContext context;
    const auto demand = dra::ParsePodDemand(pod, context);
    REQUIRE(demand);
    const Quantity* found = dra::FindAmount(demand->requests, dra::Symbol(row.resource));
    CHECK((found != nullptr) == (*row.amount != 0));
    if (found != nullptr) CHECK(found->ToString() == row.amount);
  }
}

}  // namespace
}  // namespace fedra::test::parse_test
