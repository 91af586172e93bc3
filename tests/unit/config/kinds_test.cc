// The key `kinds`: what is taken, and what is refused with its place.

#include "config/load.h"
#include "config/print.h"
#include "tests/support/catch.h"

namespace fedra::config::kinds_test {
namespace {

constexpr const char* kHead =
    "apiVersion: fedra.dev/v1alpha1\n"
    "kind: Configuration\n"
    "manager: {kubeconfig: m.kubeconfig}\n"
    "kinds:\n";

std::string ProblemsOf(const std::string& text) {
  const auto parsed = Parse(kHead + text, "f.yaml");
  return parsed ? "ok" : ToString(parsed.error());
}

// An entry with these keys beside the required ones, on line 5.
std::string ProblemsWith(const std::string& keys) {
  return ProblemsOf("- {apiVersion: example.com/v1, kind: Run, plural: runs, " + keys + "}\n");
}

constexpr const char* kWhole = R"(- apiVersion: example.com/v1
  kind: TrainingRun
  plural: trainingruns
  managedBy: spec.policy.managedBy
  suspend: spec.state
  suspended: Held
  podSets:
  - {at: 'spec.roles[*]', template: template, nameFrom: name, count: 'replicas x hosts?0'}
  - {at: spec.driver, name: driver}
  succeeded: ["status.phase=Done"]
  failed: ["status.phase=Lost|Broken", "status.phase=Done and status.code>0"]
  stopped: ["spec.state=Killed"]
  active: ["status.running>0"]
  cleared: {running: 0, old: null}
  clearedConditions: [Running]
  stripped: [spec.ttl]
  podLabel: example.com/run
  operator: run-operator 1.2
)";

}  // namespace

TEST_CASE("an entry of kinds is read, shown, and read again") {
  const auto parsed = Parse(std::string(kHead) + kWhole, "/etc/f.yaml");
  REQUIRE(parsed);
  REQUIRE(parsed->kinds.size() == 1);
  const KindSettings& kind = parsed->kinds[0];
  CHECK(kind.api_version == "example.com/v1");
  CHECK(kind.managed_by == "spec.policy.managedBy");
  CHECK(kind.suspended == "Held");
  REQUIRE(kind.pod_sets.size() == 2);
  CHECK(kind.pod_sets[0].count == "replicas x hosts?0");
  CHECK(kind.pod_sets[1].name == "driver");
  CHECK(kind.failed.size() == 2);
  CHECK(kind.stopped.size() == 1);
  CHECK(kind.cleared == R"({"running":0,"old":null})");
  const auto again = Parse(View(*parsed), "/etc/f.yaml");
  REQUIRE(again);
  CHECK(again->kinds == parsed->kinds);
}

TEST_CASE("what is wrong with an entry of kinds has its place and its reason") {
  CHECK(ProblemsOf("- {kind: Run, plural: runs}\n") ==
        "f.yaml:5:3: kinds[0].apiVersion: is required (write apiVersion: example.com/v1)");
  CHECK(
      ProblemsOf("- {apiVersion: v1, kind: run, plural: Runs}\n") ==
      "f.yaml:5:16: kinds[0].apiVersion: \"v1\" is not a group with its version (such as "
      "example.com/v1)\n"
      "f.yaml:5:26: kinds[0].kind: \"run\" is not the name of a type (letters and digits, the "
      "first an upper-case letter)\n"
      "f.yaml:5:39: kinds[0].plural: \"Runs\" is not a DNS-1123 label (lower-case letters, digits "
      "and \"-\", starting and ending with a letter or digit; at most 63)");
  CHECK(ProblemsWith("suspend: 'spec.parts[*].suspend'") ==
        "f.yaml:5:66: kinds[0].suspend: \"spec.parts[*].suspend\" does not name one field of the "
        "spec (such as spec.managedBy, without brackets)");
  CHECK(ProblemsWith("managedBy: status.by").find("does not name one field of the spec") !=
        std::string::npos);
  CHECK(ProblemsWith("stripped: ['spec.a[b']")
            .find("kinds[0].stripped[0]: \"spec.a[b\" is no path") != std::string::npos);
  CHECK(ProblemsWith("succeeded: [done]").find("kinds[0].succeeded[0]: \"done\" is no test") !=
        std::string::npos);
  CHECK(ProblemsWith("active: ['a=b and c=d'], cleared: {a: 1}").find("is more than one test") !=
        std::string::npos);
  CHECK(ProblemsWith("active: ['a>0']").find("nothing takes this out of the status") !=
        std::string::npos);
  CHECK(ProblemsWith("cleared: [1]").find("kinds[0].cleared: must be a map, not a list") !=
        std::string::npos);
  CHECK(ProblemsWith("podSets: [{at: spec.a}]").find("kinds[0].podSets[0]: has no name") !=
        std::string::npos);
  CHECK(ProblemsWith("podSets: [{at: spec.a, name: a, count: 'x?y'}]").find("after \"?\" comes") !=
        std::string::npos);
  CHECK(ProblemsOf("- {apiVersion: ray.io/v2, kind: RayJob, plural: rayjobs}\n") ==
        "f.yaml:5:33: kinds[0].kind: RayJob is built in, with rules that an entry cannot have "
        "(remove the entry)");
  CHECK(
      ProblemsOf("- {apiVersion: a.b/v1, kind: Run, plural: runs}\n"
                 "- {apiVersion: a.b/v2, kind: Run, plural: runs}\n") ==
      "f.yaml:6:30: kinds[1].kind: is the same kind as that of kinds[0] (one entry for each group "
      "and kind)");
}

}  // namespace fedra::config::kinds_test
