// What is taken out of the texts of a support bundle.

#include "manager/cli/bundle/secrets.h"

#include <vector>

#include "base/base64.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::cli::secrets_test {

namespace {

// A PEM of a kind, made here: scanners for secrets stop at one in a file.
std::string Pem(const std::string& kind) {
  const std::string line(64, 'Q'), last(20, 'R');
  return "-----BEGIN " + kind + "-----\n" + line + "\n" + last + "==\n-----END " + kind + "-----\n";
}

config::Loaded WithManager() {
  return {.configuration = {},
          .manager = config::KubeAccess{},
          .workers = {},
          .files = {},
          .store = {},
          .stamp = {}};
}

}  // namespace

TEST_CASE("a secret is removed wherever it stands, and nothing else is") {
  Secrets secrets;
  secrets.Add("s3cr3t-token");
  secrets.Add("pass");
  secrets.Add("abc");  // too short to be told from a word
  CHECK(secrets.Removed("").empty());
  CHECK(secrets.Removed("nothing here: s3cr3t-toke abc") == "nothing here: s3cr3t-toke abc");
  CHECK(secrets.Removed("s3cr3t-token") == "[removed]");
  CHECK(secrets.Removed("as3cr3t-tokens3cr3t-tokenz") == "a[removed][removed]z");
  CHECK(secrets.Removed("x pass y passs") == "x [removed] y [removed]s");
  CHECK(secrets.Removed("data: " + Base64Encode("s3cr3t-token") + "\n") == "data: [removed]\n");
}

TEST_CASE("the value of what is called a secret is removed, whatever it is") {
  const Secrets secrets;
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"password=swordfish", "password=[removed]"},
           {"secret: opensesame\n", "secret: [removed]\n"},
           {"AWS_SECRET_ACCESS_KEY=Ab/12+x exported", "AWS_SECRET_ACCESS_KEY=[removed] exported"},
           {R"({"clientSecret": "s w\"o", "n": 1})", R"({"clientSecret": "[removed]", "n": 1})"},
           {"DB_PASSWORD = 'a b' end", "DB_PASSWORD = '[removed]' end"},
           {"?api=1&token=abc&next", "?api=1&token=[removed]&next"},
           {"unfinished password=\"abc", "unfinished password=\"[removed]"},
           {"token=\"a\\", "token=\"[removed]"},
       })
    CHECK(secrets.Removed(text) == expected);
  for (const std::string text : {"secretName: fedra-worker-east", "token: ", "key: nvidia.com/gpu",
                                 "password=", "tokenFile=/etc/token", "hasPassword: true",
                                 R"("token":null)", "secret: {", "secret"})
    CHECK(secrets.Removed(text) == text);
}

TEST_CASE("of two secrets that begin alike the longer one is removed") {
  Secrets secrets;
  secrets.Add("s3cr3t-token");
  secrets.Add("s3cr3t-token-of-east");
  CHECK(secrets.Removed("<s3cr3t-token-of-east>") == "<[removed]>");
  CHECK(secrets.Removed("<s3cr3t-token-of>") == "<[removed]-of>");
}

TEST_CASE("a password is removed as JSON writes it, too") {
  Secrets secrets;
  secrets.Add("pass\"word\\1");
  CHECK(secrets.Removed(R"({"p":"pass\"word\\1"})") == R"({"p":"[removed]"})");
}

TEST_CASE("a certificate is removed as a whole, in base64, and line by line") {
  Secrets secrets;
  const std::string pem = Pem("CERTIFICATE");
  secrets.Add(pem);
  CHECK(secrets.Removed("<" + pem + ">") == "<[removed]>");
  CHECK(secrets.Removed(Base64Encode(pem)) == "[removed]");
  CHECK(secrets.Removed("| " + std::string(64, 'Q') + " |") == "| [removed] |");
  CHECK(secrets.Removed("| " + std::string(20, 'R') + "== |") == "| [removed] |");
}

TEST_CASE("what looks like a secret is removed without being known") {
  const Secrets secrets;
  CHECK(secrets.Removed("a\n" + Pem("RSA PRIVATE KEY") + "b") == "a\n[removed]\nb");
  CHECK(secrets.Removed("-----BEGIN " + std::string("PRIVATE KEY----- cut off")) == "[removed]");
  CHECK(secrets.Removed(Pem("CERTIFICATE")) == Pem("CERTIFICATE"));
  const std::string web_token = std::string("eyJ") + "hbGciOi.eyJzdWIi.c2ln-_";
  CHECK(secrets.Removed("saw " + web_token + "!") == "saw [removed]!");
  CHECK(secrets.Removed("eyJ is no token") == "eyJ is no token");
  CHECK(secrets.Removed("Authorization: Bearer abc.def/123= x") ==
        "Authorization: Bearer [removed] x");
  CHECK(secrets.Removed("Authorization: Basic dXNlcjpwdw== x") ==
        "Authorization: Basic [removed] x");
  CHECK(secrets.Removed("via http://user:pw@proxy:80/ and https://host/a@b") ==
        "via http://[removed]@proxy:80/ and https://host/a@b");
}

TEST_CASE("the secrets of a configuration are those of all its kubeconfigs") {
  const TempFolder folder;
  config::Loaded loaded = WithManager();
  loaded.manager->token = "token-of-manager";
  config::KubeAccess east;
  east.client_key_pem = Pem("PRIVATE KEY");
  east.token_file = folder.Write("token", "token-in-file\n");
  east.proxy_url = "http://user:proxy-word@proxy:3128";
  east.password = "basic-word";
  east.exec = config::ExecAccess{.env = {{"KEY", "env-word"}}};
  loaded.workers.emplace_back(east);
  loaded.workers.emplace_back(tl::unexpect, config::AccessFailure{});
  config::ExecAccess& provider =
      loaded.configuration.workers_from.access_providers.emplace_back().exec;
  provider.env = {{"KEY", "provider-word"}};
  provider.args = {"get-token", "--client-secret=provider-secret"};
  Secrets secrets;
  secrets.AddAll(loaded);
  CHECK(secrets.Removed("token-of-manager|token-in-file|proxy-word|basic-word|env-word|" +
                        std::string(64, 'Q') + "|provider-word|provider-secret") ==
        "[removed]|[removed]|[removed]|[removed]|[removed]|[removed]|[removed]|[removed]");
}

TEST_CASE("the arguments of a credential plugin may be its secrets") {
  config::Loaded loaded = WithManager();
  loaded.manager->exec =
      config::ExecAccess{.args = {"get-token", "--client-secret=hunter22", "--password", "hunter33",
                                  "--insecure=true", "-phunter44"}};
  Secrets secrets;
  secrets.AddAll(loaded);
  CHECK(secrets.Removed("run: --client-secret=hunter22 --password hunter33 -phunter44") ==
        "run: [removed] --password [removed] [removed]");
  CHECK(secrets.Removed(R"({"secret": "hunter22", "ok": true})") ==
        R"({"secret": "[removed]", "ok": true})");
}

TEST_CASE("user and password are removed as Basic authentication writes them") {
  config::Loaded loaded = WithManager();
  loaded.manager->username = "admin";
  loaded.manager->password = "basic-word";
  loaded.manager->proxy_url = "http://user:proxy-word@proxy:3128";
  Secrets secrets;
  secrets.AddAll(loaded);
  CHECK(secrets.Removed("<" + Base64Encode("admin:basic-word") + "|admin:basic-word|basic-word>") ==
        "<[removed]|[removed]|[removed]>");
  CHECK(secrets.Removed("<" + Base64Encode("user:proxy-word") + ">") == "<[removed]>");
}

}  // namespace fedra::cli::secrets_test
