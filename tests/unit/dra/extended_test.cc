// Extended resources that DeviceClasses provide.

#include "dra/judge/extended.h"

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test::extended_test {
namespace {

using dra::Symbol;

class Classes {
 public:
  Classes() : builder_(dra::AllocatorFeatures()) {}
  Classes& Add(const char* name, const char* resource, const char* created) {
    json object = Class(name);
    object["metadata"]["creationTimestamp"] = created;
    if (*resource) object["spec"]["extendedResourceName"] = resource;
    builder_.SetClass(dra::ParseDeviceClass(object, context_).value());
    return *this;
  }
  std::string Of(const char* resource) {
    const auto found = dra::ClassOfResource(*builder_.Publish(), Symbol(resource));
    return found ? found->name.str() : "";
  }
  std::shared_ptr<const dra::Snapshot> snapshot() { return builder_.Publish(); }
  dra::ParseContext& context() { return context_; }

 private:
  dra::ParseContext context_;
  dra::SnapshotBuilder builder_;
};

TEST_CASE(
    "the newest class of a name wins, then the first by name; losers keep their implicit name") {
  Classes classes;
  classes.Add("old", "example.com/gpu", "2026-01-01T00:00:00Z")
      .Add("new", "example.com/gpu", "2026-02-01T00:00:00Z")
      .Add("b", "example.com/nic", "2026-01-01T00:00:00Z")
      .Add("a", "example.com/nic", "2026-01-01T00:00:00Z")
      .Add("plain", "", "2026-01-01T00:00:00Z");
  CHECK(classes.Of("example.com/gpu") == "new");
  CHECK(classes.Of("example.com/nic") == "a");
  CHECK(classes.Of("example.com/tpu").empty());
  CHECK(classes.Of("deviceclass.resource.kubernetes.io/plain") == "plain");
  CHECK(classes.Of("deviceclass.resource.kubernetes.io/new") == "new");
  CHECK(classes.Of("deviceclass.resource.kubernetes.io/old") == "old");
  CHECK(classes.Of("deviceclass.resource.kubernetes.io/b") == "b");
  CHECK(classes.Of("deviceclass.resource.kubernetes.io/none").empty());
}

std::vector<std::string> RequestsFor(Classes& classes, const char* pod) {
  const auto demand = dra::ParsePodDemand(json::parse(pod), classes.context()).value();
  const auto snapshot = classes.snapshot();
  const auto resources = dra::ResourcesFromDevices(demand, *snapshot, dra::Node());
  std::vector<std::string> requests;
  for (const auto& request : dra::ClaimForResources(demand, *snapshot, resources).requests)
    requests.push_back(request.name.str() + " " + request.exactly->device_class.str() + " x" +
                       std::to_string(request.exactly->count));
  return requests;
}

TEST_CASE("one request per container that runs long, named by its place") {
  Classes classes;
  classes.Add("gpu", "example.com/gpu", "").Add("nic", "example.com/nic", "");
  CHECK(RequestsFor(classes, R"({"spec": {
      "initContainers": [{"name": "s", "restartPolicy": "Always", "resources": {"requests": {"example.com/gpu": "1"}}}],
      "containers": [
        {"resources": {"requests": {"cpu": "1", "example.com/gpu": "2", "example.com/nic": "1"}}},
        {"resources": {"limits": {"example.com/gpu": "3"}}}]}})") ==
        std::vector<std::string>{"container-0-request-0 gpu x1", "container-1-request-1 gpu x2",
                                 "container-1-request-2 nic x1", "container-2-request-0 gpu x3"});
}

TEST_CASE("init containers reuse what starts later and ask once for the largest surplus") {
  Classes classes;
  classes.Add("gpu", "example.com/gpu", "");
  CHECK(RequestsFor(classes, R"({"spec": {
      "initContainers": [
        {"resources": {"requests": {"example.com/gpu": "2"}}},
        {"resources": {"requests": {"example.com/gpu": "5"}}},
        {"resources": {"requests": {"example.com/gpu": "1"}}}],
      "containers": [{"resources": {"requests": {"example.com/gpu": "2"}}}]}})") ==
        std::vector<std::string>{"container-1-request-0 gpu x3", "container-3-request-0 gpu x2"});
}

TEST_CASE("names sort as text: container 10 before container 2") {
  Classes classes;
  classes.Add("gpu", "example.com/gpu", "");
  json pod = {{"spec", {{"containers", json::array()}}}};
  for (int i = 0; i < 11; ++i)
    pod["spec"]["containers"].push_back(
        {{"resources", {{"requests", {{"example.com/gpu", "1"}}}}}});
  const auto requests = RequestsFor(classes, pod.dump().c_str());
  REQUIRE(requests.size() == 11);
  CHECK(requests[2] == "container-10-request-0 gpu x1");
}

TEST_CASE("a resource that the node has from a plugin is not taken from devices") {
  Classes classes;
  classes.Add("gpu", "example.com/gpu", "");
  const auto demand =
      dra::ParsePodDemand(
          json::parse(
              R"({"spec": {"containers": [{"resources": {"requests": {"example.com/gpu": "1", "cpu": "1", "other.com/x": "1"}}}]}})"),
          classes.context())
          .value();
  dra::Node node;
  CHECK(dra::ResourcesFromDevices(demand, *classes.snapshot(), node) ==
        std::vector<Symbol>{Symbol("example.com/gpu")});
  node.allocatable = {{Symbol("example.com/gpu"), Quantity(4)}};
  CHECK(dra::ResourcesFromDevices(demand, *classes.snapshot(), node).empty());
  node.allocatable = {{Symbol("example.com/gpu"), Quantity(0)}};
  CHECK(dra::ResourcesFromDevices(demand, *classes.snapshot(), node).size() == 1);
}

}  // namespace
}  // namespace fedra::test::extended_test
