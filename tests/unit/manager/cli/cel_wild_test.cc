// The selectors found in DeviceClasses and requests of real projects, broken ones
// included, each against devices as the named drivers publish them.

#include <nlohmann/json.hpp>
#include <sstream>

#include "manager/cli/cel_report.h"
#include "manager/cli/commands.h"
#include "tests/support/catch.h"

namespace fedra::cli::cel_wild_test {
namespace {

using nlohmann::json;

const char* const kSlices = R"json({"kind": "List", "items": [
  {"kind": "ResourceSlice", "spec": {"driver": "gpu.nvidia.com", "pool": {"name": "n1"}, "devices": [
    {"name": "gpu-0",
     "attributes": {"type": {"string": "gpu"}, "productName": {"string": "NVIDIA A100-SXM4-40GB"},
                    "driverVersion": {"version": "570.86.15"}, "numaNode": {"int": 0},
                    "resource.kubernetes.io/pciBusID": {"string": "0000:3b:00.0"}},
     "capacity": {"memory": {"value": "40Gi"}}},
    {"name": "gpu-0-mig-1g5gb-0",
     "attributes": {"type": {"string": "mig"}, "profile": {"string": "1g.5gb"},
                    "driverVersion": {"version": "570.86.15"}, "numaNode": {"int": 0},
                    "resource.kubernetes.io/pciBusID": {"string": "0000:3b:00.0"}},
     "capacity": {"memory": {"value": "4864Mi"}}}]}},
  {"kind": "ResourceSlice", "spec": {"driver": "dra.net", "pool": {"name": "n1"}, "devices": [
    {"name": "dummy0", "attributes": {"ifName": {"string": "dummy0"}, "rdma": {"bool": false}}},
    {"name": "eth1", "attributes": {"rdma": {"bool": true}}}]}},
  {"kind": "ResourceSlice", "spec": {"driver": "compute-domain.nvidia.com", "pool": {"name": "n1"},
   "devices": [{"name": "channel-0", "attributes": {"type": {"string": "channel"}, "id": {"int": 0}}},
               {"name": "daemon-0", "attributes": {"type": {"string": "daemon"}}}]}},
  {"kind": "ResourceSlice", "spec": {"driver": "gpu.intel.com", "pool": {"name": "n1"}, "devices": [
    {"name": "card0", "attributes": {"model": {"string": "Arc A770"}, "index": {"int": 1}}},
    {"name": "card1", "attributes": {"model": {"string": "Data Center GPU Flex 170"}, "index": {"int": 5}}}]}}
  ]})json";

constexpr int kMatches = 0;
constexpr int kDoesNotCompile = 1;
constexpr int kNothing = 3;
constexpr int kFails = kEvaluationError;

struct Wild {
  int code;
  const char* driver;  // of the class: selectors of a request see its devices only
  const char* expression;
  const char* devices;    // those that match
  const char* says = "";  // a part of what is printed
};

const Wild kWild[] = {
    // Classes.
    {kMatches, "",
     "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'",
     "gpu-0"},
    {kMatches, "",
     "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig'",
     "gpu-0-mig-1g5gb-0"},
    {kNothing, "",
     "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'vfio'", ""},
    {kNothing, "",
     "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig' && "
     "device.attributes['gpu.nvidia.com'].profile == '1g.12gb'",
     ""},
    {kMatches, "",
     "device.driver == 'compute-domain.nvidia.com' && "
     "device.attributes['compute-domain.nvidia.com'].type == 'daemon'",
     "daemon-0"},
    {kMatches, "",
     "device.driver == 'compute-domain.nvidia.com' && "
     "device.attributes['compute-domain.nvidia.com'].type == 'channel' && "
     "device.attributes['compute-domain.nvidia.com'].id == 0",
     "channel-0"},
    {kMatches, "", "device.driver == \"dra.net\"", "dummy0 eth1"},
    {kNothing, "", "device.driver == \"dra.cpu\"", ""},
    {kNothing, "", "device.driver == 'tpu.google.com'", "", "0/8 devices match"},
    {kMatches, "", "device.driver == 'gpu.intel.com'", "card0 card1"},
    // Requests.
    {kFails, "gpu.nvidia.com", "device.attributes['gpu.nvidia.com'].profile == '1g.5gb'",
     "gpu-0-mig-1g5gb-0", "no such key: profile"},
    {kFails, "gpu.nvidia.com",
     "device.attributes['gpu.nvidia.com'].productName == 'NVIDIA A100-SXM4-40GB'", "gpu-0",
     "no such key: productName"},
    {kMatches, "gpu.nvidia.com",
     "device.attributes[\"resource.kubernetes.io\"].pciBusID == \"0000:3b:00.0\"",
     "gpu-0 gpu-0-mig-1g5gb-0"},
    {kMatches, "gpu.nvidia.com",
     "device.attributes[\"resource.kubernetes.io\"].pciBusID in [\"0000:3b:00.0\", "
     "\"0000:af:00.0\"]",
     "gpu-0 gpu-0-mig-1g5gb-0"},
    {kMatches, "dra.net", "device.attributes[\"dra.net\"].rdma == true", "eth1"},
    {kMatches, "dra.net", "device.attributes[\"dra.net\"].rdma", "eth1"},
    {kMatches, "dra.net",
     "has(device.attributes[\"dra.net\"].ifName) && device.attributes[\"dra.net\"].ifName == "
     "\"dummy0\"",
     "dummy0"},
    {kMatches, "dra.net", "\"dra.net\" in device.attributes && device.driver == \"dra.net\"",
     "dummy0 eth1"},
    {kMatches, "dra.net",
     "\"ifName\" in device.attributes[\"dra.net\"] && "
     "device.attributes[\"dra.net\"].ifName.startsWith(\"dummy\")",
     "dummy0"},
    {kMatches, "gpu.nvidia.com",
     "device.capacity[\"gpu.nvidia.com\"].memory.compareTo(quantity(\"16Gi\")) >= 0", "gpu-0"},
    {kMatches, "gpu.nvidia.com",
     "'productName' in device.attributes['gpu.nvidia.com'] && "
     "device.attributes['gpu.nvidia.com'].productName.lowerAscii().matches('^.*a100.*$')",
     "gpu-0"},
    {kFails, "gpu.nvidia.com",
     "device.attributes['gpu.nvidia.com'].productName.startsWith(\"NVIDIA\")", "gpu-0",
     "no such key: productName"},
    {kMatches, "gpu.intel.com", "device.attributes[\"gpu.intel.com\"].model.startsWith(\"Arc\")",
     "card0"},
    {kMatches, "gpu.intel.com", "device.attributes[\"gpu.intel.com\"].model.contains(\"Flex\")",
     "card1"},
    {kMatches, "gpu.intel.com", "device.attributes[\"gpu.intel.com\"].index < 4", "card0"},
    {kMatches, "gpu.nvidia.com", "device.attributes['gpu.nvidia.com'].numaNode == 0",
     "gpu-0 gpu-0-mig-1g5gb-0"},
    {kMatches, "gpu.nvidia.com",
     "device.attributes['gpu.nvidia.com'].driverVersion.isGreaterThan(semver(\"560.0.0\"))",
     "gpu-0 gpu-0-mig-1g5gb-0"},
    // Broken where they were found, and broken in the same way here.
    {kDoesNotCompile, "", "device.attributes[\"memory\"] >= 80g", "", "quantity(\"80G\")"},
    {kFails, "dra.net", "device.attributes[\"dra.net/rdma\"].bool == true", "",
     "no such key: bool"},
    {kFails, "gpu.nvidia.com", "device.attributes[\"gpu.nvidia.com\"].index <= 2", "",
     "no such key: index"},
};

// "gpu-0 gpu-1": the devices that match, from the output for machines.
std::string Matching(const json& report) {
  std::string names;
  for (const json& device : report.value("devices", json::array())) {
    if (device["outcome"] != "match") continue;
    names += (names.empty() ? "" : " ") + device["device"].get<std::string>();
  }
  return names;
}

TEST_CASE("selectors from the wild") {
  const json slices = json::parse(kSlices);
  for (const Wild& wild : kWild) {
    INFO(wild.expression);
    CelOptions options{.expression = wild.expression, .driver = wild.driver};
    std::ostringstream out;
    std::ostringstream err;
    CHECK(CelReport(options, slices, out, err) == wild.code);
    CHECK_THAT(out.str() + err.str(), ContainsSubstring(wild.says));
    options.json = true;
    std::ostringstream machine;
    CHECK(CelReport(options, slices, machine, err) == wild.code);
    CHECK(Matching(json::parse(machine.str())) == wild.devices);
  }
}

}  // namespace
}  // namespace fedra::cli::cel_wild_test
