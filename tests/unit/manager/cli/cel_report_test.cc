#include "manager/cli/cel_report.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/catch.h"

namespace fedra::cli::cel_report_test {
namespace {

using nlohmann::json;

// Two drivers, three devices; one slice as v1 has it, one as v1beta1 had it.
const char* const kSlices = R"json({"kind": "List", "items": [
  {"kind": "ResourceSlice", "metadata": {"name": "node-1-gpu"},
   "spec": {"driver": "gpu.example.com", "pool": {"name": "node-1"}, "devices": [
     {"name": "gpu-0", "attributes": {"model": {"string": "A100"}, "driverVersion": {"version": "1.2.3"},
                                      "index": {"int": 0}, "mig": {"bool": false}},
                       "capacity": {"memory": {"value": "80Gi"}}, "allowMultipleAllocations": true},
     {"name": "gpu-1", "attributes": {"model": {"string": "T4"}, "driverVersion": {"version": "1.2.3"}},
                       "capacity": {"memory": {"value": "16Gi"}}}]}},
  {"kind": "ResourceSlice", "metadata": {"name": "node-1-nic"},
   "spec": {"driver": "nic.example.com", "pool": {"name": "node-1"}, "devices": [
     {"name": "nic-0", "basic": {"attributes": {"rdma": {"bool": true}}, "capacity": {"speed": {"value": "100G"}}}}]}},
  {"kind": "ConfigMap", "metadata": {"name": "not-a-slice"}}]})json";

struct Run {
  int code = 0;
  std::string out;
  std::string err;
};

Run Cel(const CelOptions& options, const json& slices = json::parse(kSlices)) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = CelReport(options, slices, out, err);
  return {code, out.str(), err.str()};
}

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr char kA100[] =
    R"(device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "A100")";

TEST_CASE("devices that match, and the operand that failed for the others") {
  const Run run = Cel({.expression = kA100});
  CHECK(run.code == 0);
  CHECK(run.out ==
        "match  gpu.example.com/node-1/gpu-0\n"
        "no match  gpu.example.com/node-1/gpu-1  device.attributes[\"gpu.example.com\"].model == "
        "\"A100\"\n"
        "no match  nic.example.com/node-1/nic-0  device.driver == \"gpu.example.com\"\n"
        "1/3 devices match; 1 fail device.attributes[\"gpu.example.com\"].model == \"A100\"; "
        "1 fail device.driver == \"gpu.example.com\"\n");
}

TEST_CASE("nothing matches: exit code 3, also without devices") {
  CHECK(Cel({.expression = "device.driver == \"x\""}).code == 3);
  const Run run = Cel({.expression = "true", .driver = "none.example.com"});
  CHECK(run.code == 3);
  CHECK(Contains(run.err, "no devices of driver none.example.com"));
}

TEST_CASE("the driver option and both forms of a device") {
  const Run run = Cel(
      {.expression = R"(device.attributes["nic.example.com"].rdma && )"
                     R"(device.capacity["nic.example.com"].speed.compareTo(quantity("1G")) > 0)",
       .driver = "nic.example.com"});
  CHECK(run.code == 0);
  CHECK(Contains(run.out, "1/1 devices match"));
}

TEST_CASE("an evaluation error is exit code 4 with advice, even if something matches") {
  const Run run = Cel({.expression = R"(device.attributes["gpu.example.com"].model == "A100")"});
  CHECK(run.code == 5);
  CHECK(Contains(run.out, "error  nic.example.com/node-1/nic-0  no such key: model"));
  CHECK(Contains(run.out, "1 is an error, which makes the scheduler give up the pod"));
  CHECK(Contains(run.out, "advice (1 device): "));
}

TEST_CASE("a compile error is exit code 1 with the place and advice") {
  const Run run =
      Cel({.expression = R"(device.capacity["gpu.example.com"].memory >= quantity("40Gi"))"});
  CHECK(run.code == 1);
  CHECK(run.out.empty());
  CHECK(Contains(run.err, "ERROR: <input>:1:"));
  CHECK(Contains(run.err, "compareTo(quantity(\"40Gi\")) >= 0"));
}

TEST_CASE("check compiles only; explain prints the tree; neither needs a file") {
  const Run check = Cel({.expression = "true", .check = true}, json());
  CHECK(check.code == 0);
  CHECK(check.out == "the selector compiles for Kubernetes 1.36\n");
  CHECK(Cel({.expression = "1", .check = true}, json()).code == 1);
  const Run explain = Cel({.expression = "device.driver == \"x\"", .explain = true}, json());
  CHECK(explain.code == 0);
  CHECK(Contains(explain.out, "string"));
  CHECK(Cel({.expression = "true"}, json()).code == 1);
}

TEST_CASE("releases: what does not exist there does not compile") {
  const char* const expression = R"(device.attributes["gpu.example.com"].model.includes("A100"))";
  CHECK(Cel({.expression = expression, .release = "1.36", .check = true}).code == 0);
  CHECK(Cel({.expression = expression, .release = "1.35", .check = true}).code == 1);
  const Run run = Cel({.expression = "true", .release = "1.20"});
  CHECK(run.code == 1);
  CHECK(Contains(run.err, "1.20"));
}

TEST_CASE("a release that is not known yet is judged as the newest, and said to be") {
  const Run newer = Cel({.expression = "true", .release = "v1.40.2", .check = true});
  CHECK(newer.out == "the selector compiles for Kubernetes 1.37\n");
  CHECK(newer.err == "Kubernetes v1.40.2 is not known yet, judging as 1.37\n");
  const Run patched = Cel({.expression = "true", .release = "v1.36.3+k3s1", .check = true});
  CHECK(patched.out == "the selector compiles for Kubernetes 1.36\n");
  CHECK(patched.err.empty());
  const Run machine = Cel({.expression = "true", .release = "1.99", .json = true});
  CHECK(json::parse(machine.out)["kubernetes"] == "1.37");
}

TEST_CASE("explain makes the same checks as an evaluation") {
  const Run run = Cel({.expression = "1", .explain = true});
  CHECK(run.code == 1);
  CHECK(run.out.empty());
  CHECK(Contains(run.err, "must evaluate to bool"));
}

TEST_CASE("what no API server would store is refused, with its place") {
  for (const char* value :
       {R"({"ints": [1, "2"]})", R"({"bools": [true, 0]})", R"({"strings": ["a", null]})",
        R"({"versions": ["1.2.3", 1]})", R"({"int": 18446744073709551615})",
        R"({"ints": [9223372036854775808]})", R"({"int": "1"})"}) {
    INFO(value);
    const json slice =
        json::parse(R"({"metadata": {"name": "s"}, "spec": {"driver": "d", "devices": [)"
                    R"({"name": "x", "attributes": {"a": )" +
                    std::string(value) + "}}]}}");
    const Run run = Cel({.expression = "true"}, slice);
    CHECK(run.code == 1);
    CHECK(run.err.starts_with("fedra cel: ResourceSlice s: spec.devices[0].attributes.a."));
  }
}

TEST_CASE("machine output") {
  const Run run = Cel({.expression = kA100, .json = true});
  CHECK(run.code == 0);
  const json document = json::parse(run.out);
  CHECK(document["kind"] == "CelReport");
  CHECK(document["operands"].size() == 2);
  CHECK(document["summary"] == json({{"matching", 1}, {"notMatching", 2}, {"errors", 0}}));
  CHECK(document["devices"][1]["device"] == "gpu-1");
  CHECK(document["devices"][1]["outcome"] == "no match");
  CHECK(document["devices"][1]["falseOperand"] == 1);
  const json failure = json::parse(Cel({.expression = "device.x", .json = true}).out);
  CHECK(failure["issues"][0]["message"] == "undefined field 'x'");
}

TEST_CASE("documents that are no slices are passed over") {
  for (const char* text : {"[]", "{}", "1", R"({"items": [null, 1, {"spec": null}, [[]]]})"}) {
    INFO(text);
    CHECK(Cel({.expression = "true"}, json::parse(text)).code == 3);
  }
}

TEST_CASE("a value of a kind that is not known makes every selector an error") {
  const json unknown = json::parse(
      R"({"spec": {"driver": "d", "devices": [{"name": "x", "attributes": {"a": {"float": 1.5}}}]}})");
  CHECK(Cel({.expression = "true"}, unknown).code == 5);
}

}  // namespace
}  // namespace fedra::cli::cel_report_test
