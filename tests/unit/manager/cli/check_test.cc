// The whole of `fedra check`: manifests and a snapshot in, text and exit code out.

#include <sstream>

#include <nlohmann/json.hpp>

#include "manager/cli/commands.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/cli/raw_cluster.h"

namespace fedra::cli {
namespace {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran Check(const std::string& manifests, const std::string& format = "table",
          const RawCluster& cluster = MakeCluster()) {
  const TempFolder folder;
  CheckOptions options;
  options.files = {folder.Write("job.yaml", manifests)};
  options.snapshot = folder.Write("fleet.json", ToText(Record(cluster)));
  options.ns = "ml";
  options.format = format;
  std::ostringstream out;
  std::ostringstream err;
  Terminal terminal{.out = out, .err = err};
  const int code = Check(options, terminal);
  return {code, out.str(), err.str()};
}

// As flow YAML; `devices` are those of a claim.
std::string ClaimTemplate(const std::string& name, const std::string& devices) {
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: " +
         name + "}\nspec: {spec: {devices: " + devices + "}}\n";
}

const std::string kOneGpu = "{requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}";

TEST_CASE("check without a job: manifests are looked at, and nobody can take it for a verdict") {
  const Ran good = Check(ClaimTemplate("mine", kOneGpu));
  CHECK(good.code == 0);
  CHECK(good.out ==
        "no job in the input: nothing was placed; 1 manifest looked at, no mistake found\n");
  const Ran wrong = Check(ClaimTemplate("mine", "{requests: [{name: gpu}]}"));
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.out,
             ContainsSubstring("\nno job in the input: nothing was placed; 1 manifest looked at, "
                               "mistakes found\n"));
  const json report = Parsed(Check(ClaimTemplate("mine", kOneGpu), "json").out);
  CHECK(report["items"].empty());
  CHECK_THAT(report["note"].get<std::string>(), ContainsSubstring("nothing was placed"));
}

TEST_CASE("check of nothing is an error") {
  for (const char* nothing : {"", "# nothing yet\n", "---\n"}) {
    const Ran ran = Check(nothing);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, ContainsSubstring("job.yaml: is empty: there is nothing to check\n"));
  }
  const Ran other = Check("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n");
  CHECK(other.code == 1);
  CHECK_THAT(other.err, ContainsSubstring("job.yaml: has nothing that can be checked\n"));
  CHECK_THAT(other.err, ContainsSubstring("\"v1, Kind=ConfigMap\" is no job"));
}

}  // namespace
}  // namespace fedra::cli
