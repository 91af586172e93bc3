#include "config/kubeconfig.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

namespace fedra::config::kubeconfig_test {
namespace {

using namespace std::chrono_literals;
using test::Base64;
using test::KeyPair;
using test::MakeCertificate;
using test::Now;
using test::Text;

constexpr auto kDay = 24h;

// One certificate for all cases: making a key takes longer than everything else here.
const KeyPair& Valid() {
  static const KeyPair pair = MakeCertificate("fedra-test", Now() - kDay, Now() + 365 * kDay);
  return pair;
}

// A kubeconfig of one context whose cluster and user are given as flow maps.
std::string Config(const std::string& cluster, const std::string& user) {
  return fmt::format(
      "apiVersion: v1\nkind: Config\ncurrent-context: main\n"
      "contexts: [{{name: main, context: {{cluster: c, user: u}}}}]\n"
      "clusters:\n- name: c\n  cluster: {}\n"
      "users:\n- name: u\n  user: {}\n",
      cluster, user);
}

struct Case {
  std::string cluster = "{server: \"https://10.0.0.1:6443\"}";
  std::string user = "{}";
  std::string problems;  // expected; also warnings when the access is usable
};

class Fixture {
 protected:
  ClusterAccess Read(const std::string& text, const std::string& context = "",
                     bool allow_insecure = false) {
    return ReadKubeconfig(folder_.Write("kubeconfig", text), {context, allow_insecure, Now()});
  }
  // Problems, or "ok" and the warnings.
  std::string Outcome(const ClusterAccess& access) const {
    if (!access) return Text(access.error().problems, folder_);
    const std::string warnings = Text(access->warnings, folder_);
    return warnings.empty() ? "ok" : "ok\n" + warnings;
  }
  void Check(const std::vector<Case>& cases, bool allow_insecure = false) {
    for (const Case& row : cases) {
      INFO(row.cluster << " " << row.user);
      CHECK(Outcome(Read(Config(row.cluster, row.user), "", allow_insecure)) == row.problems);
    }
  }

  const TempFolder folder_;
};

TEST_CASE_METHOD(Fixture, "inline data is decoded and everything arrives") {
  const auto access =
      Read(Config(fmt::format("{{server: \"https://api.example.com:6443/prefix/\", "
                              "tls-server-name: kube.internal, proxy-url: "
                              "\"socks5://proxy:1080\", certificate-authority-data: {}}}",
                              Base64(Valid().certificate_pem)),
                  fmt::format("{{client-certificate-data: {}, client-key-data: {}}}",
                              Base64(Valid().certificate_pem), Base64(Valid().key_pem))));
  INFO(Outcome(access));
  REQUIRE(access);
  CHECK(access->server == "https://api.example.com:6443/prefix");
  CHECK(access->tls_server_name == "kube.internal");
  CHECK(access->proxy_url == "socks5://proxy:1080");
  CHECK(access->ca_pem == Valid().certificate_pem);
  CHECK(access->client_certificate_pem == Valid().certificate_pem);
  CHECK(access->client_key_pem == Valid().key_pem);
  CHECK(access->credential_times->expires == Now() + 365 * kDay);
  CHECK(access->context == "main");
  CHECK(access->files == std::vector<std::string>{folder_.Path("kubeconfig")});
  CHECK(access->warnings.empty());
  CHECK(Summary(*access) == "https://api.example.com:6443/prefix (client certificate)");
}

TEST_CASE_METHOD(Fixture, "files are read from the kubeconfig's folder and listed") {
  std::filesystem::create_directory(folder_.Path("pki"));
  folder_.Write("pki/ca.pem", Valid().certificate_pem);
  folder_.Write("both.pem", Valid().certificate_pem + Valid().key_pem);
  folder_.Write("word", "abc\n");
  const auto access =
      Read(Config("{server: \"https://h\", certificate-authority: pki/ca.pem}",
                  "{client-certificate: both.pem, client-key: ./both.pem, tokenFile: word}"));
  INFO(Outcome(access));
  REQUIRE(access);
  CHECK(access->ca_pem == Valid().certificate_pem);
  CHECK(access->token.empty());
  CHECK(access->token_file == folder_.Path("word"));
  CHECK(access->files == std::vector<std::string>{folder_.Path("kubeconfig"),
                                                  folder_.Path("pki/ca.pem"),
                                                  folder_.Path("both.pem"),
                                                  folder_.Path("both.pem"), folder_.Path("word")});
}

TEST_CASE_METHOD(Fixture, "a JSON kubeconfig is read like a YAML one") {
  const auto access = Read(
      "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"clusters\":[{\"name\":\"c\",\"cluster\":{"
      "\"server\":"
      "\"https://"
      "h:1\"}}],\n\t\"contexts\":[{\"name\":\"x\",\"context\":{\"cluster\":\"c\",\"user\":\"u\"}}],"
      "\"users\":[{\"name\":\"u\",\"user\":{\"username\":\"me\",\"password\":\"p:w\"}}],"
      "\"preferences\":{}}",
      "x");
  INFO(Outcome(access));
  REQUIRE(access);
  CHECK(access->username == "me");
  CHECK(access->password == "p:w");
  CHECK(Summary(*access) == "https://h:1 (user name and password)");
}

TEST_CASE_METHOD(Fixture, "an exec plugin is taken over") {
  folder_.Write("login", "#!/bin/sh\n");
  std::filesystem::permissions(folder_.Path("login"), std::filesystem::perms::owner_all);
  const auto access = Read(
      Config("{server: \"https://h\"}",
             "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, args: [token, "
             "\"1\"], env: "
             "[{name: REGION, value: east}], installHint: see the wiki, provideClusterInfo: true, "
             "interactiveMode: IfAvailable}}"));
  INFO(Outcome(access));
  REQUIRE(access);
  REQUIRE(access->exec);
  CHECK(access->exec->api_version == "client.authentication.k8s.io/v1");
  CHECK(access->exec->command == folder_.Path("login"));
  CHECK(access->exec->args == std::vector<std::string>{"token", "1"});
  CHECK(access->exec->env == std::vector<ExecVariable>{{"REGION", "east"}});
  CHECK(access->exec->install_hint == "see the wiki");
  CHECK(access->exec->provide_cluster_info);
  CHECK(Summary(*access) == "https://h (exec plugin)");
}

TEST_CASE_METHOD(Fixture, "what the cluster tells its plugin is an extension of that name") {
  const auto access =
      Read(Config("{server: \"https://h\", extensions: [{name: other, extension: {a: 1}}, {name: "
                  "client.authentication.k8s.io/exec, extension: {audience: east, ids: [1]}}]}",
                  "{exec: {apiVersion: client.authentication.k8s.io/v1, command: aws}}"));
  REQUIRE(access);
  CHECK(access->exec_cluster_config == R"({"audience":"east","ids":[1]})");
}

TEST_CASE_METHOD(Fixture, "a command without a slash is left to PATH") {
  const auto access =
      Read(Config("{server: \"https://h\"}",
                  "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws}}"));
  REQUIRE(access);
  CHECK(access->exec->command == "aws");
}

TEST_CASE_METHOD(Fixture, "contexts") {
  const std::string text =
      "contexts:\n"
      "- {name: a, context: {cluster: one, user: u}}\n"
      "- {name: b, context: {cluster: two}}\n"
      "- {name: lost, context: {cluster: nowhere, user: nobody}}\n"
      "- {name: bare, context: {}}\n"
      "- {name: hollow}\n"
      "clusters:\n"
      "- {name: one, cluster: {server: \"https://one\"}}\n"
      "- {name: two, cluster: {server: \"https://two\"}}\n"
      "users: [{name: u, user: {token: abc}}]\n";
  SECTION("the asked-for one wins over current-context") {
    const auto access = Read("current-context: a\n" + text, "b");
    REQUIRE(access);
    CHECK(Summary(*access) == "https://two (anonymous)");
  }
  SECTION("current-context is the default") {
    const auto access = Read("current-context: a\n" + text);
    REQUIRE(access);
    CHECK(Summary(*access) == "https://one (token)");
  }
  SECTION("none at all") {
    CHECK(Outcome(Read(text)) ==
          "DIR/kubeconfig:1:1: current-context: is not set, and no context was asked for (known: "
          "a, b, lost, bare, "
          "hollow)");
  }
  SECTION("an unknown one") {
    CHECK(Outcome(Read(text, "c")) ==
          "DIR/kubeconfig:2:1: contexts: no context \"c\" (known: a, b, lost, bare, hollow)");
  }
  SECTION("one that leads nowhere") {
    CHECK(Outcome(Read(text, "lost")) ==
          "DIR/kubeconfig:8:1: clusters: no cluster \"nowhere\" (known: one, two)\n"
          "DIR/kubeconfig:10:8: users: no user \"nobody\" (known: u)");
    CHECK(Outcome(Read(text, "bare")) ==
          "DIR/kubeconfig:5:25: contexts[3].context.cluster: is required");
    CHECK(Outcome(Read(text, "hollow")) == "DIR/kubeconfig:6:3: contexts[4].context: is required");
  }
}

TEST_CASE_METHOD(Fixture, "files that are no kubeconfig") {
  CHECK(Outcome(Read("")) == "DIR/kubeconfig: is empty");
  CHECK(Outcome(Read("- a\n")) == "DIR/kubeconfig:1:1: must be a map, not a list");
  CHECK(Outcome(Read("a: 1\n---\nb: 2\n")) == "DIR/kubeconfig: has more than one document");
  CHECK(Outcome(Read("<html><body>Log in</body></html>\n")) ==
        "DIR/kubeconfig:1:1: must be a map, not a string");
  CHECK(Outcome(Read("a: [\n")) ==
        "DIR/kubeconfig:2:1: not valid YAML: end of sequence flow not found (check the "
        "indentation (spaces, no tabs), brackets and quotes)");
  CHECK(
      Outcome(Read("apiVersion: fedra.dev/v1alpha1\nkind: Configuration\ncurrent-context: a\n")) ==
      "DIR/kubeconfig:2:7: kind: must be Config (is this a kubeconfig?)\n"
      "DIR/kubeconfig:1:13: apiVersion: must be v1\n"
      "DIR/kubeconfig:1:1: contexts: no context \"a\" (contexts is empty)");
  CHECK(Outcome(Read("current-context: [a]\ncontexts: x\n")) ==
        "DIR/kubeconfig:1:18: current-context: must be a string, not a list\n"
        "DIR/kubeconfig:1:18: current-context: is not set, and no context was asked for (contexts "
        "is empty)");
  CHECK(Outcome(Read("contexts: x\n", "a")) == "DIR/kubeconfig:1:11: contexts: must be a list");
}

TEST_CASE_METHOD(Fixture, "files that cannot be read") {
  const auto outcome = [&](const std::string& path) {
    return Outcome(ReadKubeconfig(path, {"", false, Now()}));
  };
  CHECK(outcome(folder_.Path("none")) == "DIR/none: no such file");
  CHECK(outcome(folder_.path().string()) == "DIR: not a regular file");
  CHECK(outcome("/dev/null") == "/dev/null: not a regular file");
  CHECK(outcome(folder_.Write("big", std::string((size_t{16} << 20) + 1, ' '))) ==
        "DIR/big: larger than 16384 KiB");
}

TEST_CASE_METHOD(Fixture, "problems of a cluster entry") {
  const KeyPair expired = MakeCertificate("old-ca", Now() - 10 * kDay, Now() - kDay);
  folder_.Write("empty", "");
  folder_.Write("garbage", "nothing of the kind\n");
  folder_.Write("mixed", Valid().certificate_pem + expired.certificate_pem);
  const std::string cut = Valid().certificate_pem.substr(0, 200) + "\n-----END CERTIFICATE-----\n";
  folder_.Write("cut", cut);
  Check({
      {.cluster = "{}",
       .problems =
           "DIR/kubeconfig:7:12: clusters[0].cluster.server: is required (https://host:port)"},
      {.cluster = "{server: \"10.0.0.1:6443\"}",
       .problems = "DIR/kubeconfig:7:21: clusters[0].cluster.server: is not an address "
                   "(https://host:port, without "
                   "user or query)"},
      {.cluster = "{server: \"https://u:p@h\"}",
       .problems = "DIR/kubeconfig:7:21: clusters[0].cluster.server: is not an address "
                   "(https://host:port, without "
                   "user or query)"},
      {.cluster = "{server: \"https://h:99999\"}",
       .problems = "DIR/kubeconfig:7:21: clusters[0].cluster.server: is not an address "
                   "(https://host:port, without "
                   "user or query)"},
      {.cluster = "{server: \"http://h\"}",
       .problems = "DIR/kubeconfig:7:21: clusters[0].cluster.server: plain http sends credentials "
                   "in the clear (use "
                   "https, or set allowInsecure: true for this worker)"},
      {.cluster = "{server: 7}",
       .problems = "DIR/kubeconfig:7:21: clusters[0].cluster.server: must be a string, not a "
                   "number (put it in "
                   "quotes)\nDIR/kubeconfig:7:21: clusters[0].cluster.server: is required "
                   "(https://host:port)"},
      {.cluster = "{server: \"https://h\", server: \"https://i\"}",
       .problems =
           "DIR/kubeconfig:7:34: clusters[0].cluster: has a key twice (remove one of them)"},
      {.cluster = "{server: \"https://h\", proxy-url: \"ftp://p\"}",
       .problems = "DIR/kubeconfig:7:45: clusters[0].cluster.proxy-url: is not the address of a "
                   "proxy (http, https "
                   "or socks5://host:port)"},
      {.cluster = "{server: \"https://h\", proxy-url: \"http://me:secret@p:3128\"}",
       .problems = "ok"},
      {.cluster = "{server: \"https://h\", tls-server-name: \"a b\"}",
       .problems = "DIR/kubeconfig:7:51: clusters[0].cluster.tls-server-name: is not a host name"},
      {.cluster = "{server: \"https://h\", certificate-authority-data: \"***\"}",
       .problems = "DIR/kubeconfig:7:62: clusters[0].cluster.certificate-authority-data: is not "
                   "base64 (base64 -w0 "
                   "FILE)"},
      {.cluster = "{server: \"https://h\", certificate-authority-data: " + Base64("no pem") + "}",
       .problems = "DIR/kubeconfig:7:62: clusters[0].cluster.certificate-authority-data: holds no "
                   "PEM certificate"},
      {.cluster = "{server: \"https://h\", certificate-authority: nowhere/ca.pem}",
       .problems = "DIR/kubeconfig:7:57: clusters[0].cluster.certificate-authority: "
                   "DIR/nowhere/ca.pem: no such file"},
      {.cluster = "{server: \"https://h\", certificate-authority: empty}",
       .problems = "DIR/kubeconfig:7:57: clusters[0].cluster.certificate-authority: DIR/empty: the "
                   "file is empty"},
      {.cluster = "{server: \"https://h\", certificate-authority: garbage}",
       .problems = "DIR/kubeconfig:7:57: clusters[0].cluster.certificate-authority: holds no PEM "
                   "certificate"},
      {.cluster = "{server: \"https://h\", certificate-authority: cut}",
       .problems = "DIR/kubeconfig:7:57: clusters[0].cluster.certificate-authority: holds no PEM "
                   "certificate"},
      {.cluster = "{server: \"https://h\", certificate-authority: mixed}",
       .problems = "ok\nDIR/kubeconfig:7:57: clusters[0].cluster.certificate-authority: CA "
                   "certificate CN=old-ca "
                   "expired on 2026-05-31T00:00:00Z (get the cluster's present CA)"},
      {.cluster = "{server: \"https://h\", certificate-authority-data: " +
                  Base64(expired.certificate_pem) + "}",
       .problems = "DIR/kubeconfig:7:62: clusters[0].cluster.certificate-authority-data: CA "
                   "certificate CN=old-ca "
                   "expired on 2026-05-31T00:00:00Z (get the cluster's present CA)"},
      {.cluster =
           "{server: \"https://h\", certificate-authority: garbage, certificate-authority-data: " +
           Base64(Valid().certificate_pem) + "}",
       .problems = "ok\nDIR/kubeconfig:7:57: clusters[0].cluster.certificate-authority: is not "
                   "used, because "
                   "certificate-authority-data is there too"},
      {.cluster = "{server: \"https://h\", insecure-skip-tls-verify: true}",
       .problems =
           "DIR/kubeconfig:7:60: clusters[0].cluster.insecure-skip-tls-verify: is refused, "
           "because others "
           "on the network could read the credentials (give certificate-authority-data, or set "
           "allowInsecure: "
           "true for this worker)"},
      {.cluster = "{server: \"https://h\", insecure-skip-tls-verify: \"true\"}",
       .problems = "DIR/kubeconfig:7:60: clusters[0].cluster.insecure-skip-tls-verify: must be a "
                   "boolean, not a "
                   "string"},
  });
}

TEST_CASE_METHOD(Fixture, "allowInsecure permits, and leaves a warning") {
  folder_.Write("ca", Valid().certificate_pem);
  Check(
      {
          {.cluster = "{server: \"http://h\"}",
           .problems = "ok\nDIR/kubeconfig:7:21: clusters[0].cluster.server: plain http: "
                       "credentials are sent in the "
                       "clear"},
          {.cluster = "{server: \"https://h\", insecure-skip-tls-verify: true}",
           .problems = "ok\nDIR/kubeconfig:7:60: clusters[0].cluster.insecure-skip-tls-verify: the "
                       "server's "
                       "certificate is not verified"},
          {.cluster =
               "{server: \"https://h\", insecure-skip-tls-verify: true, certificate-authority: ca}",
           .problems = "DIR/kubeconfig:7:60: clusters[0].cluster.insecure-skip-tls-verify: "
                       "excludes a certificate "
                       "authority (remove one of them)"},
      },
      true);
}

TEST_CASE_METHOD(Fixture, "problems of a client certificate") {
  const KeyPair expired = MakeCertificate("old", Now() - 10 * kDay, Now() - kDay);
  const KeyPair soon = MakeCertificate("soon", Now() - 10 * kDay, Now() + 2 * kDay);
  const KeyPair future = MakeCertificate("future", Now() + kDay, Now() + 20 * kDay);
  const auto user = [](const std::string& certificate, const std::string& key) {
    return fmt::format("{{client-certificate-data: {}, client-key-data: {}}}", Base64(certificate),
                       Base64(key));
  };
  folder_.Write("expired", user(expired.certificate_pem, expired.key_pem));
  const auto outcome = [&](const std::string& text) {
    const std::string all = Outcome(Read(Config("{server: \"https://h\"}", text)));
    return all.substr(all.find("users[0]") == std::string::npos ? 0 : all.find("users[0]"));
  };
  CHECK(outcome(user(expired.certificate_pem, expired.key_pem)) ==
        "users[0].user.client-certificate-data: client certificate CN=old expired on "
        "2026-05-31T00:00:00Z (get a new "
        "kubeconfig from the cluster's administrator)");
  CHECK(outcome(user(soon.certificate_pem, soon.key_pem)) ==
        "users[0].user.client-certificate-data: client certificate CN=soon expires on "
        "2026-06-03T00:00:00Z");
  CHECK(outcome(user(future.certificate_pem, future.key_pem)) ==
        "users[0].user.client-certificate-data: client certificate CN=future is not valid before "
        "2026-06-02T00:00:00Z");
  CHECK(outcome(user(Valid().certificate_pem, soon.key_pem)) ==
        "users[0].user.client-key-data: is not the key of the client certificate");
  CHECK(outcome(user(Valid().certificate_pem, "no key")) ==
        "users[0].user.client-key-data: holds no PEM private key");
  CHECK(
      outcome(user(Valid().certificate_pem, test::EncryptKey(Valid().key_pem))) ==
      "users[0].user.client-key-data: is encrypted, and fedra has no way to ask for its passphrase "
      "(store it decrypted, "
      "readable by fedra only)");
  CHECK(outcome(user("no certificate", Valid().key_pem)) ==
        "users[0].user.client-certificate-data: holds no PEM certificate");
  CHECK(outcome("{client-certificate-data: " + Base64(Valid().certificate_pem) + "}") ==
        "users[0].user.client-certificate-data: has no key (add client-key-data or client-key)");
  CHECK(outcome("{client-key-data: " + Base64(Valid().key_pem) + "}") ==
        "users[0].user.client-key-data: has no certificate (add client-certificate-data or "
        "client-certificate)");
  CHECK(outcome("{client-certificate-data: \"%\", client-key-data: \"%\"}") ==
        "users[0].user.client-certificate-data: is not base64 (base64 -w0 FILE)\n"
        "DIR/kubeconfig:10:57: users[0].user.client-key-data: is not base64 (base64 -w0 FILE)");
}

// What an API server signs, with a signature that is not checked.
std::string Token(const std::string& claims) {
  std::string payload = Base64(claims);
  payload.erase(std::remove(payload.begin(), payload.end(), '='), payload.end());
  std::replace(payload.begin(), payload.end(), '+', '-');
  std::replace(payload.begin(), payload.end(), '/', '_');
  return "eyJhbGciOiJSUzI1NiJ9." + payload + ".c2lnbmF0dXJl";
}

std::string Times(std::chrono::seconds issued, std::chrono::seconds expires) {
  const auto at = [](std::chrono::seconds offset) {
    return std::chrono::duration_cast<std::chrono::seconds>(Now().time_since_epoch() + offset)
        .count();
  };
  return fmt::format(R"({{"sub":"system:serviceaccount:a:b?>~","iat":{},"exp":{}}})", at(issued),
                     at(expires));
}

TEST_CASE_METHOD(Fixture, "a bearer token that says when it ends") {
  const auto read = [&](const std::string& user) {
    return Read(Config("{server: \"https://h\"}", user));
  };
  const auto outcome = [&](const std::string& user) {
    const std::string all = Outcome(read(user));
    CHECK(all.find("eyJ") == std::string::npos);
    return all.substr(all.find("users[0]") == std::string::npos ? 0 : all.find("users[0]"));
  };
  const std::string good = "{token: " + Token(Times(-kDay, 30 * kDay)) + "}";
  CHECK(outcome(good) == "ok");
  CHECK(read(good)->credential_times == CredentialTimes{Now() + 30 * kDay, Now() - kDay});
  const std::string expired = "{token: " + Token(Times(-30 * kDay, -1h)) + "}";
  CHECK(outcome(expired) ==
        "users[0].user.token: the token expired on 2026-05-31T23:00:00Z (put a new one in: kubectl "
        "create token --duration, for the same service account)");
  CHECK(read(expired).error().credential_times->expires == Now() - 1h);
  CHECK(outcome("{token: " + Token(Times(-28 * kDay, 2 * kDay)) + "}") ==
        "users[0].user.token: the token expires on 2026-06-03T00:00:00Z");
  folder_.Write("month", Token(Times(-28 * kDay, 2 * kDay)) + "\n");
  CHECK(outcome("{tokenFile: month}") ==
        "users[0].user.tokenFile: the token expires on 2026-06-03T00:00:00Z");
  folder_.Write("hour", Token(Times(-30min, 30min)));
  CHECK(outcome("{tokenFile: hour}") == "ok");  // another program renews it
  CHECK(read("{tokenFile: hour}")->credential_times ==
        CredentialTimes{Now() + 30min, Now() - 30min});
  folder_.Write("old", Token(Times(-2h, -1h)));
  CHECK_FALSE(read("{tokenFile: old}").has_value());
}

TEST_CASE_METHOD(Fixture, "a token that does not say when it ends is taken as it is") {
  for (const std::string& token :
       {std::string("abc"), std::string("a.b.c"), std::string("a..c"), Token("{}"), Token("[1]"),
        Token(R"({"exp": "soon"})"), Token(R"({"exp": -5})"), Token(R"({"exp": 1e300})"),
        Token(R"({"exp": null})"), Token("{\"exp\": 1"), Token(std::string(100, '['))}) {
    const auto access = Read(Config("{server: \"https://h\"}", "{token: " + token + "}"));
    INFO(token);
    REQUIRE(access);
    CHECK(access->warnings.empty());
    CHECK_FALSE(access->credential_times);
  }
}

TEST_CASE_METHOD(Fixture, "problems of other credentials never show their values") {
  const std::string marker = "do-not-print-me";
  folder_.Write("two-lines", marker + "\n" + marker + "\n");
  folder_.Write("empty", "");
  folder_.Write("not-executable", "");
  const std::string exec_v1 = "apiVersion: client.authentication.k8s.io/v1";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"{token: \"" + marker + " x\"}",
       "DIR/kubeconfig:10:17: users[0].user.token: has characters that a token cannot have (no "
       "spaces or line "
       "breaks)"},
      {"{token: 12345}",
       "DIR/kubeconfig:10:17: users[0].user.token: must be a string, not a number (put it in "
       "quotes)"},
      {"{token: [" + marker + "]}",
       "DIR/kubeconfig:10:17: users[0].user.token: must be a string, not a list"},
      {"{tokenFile: two-lines}",
       "DIR/kubeconfig:10:21: users[0].user.tokenFile: the file has characters that a token cannot "
       "have"},
      {"{tokenFile: none}",
       "DIR/kubeconfig:10:21: users[0].user.tokenFile: DIR/none: no such file"},
      {"{tokenFile: empty}",
       "DIR/kubeconfig:10:21: users[0].user.tokenFile: DIR/empty: the file is empty"},
      {"{tokenFile: ~/t}",
       "DIR/kubeconfig:10:21: users[0].user.tokenFile: \"~\" is not expanded (write the whole "
       "path)"},
      {"{password: " + marker + "}",
       "DIR/kubeconfig:10:20: users[0].user.password: has no username"},
      {"{username: \"a:b\", password: " + marker + "}",
       "DIR/kubeconfig:10:20: users[0].user.username: must not contain a colon (HTTP basic "
       "authentication cannot "
       "carry it)"},
      {"{token: " + marker + ", username: me}",
       "DIR/kubeconfig:10:9: users[0].user: more than one way to authenticate: token, username "
       "(keep one)"},
      {"{auth-provider: {name: gcp}}",
       "DIR/kubeconfig:10:25: users[0].user.auth-provider: is not supported: Kubernetes removed "
       "it (use an exec "
       "credential plugin)"},
      {"{token: " + marker + ", as: root, as-groups: [x]}",
       "DIR/kubeconfig:10:38: users[0].user.as: impersonation is not supported (use credentials of "
       "that user)\n"
       "DIR/kubeconfig:10:55: users[0].user.as-groups: impersonation is not supported (use "
       "credentials of that "
       "user)"},
      {marker, "DIR/kubeconfig:10:9: users[0].user: must be a map, not a string"},
      {"{exec: {}}",
       "DIR/kubeconfig:10:16: users[0].user.exec.apiVersion: is required "
       "(client.authentication.k8s.io/v1 or "
       "client.authentication.k8s.io/v1beta1)\n"
       "DIR/kubeconfig:10:16: users[0].user.exec.command: is required"},
      {"{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: aws}}",
       "DIR/kubeconfig:10:29: users[0].user.exec.apiVersion: v1alpha1 was removed in Kubernetes "
       "1.24 (update the "
       "plugin and regenerate the kubeconfig)"},
      {"{exec: {apiVersion: v9, command: aws}}",
       "DIR/kubeconfig:10:29: users[0].user.exec.apiVersion: is not supported "
       "(client.authentication.k8s.io/v1 or "
       "client.authentication.k8s.io/v1beta1)"},
      {"{exec: {" + exec_v1 + ", command: ./not-executable, installHint: ask Bob}}",
       "DIR/kubeconfig:10:71: users[0].user.exec.command: DIR/not-executable cannot be executed "
       "(ask Bob)"},
      {"{exec: {" + exec_v1 + ", command: aws, args: [1]}}",
       "DIR/kubeconfig:10:82: users[0].user.exec.args: must be a list of strings, but holds a "
       "number (put it in "
       "quotes)"},
      {"{exec: {" + exec_v1 + ", command: aws, env: [{name: \"A=B\", value: " + marker + "}]}}",
       "DIR/kubeconfig:10:89: users[0].user.exec.env[0].name: must be the name of an environment "
       "variable"},
      {"{exec: {" + exec_v1 + ", command: aws, env: {A: " + marker + "}}}",
       "DIR/kubeconfig:10:81: users[0].user.exec.env: must be a list of name and value"},
      {"{exec: {" + exec_v1 + ", command: aws, interactiveMode: Always}}",
       "DIR/kubeconfig:10:93: users[0].user.exec.interactiveMode: Always needs a terminal, and a "
       "daemon has none "
       "(Never or IfAvailable)"},
      {"{token: " + marker + ", exec: {" + exec_v1 + ", command: aws}}",
       "DIR/kubeconfig:10:9: users[0].user: more than one way to authenticate: token, exec (keep "
       "one)"},
  };
  for (const auto& [user, problems] : rows) {
    INFO(user);
    const std::string outcome = Outcome(Read(Config("{server: \"https://h\"}", user)));
    CHECK(outcome == problems);
    CHECK(outcome.find(marker) == std::string::npos);
  }
}

TEST_CASE_METHOD(Fixture, "a parse error does not show the text around it") {
  const std::string marker = "do-not-print-me";
  for (const std::string& text :
       {"token: \"\\" + marker + "\"\n", "token: *" + marker + "\n", "a: b\n  " + marker,
        "token: !!" + marker + "{ \"" + marker + "\n", "%TAG " + marker + "\n---\na: 1\n"}) {
    const std::string outcome = Outcome(Read(text));
    INFO(outcome);
    CHECK(outcome.find(marker) == std::string::npos);
    CHECK(outcome != "ok");
  }
}

TEST_CASE_METHOD(Fixture, "the files of a broken access are known, so that the repair is noticed") {
  const auto access = Read(
      Config("{server: \"https://h\", certificate-authority: none.pem}", "{tokenFile: token}"));
  REQUIRE_FALSE(access);
  CHECK(access.error().files == std::vector<std::string>{folder_.Path("kubeconfig"),
                                                         folder_.Path("none.pem"),
                                                         folder_.Path("token")});
}

TEST_CASE_METHOD(Fixture, "in a pod the service account is used") {
  InClusterSources sources{folder_.path().string(), "10.96.0.1", "443"};
  folder_.Write("ca.crt", Valid().certificate_pem);
  folder_.Write("token", "abc");
  const auto access = ReadInCluster(sources, Now());
  INFO(Outcome(access));
  REQUIRE(access);
  CHECK(access->server == "https://10.96.0.1:443");
  CHECK(access->ca_pem == Valid().certificate_pem);
  CHECK(access->token_file == folder_.Path("token"));
  CHECK(access->files == std::vector<std::string>{folder_.Path("ca.crt"), folder_.Path("token")});

  sources.host = "fd00::1";
  CHECK(ReadInCluster(sources, Now())->server == "https://[fd00::1]:443");
}

TEST_CASE_METHOD(Fixture, "outside of a pod the service account is a clear problem") {
  CHECK(Outcome(ReadInCluster({folder_.path().string(), "", ""}, Now())) ==
        "manager.inCluster: KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set "
        "(inCluster works inside a "
        "pod only)\n"
        "DIR/ca.crt: no such file\n"
        "DIR/token: no such file (is automountServiceAccountToken off?)");
  folder_.Write("ca.crt", "nothing");
  folder_.Write("token", "");
  CHECK(Outcome(ReadInCluster({folder_.path().string(), "h x", "443"}, Now())) ==
        "manager.inCluster: KUBERNETES_SERVICE_HOST and _PORT are no address\n"
        "DIR/ca.crt: holds no PEM certificate\n"
        "DIR/token: is empty (is automountServiceAccountToken off?)");
}

}  // namespace
}  // namespace fedra::config::kubeconfig_test
