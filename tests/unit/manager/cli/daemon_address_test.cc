// --server: where a daemon is asked, and as whom.

#include "manager/cli/daemon_address.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::cli::daemon_address_test {

namespace {

// `user`: of the one context there is, as YAML.
std::string Kubeconfig(const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
         "clusters: [{name: c, cluster: {server: \"https://manager:6443\"}}]\n"
         "contexts: [{name: here, context: {cluster: c, user: u}}]\n"
         "users: [{name: u, user: {" +
         user + "}}]\n";
}

std::string ErrorOf(const ServerOptions& options) {
  const auto address = AddressIn(options);
  REQUIRE(!address);
  return address.error().message;
}

}  // namespace

TEST_CASE("a Unix socket needs no user") {
  const DaemonAddress address = AddressIn({.server = "unix:/run/fedra/fedra.sock"}).value();
  CHECK(address.socket == "/run/fedra/fedra.sock");
  CHECK(address.Name() == "/run/fedra/fedra.sock");
  CHECK_THAT(ErrorOf({.server = "unix:/s", .token_file = "t"}), ContainsSubstring("needs none"));
}

TEST_CASE("an address that is none says which there are") {
  for (const char* const wrong : {"unix:", "/run/fedra.sock", "http://h", "https://", "h:8443",
                                  "service:", "service:/fedra", "service:ml/"}) {
    INFO(wrong);
    CHECK_THAT(ErrorOf({.server = wrong}),
               ContainsSubstring("unix:PATH") && ContainsSubstring("https://HOST:PORT"));
  }
}

TEST_CASE("over TLS the user is the token's, of a file or of the kubeconfig") {
  const TempFolder folder;
  const std::string url = "https://fedra.example:8443";
  SECTION("a file, which need not be there yet") {
    const DaemonAddress address = AddressIn({.server = url + "/",
                                             .token_file = folder.Path("token"),
                                             .certificate_authority = folder.Write("ca.crt", "PEM"),
                                             .tls_server_name = "fedra"})
                                      .value();
    CHECK(address.socket.empty());
    CHECK(address.url == url);
    CHECK(address.Name() == url);
    CHECK(address.ca_pem == "PEM");
    CHECK(address.tls_server_name == "fedra");
    CHECK(address.user.token_file == folder.Path("token"));
  }
  SECTION("the kubeconfig's token, and nothing else of its cluster") {
    const std::string file = folder.Write("config", Kubeconfig("token: of-me"));
    const DaemonAddress address =
        AddressIn({.server = url, .context = {.kubeconfig = file}}).value();
    CHECK(address.url == url);
    CHECK(address.ca_pem.empty());
    CHECK(address.user.token == "of-me");
  }
  SECTION("a credential plugin's, which is told the API server's address") {
    const std::string file = folder.Write(
        "config", Kubeconfig("exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/"
                             "true, interactiveMode: Never}"));
    const DaemonAddress address =
        AddressIn({.server = url, .context = {.kubeconfig = file}}).value();
    CHECK(address.user.exec.size() == 1);
    CHECK(address.user.server == "https://manager:6443");
  }
  SECTION("without a token it says how to get one") {
    const std::string file = folder.Write("config", Kubeconfig("username: u, password: p"));
    CHECK_THAT(ErrorOf({.server = url, .context = {.kubeconfig = file}}),
               ContainsSubstring("context here has no token") &&
                   ContainsSubstring("kubectl create token"));
  }
  SECTION("files that are not there") {
    CHECK_THAT(
        ErrorOf({.server = url, .context = {.kubeconfig = folder.Path("none")}}),
        ContainsSubstring("your token is to be read from a kubeconfig, " + folder.Path("none")) &&
            ContainsSubstring("by --token-file"));
    CHECK_THAT(
        ErrorOf({.server = url, .token_file = "t", .certificate_authority = folder.Path("none")}),
        ContainsSubstring(folder.Path("none")));
  }
}

}  // namespace fedra::cli::daemon_address_test
