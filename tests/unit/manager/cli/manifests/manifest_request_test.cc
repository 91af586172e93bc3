// Mistakes in single requests: counts, tolerations, capacities.

#include "manager/cli/manifests/manifest_request.h"

#include "manager/cli/manifests/manifest_check.h"
#include "tests/unit/manager/cli/manifests/manifest_text.h"

namespace fedra::cli::manifest_request_test {
namespace {

const std::string kExactly = "spec.spec.devices.requests[0].exactly";

std::string OnlyOf(const std::string& devices) { return Only(Check(Template(devices))); }
std::string OnlyOfFields(const std::string& fields) {
  return OnlyOf("{requests: [{name: r, exactly: {deviceClassName: g, " + fields + "}}]}");
}

TEST_CASE("the requests of a claim together ask for no more than it can hold") {
  const auto request = [](const std::string& name, const std::string& fields) {
    return "{name: " + name + ", exactly: {deviceClassName: g, " + fields + "}}";
  };
  const std::string too_many =
      "spec.spec.devices.requests: ask for at least 40 devices; one claim can hold at most 32, and "
      "the "
      "scheduler ends with an error";
  const auto both = [&](const std::string& a, const std::string& b) {
    return OnlyOf("{requests: [" + a + ", " + b + "]}");
  };
  CHECK(both(request("a", "count: 20"), request("b", "count: 20")) == too_many);
  CHECK(both(request("a", "count: 16"), request("b", "count: 16")).empty());
  CHECK(both(request("a", "count: 20"), request("b", "allocationMode: All")).empty());
  // The fewest of the alternatives count.
  const auto alternatives = [](const char* least) {
    return std::string(
               "{name: b, firstAvailable: [{name: many, deviceClassName: g, count: 32}, "
               "{name: few, deviceClassName: g, count: ") +
           least + "}]}";
  };
  CHECK(both(request("a", "count: 20"), alternatives("20")) == too_many);
  CHECK(both(request("a", "count: 20"), alternatives("12")).empty());
  // That one request asks for too many is said once.
  CHECK(both(request("a", "count: 40"), request("b", "count: 2")) ==
        kExactly + ".count: one claim can hold at most 32 devices");
}

TEST_CASE("tolerations name operators and effects that there are") {
  CHECK(OnlyOfFields("tolerations: [{key: a, operator: Exists, effect: NoExecute}, "
                     "{operator: Equal, value: x}, {key: b, effect: NoSchedule}]")
            .empty());
  const auto findings =
      Check(Template("{requests: [{name: r, exactly: {deviceClassName: g, "
                     "tolerations: [{key: a}, {key: b, operator: Exist}]}}]}"));
  CHECK(Only(findings) == kExactly + ".tolerations[1].operator: \"Exist\" is not known");
  CHECK(findings[0].severity == Severity::kError);
  CHECK(findings[0].hint == "did you mean \"Exists\"?");
  CHECK(OnlyOfFields("tolerations: [{operator: Exists, effect: PreferNoSchedule}]") ==
        kExactly + ".tolerations[0].effect: \"PreferNoSchedule\" is not known");
  CHECK(OnlyOfFields("tolerations: [{key: a, operator: Exists, value: b}]") ==
        kExactly + ".tolerations[0].value: cannot be set with operator Exists");
  CHECK(OnlyOfFields("tolerations: [x]") == kExactly + ".tolerations[0]: must be an object");
  CHECK(OnlyOfFields("tolerations: {operator: Exists}") ==
        kExactly + ".tolerations: must be a list");
  CHECK(OnlyOf("{requests: [{name: r, firstAvailable: [{name: a, deviceClassName: g, "
               "tolerations: [{operator: In}]}]}]}") ==
        "spec.spec.devices.requests[0].firstAvailable[0].tolerations[0].operator: \"In\" is not "
        "known");
}

TEST_CASE("capacity requests ask for something") {
  CHECK(OnlyOfFields("capacity: {requests: {memory: 20Gi, cores: 4}}").empty());
  const std::string at = kExactly + ".capacity.requests[\"memory\"]: ";
  CHECK(OnlyOfFields("capacity: {requests: {memory: -4Gi}}") == at + "-4Gi is below 0");
  CHECK(OnlyOfFields("capacity: {requests: {memory: many}}") ==
        at + "\"many\" is not a valid quantity");
  const auto zero =
      Check(Template("{requests: [{name: r, exactly: {deviceClassName: g, capacity: {requests: "
                     "{memory: 0}}}}]}"));
  CHECK(Only(zero) == at + "0 asks for nothing of it");
  CHECK(zero[0].severity == Severity::kWarning);
}

TEST_CASE("a capacity that no device publishes under that name") {
  const FleetFacts facts{2, {"g"}, {}, {"memory", "example.com/cores"}, 12};
  const auto against = [&](const std::string& name, const FleetFacts& fleet) {
    const auto manifests = FromYaml(
        Template("{requests: [{name: r, exactly: {deviceClassName: g, capacity: {requests: {" +
                 name + ": 1}}}}]}"));
    std::vector<Finding> findings;
    CheckAgainstFleet(manifests[0], "ml", fleet, {}, findings);
    return findings;
  };
  CHECK(against("memory", facts).empty());
  CHECK(against("example.com/cores", facts).empty());
  const auto findings = against("gpu.example.com/memory", facts);
  CHECK(
      Only(findings) ==
      kExactly +
          ".capacity.requests[\"gpu.example.com/memory\"]: none of 12 devices on any of 2 workers "
          "publishes the capacity gpu.example.com/memory: none can be taken");
  CHECK(findings[0].severity == Severity::kNowhere);
  CHECK(findings[0].hint == "write \"memory\": names are compared as they are published");
  CHECK(against("memry", facts)[0].hint == "did you mean \"memory\"?");
  CHECK(against("memry", {2, {"g"}, {}, {}, 0}).empty());
}

}  // namespace
}  // namespace fedra::cli::manifest_request_test
