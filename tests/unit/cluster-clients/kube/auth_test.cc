#include "cluster-clients/kube/auth.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "base/guarded.h"
#include "base/time.h"
#include "cluster-clients/threads.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"

namespace fedra::kube::auth_test {
namespace {

using namespace std::chrono_literals;

// A plugin that prints the file "credential", or fails when there is none.
struct Fixture {
  const TempFolder folder;
  HandClock clock;
  Threads threads{2};
  std::shared_ptr<CredentialSource> source;

  Fixture() {
    ExecPlugin plugin;
    plugin.api_version = "client.authentication.k8s.io/v1";
    plugin.command = folder.Write("plugin",
                                  "#!/bin/sh\n"
                                  "printf x >> \"$FOLDER/runs\"\n"
                                  "exec cat \"$FOLDER/credential\"\n",
                                  true);
    plugin.env = {{"FOLDER", folder.path().string()}};
    AccessSettings access;
    access.exec = {plugin};
    source = std::make_shared<CredentialSource>(access, threads.loop, threads.pool, clock);
  }
  ~Fixture() { source->Stop(); }

  void Issue(const std::string& token, std::chrono::seconds life) const {
    folder.Write("credential",
                 fmt::format(R"({{"kind":"ExecCredential",)"
                             R"("apiVersion":"client.authentication.k8s.io/v1",)"
                             R"("status":{{"token":"{}","expirationTimestamp":"{}"}}}})",
                             token, FormatRfc3339(clock.Now() + life)));
  }
  void Withdraw() const { std::filesystem::remove(folder.Path("credential")); }
  size_t Runs() const { return std::filesystem::file_size(folder.Path("runs")); }

  Result<CredentialsPtr> Obtain() const {
    Guarded<std::optional<Result<CredentialsPtr>>> answer;
    source->Obtain([&](Result<CredentialsPtr> credentials) {
      answer.With([&](auto& value) {
        value = std::move(credentials);
        answer.NotifyOne();
      });
    });
    return answer.Wait([](const auto& value) { return value.has_value(); },
                       [](auto& value) { return *std::move(value); });
  }
  std::string Token() const {
    const auto credentials = Obtain();
    return credentials ? (*credentials)->authorization : "error: " + credentials.error().message;
  }
};

TEST_CASE("a plugin that fails near the end costs nothing while the credential is valid") {
  Fixture f;
  f.Issue("first", 10min);
  CHECK(f.Token() == "Bearer first");
  f.clock.Advance(9min);
  CHECK(f.Token() == "Bearer first");
  CHECK(f.Runs() == 1);

  f.Withdraw();
  f.clock.Advance(35s);  // within the margin before its end
  CHECK(f.Token() == "Bearer first");
  CHECK(f.Runs() == 2);
  CHECK(f.Token() == "Bearer first");
  CHECK(f.Runs() == 2);  // not with every request
  f.clock.Advance(10s);
  CHECK(f.Token() == "Bearer first");
  CHECK(f.Runs() == 3);

  f.clock.Advance(15s);  // its end
  CHECK_THAT(f.Token(), ContainsSubstring("exit code 1"));
  f.Issue("second", 10min);
  CHECK(f.Token() == "Bearer second");
}

TEST_CASE("a credential that was refused is not handed out again, valid or not") {
  Fixture f;
  f.Issue("first", 10min);
  const auto first = f.Obtain();
  REQUIRE(first);
  f.Withdraw();
  f.source->Refuse(*first);
  CHECK_THAT(f.Token(), ContainsSubstring("exit code 1"));
}

TEST_CASE("an expired credential is replaced") {
  Fixture f;
  f.Issue("first", 10min);
  CHECK(f.Token() == "Bearer first");
  f.Issue("second", 20min);
  f.clock.Advance(10min);
  CHECK(f.Token() == "Bearer second");
}

TEST_CASE("a missing token file and one without a token have errors of their own") {
  Fixture f;
  AccessSettings access;
  access.token_file = f.folder.Path("token");
  f.source->Stop();
  f.source = std::make_shared<CredentialSource>(access, f.threads.loop, f.threads.pool, f.clock);
  CHECK(f.Token() == "error: " + access.token_file + ": No such file or directory");
  f.folder.Write("token", " \n");
  CHECK(f.Token() == "error: no token in " + access.token_file);
  f.folder.Write("token", "found\n");
  CHECK(f.Token() == "Bearer found");
}

}  // namespace
}  // namespace fedra::kube::auth_test
