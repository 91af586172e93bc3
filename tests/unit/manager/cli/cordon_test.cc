// fedra cordon, drain and uncordon on a simulated manager.

#include "manager/cli/cordon.h"

#include <sstream>

#include <nlohmann/json.hpp>

#include "manager/cli/commands.h"
#include "tests/sim/server.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::cli::cordon_test {
namespace {

using nlohmann::json;

const std::string kKueue = "/apis/kueue.x-k8s.io/v1beta2/";

struct CordonFixture {
  CordonFixture() { options.manager.kubeconfig = folder.Write("kubeconfig", manager.Kubeconfig()); }

  void Create(const std::string& resource, const json& object) {
    const sim::Reply reply = manager.Call("POST", kKueue + resource, object.dump());
    INFO(reply.body);
    REQUIRE(reply.status == 201);
  }
  // With a MultiKueueConfig of these workers, or, without any, of all that fedra is configured
  // with.
  void AddCheck(const std::vector<std::string>& workers, const json& annotations = json::object()) {
    json spec = {{"controllerName", "fedra.dev/federation"}};
    if (!workers.empty()) {
      Create("multikueueconfigs",
             {{"metadata", {{"name", "fleet"}}}, {"spec", {{"clusters", workers}}}});
      spec["parameters"] = {
          {"apiGroup", "kueue.x-k8s.io"}, {"kind", "MultiKueueConfig"}, {"name", "fleet"}};
    }
    Create("admissionchecks",
           {{"metadata", {{"name", "fedra"}, {"annotations", annotations}}}, {"spec", spec}});
  }
  // A daemon here, with these workers.
  void Configure(const std::vector<std::string>& workers) {
    std::string text =
        "apiVersion: fedra.dev/v1alpha1\nkind: Configuration\nmanager: {kubeconfig: " +
        folder.Path("kubeconfig") + "}\nstore: {path: " + folder.Path("fedra.db") + "}\nworkers:\n";
    std::vector<std::unique_ptr<sim::Server>> servers;  // each with a port of its own
    for (const std::string& name : workers) {
      servers.push_back(std::make_unique<sim::Server>(sim::ServerOptions{.name = name}));
      text += "  - {name: " + name +
              ", kubeconfig: " + folder.Write(name, servers.back()->Kubeconfig()) + "}\n";
    }
    options.config = folder.Write("fedra.yaml", text);
  }
  json Annotations() {
    const json object = json::parse(manager.Call("GET", kKueue + "admissionchecks/fedra").body);
    return object["metadata"].value("annotations", json::object());
  }
  int Run(Service wanted, const std::string& worker) {
    options.wanted = wanted;
    options.worker = worker;
    std::ostringstream out, text;
    Terminal terminal{out, text};
    const int code = Cordon(options, terminal);
    err = text.str();
    return code;
  }

  const TempFolder folder;
  sim::Server manager{{.name = "manager"}};
  CordonOptions options;
  std::string err;
};

// By whom the workers are named.
enum class Named { kByCheck, kByDaemon, kByNone };

}  // namespace

TEST_CASE_METHOD(CordonFixture, "a worker that there is not is neither cordoned nor put back") {
  const Named named = GENERATE(Named::kByCheck, Named::kByDaemon, Named::kByNone);
  const Service wanted = GENERATE(Service::kCordoned, Service::kDrained, Service::kRestored);
  CAPTURE(named, wanted);
  AddCheck(named == Named::kByCheck ? std::vector<std::string>{"gpu-east", "gpu-west"}
                                    : std::vector<std::string>{});
  if (named == Named::kByDaemon) Configure({"gpu-east", "gpu-west"});
  const bool is_known = named != Named::kByNone;
  CHECK(Run(wanted, "gpu-wst") == (is_known ? kFailed : 0));
  if (is_known) {
    CHECK_THAT(err, ContainsSubstring("there is no worker gpu-wst; did you mean gpu-west?"));
  } else if (wanted != Service::kRestored) {
    CHECK_THAT(err, ContainsSubstring("whether there is a worker gpu-wst is not known"));
  }
  CHECK(Annotations().empty() == (is_known || wanted == Service::kRestored));
  CHECK(Run(wanted, "gpu-west") == 0);
  CHECK_THAT(err, !ContainsSubstring("no worker"));
}

TEST_CASE_METHOD(CordonFixture, "the cordon of a worker that was removed can be taken away") {
  const bool by_check = GENERATE(true, false);
  CAPTURE(by_check);
  AddCheck(by_check ? std::vector<std::string>{"gpu-east"} : std::vector<std::string>{},
           {{"cordon.fedra.dev/gpu-old", "new disks"}});
  if (!by_check) Configure({"gpu-east"});
  CHECK(Run(Service::kDrained, "gpu-old") == 0);
  CHECK_THAT(err, ContainsSubstring("there is no worker gpu-old any more: fedra uncordon gpu-old"));
  CHECK(Run(Service::kRestored, "gpu-old") == 0);
  CHECK(err ==
        "there is no worker gpu-old any more; its cordon is removed (AdmissionCheck fedra)\n");
  CHECK(Annotations().empty());
  CHECK(Run(Service::kRestored, "gpu-old") == kFailed);
}

}  // namespace fedra::cli::cordon_test
