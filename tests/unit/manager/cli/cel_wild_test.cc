// The selectors found in DeviceClasses and requests of real projects (shared reference dra.md,
// section 8), broken ones included, each against devices as the named drivers publish them.

#include <nlohmann/json.hpp>
#include <sstream>

#include "manager/cli/cel_report.h"
#include "tests/support/catch.h"

namespace fedra::cli {
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
   "devices": [{"name": "channel-0", "attributes": {"type": {"string": "channel"}, "id": {"int": 0}}}]}}
  ]})json";

constexpr int kMatches = 0;
constexpr int kDoesNotCompile = 1;
constexpr int kNothing = 3;
constexpr int kFails = 4;

struct Wild {
  int code;
  const char* driver;  // of the class: selectors of a request see its devices only
  const char* expression;
  const char* says = "";  // a part of what is printed
};

const Wild kWild[] = {
    // Classes.
    {kMatches, "",
     "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"},
    {kMatches, "",
     "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig'"},
    {kNothing, "",
     "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'vfio'"},
    {kMatches, "",
     "device.driver == 'compute-domain.nvidia.com' && "
     "device.attributes['compute-domain.nvidia.com'].type == 'channel' && "
     "device.attributes['compute-domain.nvidia.com'].id == 0"},
    {kMatches, "", "device.driver == \"dra.net\""},
    {kNothing, "", "device.driver == \"dra.cpu\""},
    {kNothing, "", "device.driver == 'tpu.google.com'", "0/5 devices match"},
    // Requests.
    {kFails, "gpu.nvidia.com", "device.attributes['gpu.nvidia.com'].profile == '1g.5gb'",
     "no such key: profile"},
    {kMatches, "gpu.nvidia.com",
     "device.attributes[\"resource.kubernetes.io\"].pciBusID == \"0000:3b:00.0\""},
    {kMatches, "gpu.nvidia.com",
     "device.attributes[\"resource.kubernetes.io\"].pciBusID in [\"0000:3b:00.0\", "
     "\"0000:af:00.0\"]"},
    {kMatches, "dra.net", "device.attributes[\"dra.net\"].rdma == true"},
    {kMatches, "dra.net", "device.attributes[\"dra.net\"].rdma"},
    {kMatches, "dra.net",
     "has(device.attributes[\"dra.net\"].ifName) && device.attributes[\"dra.net\"].ifName == "
     "\"dummy0\""},
    {kMatches, "dra.net", "\"dra.net\" in device.attributes && device.driver == \"dra.net\""},
    {kMatches, "gpu.nvidia.com",
     "device.capacity[\"gpu.nvidia.com\"].memory.compareTo(quantity(\"16Gi\")) >= 0"},
    {kMatches, "gpu.nvidia.com",
     "'productName' in device.attributes['gpu.nvidia.com'] && "
     "device.attributes['gpu.nvidia.com'].productName.lowerAscii().matches('^.*a100.*$')"},
    {kFails, "gpu.nvidia.com",
     "device.attributes['gpu.nvidia.com'].productName.startsWith(\"NVIDIA\")",
     "no such key: productName"},
    {kMatches, "gpu.nvidia.com", "device.attributes['gpu.nvidia.com'].numaNode == 0"},
    {kMatches, "gpu.nvidia.com",
     "device.attributes['gpu.nvidia.com'].driverVersion.isGreaterThan(semver(\"560.0.0\"))"},
    // Broken where they were found, and broken in the same way here.
    {kDoesNotCompile, "", "device.attributes[\"memory\"] >= 80g", "quantity(\"80G\")"},
    {kFails, "dra.net", "device.attributes[\"dra.net/rdma\"].bool == true", "no such key: bool"},
    {kFails, "gpu.nvidia.com", "device.attributes[\"gpu.nvidia.com\"].index <= 2",
     "no such key: index"},
};

TEST_CASE("selectors from the wild") {
  const json slices = json::parse(kSlices);
  for (const Wild& wild : kWild) {
    INFO(wild.expression);
    std::ostringstream out;
    std::ostringstream err;
    CHECK(CelReport({.expression = wild.expression, .driver = wild.driver}, slices, out, err) ==
          wild.code);
    CHECK_THAT(out.str() + err.str(), ContainsSubstring(wild.says));
  }
}

}  // namespace
}  // namespace fedra::cli
