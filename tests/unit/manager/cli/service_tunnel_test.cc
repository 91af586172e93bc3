// The way to fedra's Service, with a kubectl that says what a test wants.

#include "manager/cli/service_tunnel.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

#include "manager/cli/daemon_address.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"

namespace fedra::cli::service_tunnel_test {

namespace {

std::string Service(const std::string& ns, const std::string& name, const std::string& label,
                    const std::string& ports) {
  return R"({"metadata":{"namespace":")" + ns + R"(","name":")" + name +
         R"(","labels":{"app.kubernetes.io/name":")" + label + R"("}},"spec":{"ports":[)" + ports +
         "]}}";
}
std::string List(const std::string& items) { return R"({"kind":"List","items":[)" + items + "]}"; }

constexpr const char* kBoth = R"({"name":"http","port":9480},{"name":"https","port":8443})";
constexpr const char* kPlain = R"({"name":"http","port":9480})";

std::string ErrorOf(const std::string& list, const ServiceChoice& choice = {}) {
  const auto found = ApiServiceIn(list, choice);
  REQUIRE(!found);
  return found.error().message;
}

// A program called kubectl, before all others in PATH.
struct Kubectl {
  explicit Kubectl(const std::string& script) : path(std::getenv("PATH")) {
    const std::string file = folder.Write("kubectl", "#!/bin/sh\n" + script);
    REQUIRE(::chmod(file.c_str(), 0755) == 0);
    REQUIRE(::setenv("PATH", (folder.Path("") + ":" + path).c_str(), 1) == 0);
  }
  ~Kubectl() { ::setenv("PATH", path.c_str(), 1); }
  std::string Said(const char* name) const {
    std::ifstream file(folder.Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const TempFolder folder;
  const std::string path;
};

const ApiService kFedra{"fedra-system", "fedra", 8443};

}  // namespace

TEST_CASE("of the cluster's Services fedra's is the one with its label and a port for the API") {
  const std::string fedra = Service("fedra-system", "fedra", "fedra", kBoth);
  const std::string other = Service("ml", "web", "web", kBoth);
  CHECK(ApiServiceIn(List(other + "," + fedra), {}).value() == kFedra);
  CHECK(ApiServiceIn(List(other + "," + fedra), {"ml", "web"}).value() ==
        ApiService{"ml", "web", 8443});
  CHECK_THAT(ErrorOf(List(other)), ContainsSubstring("service:NAMESPACE/NAME"));
  CHECK_THAT(ErrorOf(List(Service("a", "f", "fedra", kPlain))),
             ContainsSubstring("the Service a/f has no port called https") &&
                 ContainsSubstring("secureApi.enabled"));
  CHECK_THAT(ErrorOf(List(fedra + "," + Service("b", "fedra", "fedra", kBoth))),
             ContainsSubstring("one of fedra-system/fedra, b/fedra"));
  CHECK_THAT(ErrorOf(List(fedra), {"fedra-system", "none"}),
             ContainsSubstring("there is no Service fedra-system/none"));
  for (const char* broken :
       {"", "[]", "{}", R"({"items":{}})", R"({"items":[3]})", R"({"items":[{"metadata":7}]})",
        R"({"items":[{"metadata":{"labels":["x"],"name":1},"spec":2}]})",
        R"({"items":[{"metadata":{"labels":{"app.kubernetes.io/name":"fedra"}},
                                 "spec":{"ports":[5,{"name":2},{"name":"https","port":"8443"}]}}]})"})
    CHECK(!ApiServiceIn(broken, {}));
}

TEST_CASE("kubectl's line says which port it has taken") {
  CHECK(ForwardedPort("Forwarding from 127.0.0.1:41234 -> 8443") == 41234);
  for (const char* other :
       {"Forwarding from [::1]:41234 -> 8443", "Forwarding from 127.0.0.1: -> 1", "",
        "Forwarding from 127.0.0.1:70000 -> 1", "Handling connection for 41234",
        "Forwarding from 127.0.0.1:4123"})
    CHECK(ForwardedPort(other) == 0);
}

TEST_CASE("without a name the Service is looked for in fedra's usual namespace alone") {
  const Kubectl kubectl("echo \"$@\" >> $(dirname $0)/asked\necho '" +
                        List(Service("fedra-system", "fedra", "fedra", kBoth)) + "'");
  CHECK(FindApiService({}, {.kubeconfig = "/k", .context = "c"}).value() == kFedra);
  CHECK(kubectl.Said("asked") ==
        "--kubeconfig=/k --context=c get services --namespace=fedra-system --output=json\n");
}

TEST_CASE("without the right to look for the Service it is said which right that is") {
  const Kubectl kubectl("echo 'Error from server (Forbidden): no services for you' >&2; exit 1");
  const auto found = FindApiService({}, {});
  REQUIRE(!found);
  CHECK(found.error().code == ErrorCode::kForbidden);
  CHECK_THAT(found.error().message, ContainsSubstring("no services for you"));
}

TEST_CASE("the tunnel stays as long as it is held, and kubectl ends with it") {
  const Kubectl kubectl(
      "echo \"$@\" > $(dirname $0)/asked; echo $$ > $(dirname $0)/pid\n"
      "echo 'Forwarding from 127.0.0.1:4242 -> 8443'\n"
      "while :; do echo Handling connection for 4242; sleep 0.01; done");
  {
    const auto tunnel = ServiceTunnel::Open(kFedra, {.kubeconfig = {}, .context = "c"});
    REQUIRE(tunnel);
    CHECK((*tunnel)->port() == 4242);
    CHECK(kubectl.Said("asked") ==
          "--context=c port-forward --address=127.0.0.1 --namespace=fedra-system service/fedra "
          ":8443\n");
    CHECK(::kill(std::stoi(kubectl.Said("pid")), 0) == 0);
  }
  CHECK(::kill(std::stoi(kubectl.Said("pid")), 0) != 0);
}

TEST_CASE("what kubectl has against a tunnel is said") {
  {
    const Kubectl kubectl(
        "echo 'error: unable to forward port because pod is not running' >&2; exit 1");
    const auto tunnel = ServiceTunnel::Open(kFedra, {});
    REQUIRE(!tunnel);
    CHECK_THAT(tunnel.error().message,
               ContainsSubstring("fedra-system/fedra") && ContainsSubstring("pod is not running"));
  }
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const auto tunnel = ServiceTunnel::Open(kFedra, {});
  const auto service = FindApiService({}, {});
  ::setenv("PATH", path.c_str(), 1);
  REQUIRE((!tunnel && !service));
  CHECK_THAT(tunnel.error().message, ContainsSubstring("kubectl is not in PATH"));
  CHECK_THAT(service.error().message, ContainsSubstring("kubectl is not in PATH"));
}

TEST_CASE("--server service is asked as the kubeconfig's user, through the tunnel") {
  const Kubectl kubectl(
      "case \"$*\" in\n"
      "*get*) echo '" +
      List(Service("fedra-system", "fedra", "fedra", kBoth)) +
      "';;\n"
      "*) echo 'Forwarding from 127.0.0.1:4242 -> 8443'; exec sleep 60;;\n"
      "esac");
  const TempFolder folder;
  const std::string file =
      folder.Write("config",
                   "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
                   "clusters: [{name: c, cluster: {server: \"https://manager:6443\"}}]\n"
                   "contexts: [{name: here, context: {cluster: c, user: u}}]\n"
                   "users: [{name: u, user: {token: of-me}}]\n");
  ServerOptions options{.server = "service", .context = {.kubeconfig = file}};
  const DaemonAddress found = AddressIn(options).value();
  CHECK(found.url == "https://127.0.0.1:4242");
  CHECK(found.user.token == "of-me");
  CHECK(found.tls_server_name == "fedra.fedra-system.svc");
  CHECK(found.trusts_tunnel);
  CHECK(found.Name() == "the Service fedra-system/fedra");
  options.server = "service:fedra-system/fedra";
  options.certificate_authority = folder.Write("ca.crt", "PEM");
  const DaemonAddress verified = AddressIn(options).value();
  CHECK_FALSE(verified.trusts_tunnel);
  CHECK(verified.ca_pem == "PEM");
}

}  // namespace fedra::cli::service_tunnel_test
