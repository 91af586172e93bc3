#include "manager/report/device_inventory.h"

#include <nlohmann/json.hpp>

#include "manager/report/device_report.h"
#include "manager/text/device_view.h"
#include "tests/unit/manager/cli/raw_cluster.h"
#include "tests/unit/manager/support/contract.h"

namespace fedra::cli::device_inventory_test {
namespace {

using report::DeviceFilter;
using report::TakeInventory;

const report::AsOf kRead{WallTime(std::chrono::milliseconds(1'795'277'479'000)), "fleet.json"};

report::WorkerDevices Look(const RawCluster& cluster, const DeviceFilter& filter = {}) {
  const auto worker = MakeWorker(cluster, WorkerNamed("east"));
  auto inventory = TakeInventory(*worker->devices()->snapshot(), filter);
  REQUIRE(inventory.has_value());
  return {"east", "", *std::move(inventory)};
}

std::string Table(const report::WorkerDevices& devices,
                  text::Format format = text::Format::kTable) {
  return text::RenderDevices({devices}, kRead, format, {}).out;
}

// A second driver whose devices no class means.
void AddOrphans(RawCluster& cluster) {
  json slice = Parsed(R"({"metadata": {"name": "nics"}, "spec": {"driver": "nic.example.com",
      "pool": {"name": "nics", "generation": 1, "resourceSliceCount": 1}, "allNodes": true,
      "devices": [{"name": "nic-0", "taints": [{"key": "repair", "effect": "NoSchedule"}]},
                  {"name": "nic-1"}]}})");
  cluster.Add("resourceslices.resource.k8s.io", std::move(slice));
}

TEST_CASE("devices by class: each counts as free, allocated or tainted") {
  RawCluster cluster = MakeCluster();
  AddOrphans(cluster);
  CHECK(Table(Look(cluster)) ==
        "WORKER  DRIVER           CLASS  NODES  TOTAL  FREE  ALLOCATED  TAINTED\n"
        "east    gpu.example.com  gpu    2      3      2     1          0\n"
        "east    nic.example.com  -      -      2      1     0          1\n");
}

TEST_CASE("every tainted device counts as tainted, an allocated one, too") {
  RawCluster cluster = MakeCluster();
  for (json& slice : cluster.objects["resourceslices.resource.k8s.io"]) {
    for (json& device : slice["spec"]["devices"])
      device["taints"] = Parsed(R"({"x": [{"key": "maintenance", "effect": "NoSchedule"}]})")["x"];
  }
  CHECK(Table(Look(cluster)) ==
        "WORKER  DRIVER           CLASS  NODES  TOTAL  FREE  ALLOCATED  TAINTED\n"
        "east    gpu.example.com  gpu    2      3      0     1          3\n");
}

TEST_CASE("devices by pool and node, with what is equal about them") {
  RawCluster cluster = MakeCluster();
  AddOrphans(cluster);
  CHECK(Table(Look(cluster), text::Format::kWide) ==
        "WORKER  DRIVER           POOL    NODE    TOTAL  FREE  ALLOCATED  TAINTED  CLASSES  "
        "ATTRIBUTES\n"
        "east    gpu.example.com  node-a  node-a  2      2     0          0        gpu      "
        "host=node-a, memory (2 values), model=h100\n"
        "east    gpu.example.com  node-b  node-b  1      0     1          0        gpu      "
        "host=node-b, memory=40Gi, model=h100\n"
        "east    nic.example.com  nics    -       2      1     0          1        -\n");
}

TEST_CASE("a selector counts only what it matches, and tells where it is an error") {
  const std::string large =
      "device.capacity['gpu.example.com'].memory.compareTo(quantity('80Gi')) >= 0";
  CHECK_THAT(
      Table(Look(MakeCluster(), {"", large})),
      ContainsSubstring("east    gpu.example.com  gpu    1      1      1     0          0\n"));
  const report::WorkerDevices failing =
      Look(MakeCluster(), {"", "device.attributes['gpu.example.com'].nothing == 'x'"});
  CHECK(failing.inventory.nodes.empty());
  REQUIRE(failing.inventory.notes.size() == 1);
  CHECK_THAT(failing.inventory.notes[0],
             ContainsSubstring("on 3 devices the selector is an error: "));
  // A guard would help where some have it; here none has.
  CHECK_THAT(failing.inventory.notes[0],
             ContainsSubstring("; no device has attribute `nothing`; published are: host, "));
  const text::Output output = text::RenderDevices({failing}, kRead, text::Format::kTable, {});
  CHECK(output.out.empty());
  CHECK_THAT(output.note, ContainsSubstring("\nthe selector is an error on every device"));
  CHECK(report::OnlyFails({failing}));
}

TEST_CASE("free devices of a cordoned node are told apart") {
  RawCluster cluster = MakeCluster();
  for (json& node : cluster.objects["nodes"]) node["spec"]["unschedulable"] = true;
  const report::WorkerDevices devices = Look(cluster);
  REQUIRE(devices.inventory.notes.size() == 1);
  CHECK(devices.inventory.notes[0] ==
        "node node-a is unschedulable (cordoned): no new pod gets 2 free devices there");
}

TEST_CASE("an empty table says why it is empty") {
  const auto note = [](const RawCluster& cluster, const DeviceFilter& filter) {
    const report::WorkerDevices devices = Look(cluster, filter);
    CHECK_FALSE(report::OnlyFails({devices}));
    return text::RenderDevices({devices}, kRead, text::Format::kTable, {}).note;
  };
  CHECK_THAT(note(MakeCluster(), {"tpu", ""}),
             ContainsSubstring("\nno worker has this DeviceClass; there are gpu"));
  CHECK(note(MakeCluster(), {"", "device.driver == 'x'"}) == "none of 3 devices matches");
  CHECK(note(RawCluster(), {}) == "east: no devices are published there\nno devices found");
  const auto hint = [](const std::string& asked) {
    const report::WorkerDevices devices = Look(MakeCluster(), {asked, ""});
    CHECK(report::ClassIsNowhere({devices}));
    return text::RenderDevices({devices}, kRead, text::Format::kTable, {}, asked).note;
  };
  CHECK_THAT(hint("gpus"), ContainsSubstring("did you mean gpu?"));
  CHECK_FALSE(report::ClassIsNowhere({Look(MakeCluster(), {"gpu", ""})}));
}

TEST_CASE("a selector that does not compile is an error with advice") {
  const auto worker = MakeWorker(MakeCluster(), WorkerNamed("east"));
  const auto inventory = TakeInventory(*worker->devices()->snapshot(), {"", "device.nothing == 1"});
  REQUIRE_FALSE(inventory.has_value());
  CHECK(inventory.error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(inventory.error().message, ContainsSubstring("undefined field 'nothing'"));
}

TEST_CASE("a class is what it is on each worker") {
  CHECK(Look(MakeCluster(), {"gpu", ""}).inventory.nodes.size() == 2);
  const report::WorkerDevices none = Look(MakeCluster(), {"tpu", ""});
  CHECK(none.inventory.nodes.empty());
  CHECK(none.inventory.notes == std::vector<std::string>{"DeviceClass tpu does not exist there"});
}

TEST_CASE("what cannot be had is told apart from what is allocated") {
  RawCluster cluster = MakeCluster();
  auto& slices = cluster.objects["resourceslices.resource.k8s.io"];
  SECTION("an incomplete pool") {
    slices[0]["spec"]["pool"]["resourceSliceCount"] = 2;
    const report::WorkerDevices devices = Look(cluster);
    CHECK(devices.inventory.nodes[0].count.unusable == 2);
    CHECK_THAT(Table(devices, text::Format::kWide),
               ContainsSubstring("the pool is not completely published"));
    CHECK_THAT(Table(devices), ContainsSubstring("TAINTED  UNUSABLE\n"));
  }
  SECTION("a node that does not exist") {
    cluster.objects["nodes"].erase(cluster.objects["nodes"].begin());
    const report::WorkerDevices devices = Look(cluster);
    CHECK(devices.inventory.nodes[0].count.unusable == 2);
    CHECK_THAT(Table(devices, text::Format::kWide), ContainsSubstring("; there is no such node"));
  }
  SECTION("counters that another partition has used up") {
    json& spec = slices[1]["spec"];
    json counters = slices[1];  // since 1.35 counters are in slices of their own
    counters["metadata"]["name"] = "slice-counters";
    counters["spec"].erase("devices");
    counters["spec"]["sharedCounters"] = Parsed(R"({"x": [{"name": "card", "counters": {
        "memory": {"value": "40Gi"}}}]})")["x"];
    counters["spec"]["pool"]["resourceSliceCount"] = 2;
    spec["pool"]["resourceSliceCount"] = 2;
    const json whole = Parsed(R"({"x": [{"counterSet": "card", "counters": {
        "memory": {"value": "40Gi"}}}]})")["x"];
    spec["devices"][0]["consumesCounters"] = whole;
    spec["devices"].push_back({{"name", "gpu-half"}, {"consumesCounters", whole}});
    slices.push_back(std::move(counters));
    const report::WorkerDevices devices = Look(cluster);
    CHECK(devices.inventory.nodes[1].count.allocated == 1);
    CHECK(devices.inventory.nodes[1].count.unusable == 1);
  }
}

TEST_CASE("devices for programs") {
  report::WorkerDevices lost{"west", "no contact", {}};
  const auto document = testing::HeldDocument(
      text::RenderDevices({Look(MakeCluster()), lost}, kRead, text::Format::kJson, {}).out);
  CHECK(document["kind"] == "DeviceReport");
  CHECK(document["asOf"] == "2026-11-21T16:11:19Z");
  CHECK(document["source"] == "Snapshot");
  CHECK(document["file"] == "fleet.json");
  const auto& east = document["workers"][0];
  CHECK(east["classes"][0]["class"] == "gpu");
  CHECK(east["classes"][0]["free"] == 2);
  CHECK(east["pools"][1]["allocated"] == 1);
  CHECK(east["pools"][0]["attributes"]["memory"] == nlohmann::json::array({"40Gi", "80Gi"}));
  CHECK(document["unreadWorkers"][0]["problem"] == "no contact");
  CHECK_THAT(text::RenderDevices({lost}, kRead, text::Format::kTable, {}).note,
             ContainsSubstring("west: no contact"));
  CHECK_THAT(
      text::RenderDevices({lost}, kRead, text::Format::kTable, {}).note,
      ContainsSubstring("no worker could be read") && !ContainsSubstring("no devices found"));
}

}  // namespace
}  // namespace fedra::cli::device_inventory_test
