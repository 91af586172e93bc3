// The secure API on real sockets: where it listens, and what waits while others are slow.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "cluster-clients/http/client.h"
#include "cluster-clients/threads.h"
#include "manager/api/routes.h"
#include "manager/api/secure_server.h"
#include "manager/http/socket_name.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/access/fake_reviews.h"
#include "tests/unit/manager/support/slow_check.h"

namespace fedra::secure_socket_test {

namespace {

// Another program that listens on a port of 127.0.0.1.
class TakenPort final {
 public:
  TakenPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0);
    REQUIRE(::listen(socket_, 1) == 0);
    port = httpd::PortOf(socket_);
  }
  ~TakenPort() { ::close(socket_); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;

  std::string Address() const { return "127.0.0.1:" + std::to_string(port); }

  int port = 0;

 private:
  const int socket_;
};

// A manager that answers when the test lets it.
class SlowReviews final : public access::Reviews {
 public:
  SlowReviews(Guarded<access::Known>& known, Guarded<bool>& answers, std::atomic<int>& waiting)
      : reviews_(known), answers_(answers), waiting_(waiting) {}

  Result<std::optional<access::User>> WhoHas(const std::string& token) override {
    if (!answers_.Copy()) ++waiting_;
    answers_.Wait([](bool answers) { return answers; }, [](bool) {});
    return reviews_.WhoHas(token);
  }
  Result<bool> May(const access::User& user, const access::Attributes& attributes) override {
    return reviews_.May(user, attributes);
  }

 private:
  access::FakeReviews reviews_;
  Guarded<bool>& answers_;
  std::atomic<int>& waiting_;
};

// What a client hears, or nothing yet. Who tells it is not done when who waits goes on.
using Heard = std::shared_ptr<Guarded<std::optional<http::Reply>>>;

bool IsAnswered(const Heard& heard) {
  return heard->With([](const auto& reply) { return reply.has_value(); });
}
// Waits for it. 0: there was none.
int StatusOf(const Heard& heard) {
  return heard->Wait([](const auto& reply) { return reply.has_value(); },
                     [](const auto& reply) { return reply->failure ? 0 : reply->status; });
}

Result<httpd::KeyPair> NoCertificate() {
  return Fail(ErrorCode::kNotFound, "there is no certificate yet");
}

struct Fixture {
  Result<std::unique_ptr<api::SecureServer>> Start(const std::string& address,
                                                   httpd::ServerLimits limits = api::kLimits) {
    return api::SecureServer::Start(
        {.address = address,
         .certificate = {.stamp = [this] { return has_certificate ? "there" : "missing"; },
                         .read =
                             [this] {
                               return has_certificate
                                          ? httpd::MakeSelfSigned({}, SystemClock().Now())
                                          : NoCertificate();
                             }}},
        {.store = [this] { return store->Read(); }, .check = check.Source()},
        std::make_unique<SlowReviews>(known, manager_answers, questions_about_tokens), {}, limits);
  }
  // Over TLS.
  Heard Ask(const api::SecureServer& server, http::Request request) {
    if (client == nullptr)
      client = std::make_unique<http::Client>(
          threads.loop, http::Endpoint{.url = "https://127.0.0.1:" + std::to_string(server.port()),
                                       .ca_pem = {},
                                       .tls_server_name = {},
                                       .insecure_skip_tls_verify = true,
                                       .client_certificate_pem = {},
                                       .client_key_pem = {}});
    request.path.insert(0, api::kPrefix);
    request.timeout = std::chrono::seconds(60);
    auto heard = std::make_shared<Guarded<std::optional<http::Reply>>>();
    client->Send(std::move(request), [heard](http::Reply reply) {
      heard->With([&](auto& kept) { kept = std::move(reply); });
      heard->Notify();
    });
    return heard;
  }
  Heard Post(const api::SecureServer& server, const std::string& token, std::string body) {
    return Ask(server, {.method = "POST",
                        .path = "check",
                        .body = std::move(body),
                        .content_type = "application/yaml",
                        .authorization = "Bearer " + token});
  }
  Heard Get(const api::SecureServer& server, const std::string& token, const std::string& path) {
    return Ask(server, {.path = path, .authorization = "Bearer " + token});
  }
  // Whose token is the name.
  void AddUser(const std::string& name, const std::string& right) {
    known.With([&](access::Known& all) {
      all.users[name] = {.name = name, .uid = {}, .groups = {}, .extra = {}};
      all.allowed.emplace(name, right);
    });
  }
  void ManagerAnswers(bool answers) {
    manager_answers.With([&](bool& now) { now = answers; });
    manager_answers.Notify();
  }

  bool has_certificate = true;
  const TempFolder folder;
  const std::unique_ptr<store::Store> store =
      store::Store::Open({.path = folder.Path("fedra.db")}).value();
  testing::SlowCheck check;
  Guarded<access::Known> known;
  Guarded<bool> manager_answers{true};
  std::atomic<int> questions_about_tokens{0};  // that wait for the manager
  Threads threads{1};
  std::unique_ptr<http::Client> client;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "an address that is taken is tried again until it is free") {
  for (const bool is_late : {false, true}) {
    INFO("the certificate comes later: " << is_late);
    has_certificate = !is_late;
    auto taken = std::make_unique<TakenPort>();
    const int port = taken->port;
    const auto server = Start(taken->Address()).value();
    has_certificate = true;
    for (int i = 0; i < 3; ++i) {
      server->Follow();
      CHECK(server->port() == 0);
    }
    taken.reset();
    server->Follow();
    CHECK(server->port() == port);
  }
}

TEST_CASE_METHOD(Fixture, "a server that has been stopped does not listen any more") {
  auto taken = std::make_unique<TakenPort>();
  const auto server = Start(taken->Address()).value();
  server->Stop();
  taken.reset();
  server->Follow();
  CHECK(server->port() == 0);
}

TEST_CASE_METHOD(Fixture, "an address that is none is refused at the start") {
  const auto server = Start("fedra.example:8443");
  REQUIRE_FALSE(server);
  CHECK(server.error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(server.error().message, ContainsSubstring("api.secure.address"));
}

TEST_CASE_METHOD(Fixture, "while the manager hangs, few bodies wait for it") {
  httpd::ServerLimits limits = api::kLimits;
  limits.bodies = 16;  // all may be read at once
  const auto server = Start("127.0.0.1:0", limits).value();
  ManagerAnswers(false);
  std::vector<Heard> all;
  for (int i = 0; i < 10; ++i)
    all.push_back(
        Post(*server, "nobody" + std::to_string(i), std::string((size_t{1} << 20) - 100, ' ')));
  // Six have a MiB each of the eight, and one client no more.
  const auto answered = [&] { return std::ranges::count_if(all, &IsAnswered); };
  CHECK(WaitUntil([&] { return answered() == 4; }));
  CHECK(std::ranges::all_of(
      all, [](const Heard& heard) { return !IsAnswered(heard) || StatusOf(heard) == 503; }));
  ManagerAnswers(true);
  CHECK(std::ranges::count_if(all, [](const Heard& heard) { return StatusOf(heard) == 401; }) == 6);
  CHECK(StatusOf(Post(*server, "nobody", "kind: Job")) == 401);
}

TEST_CASE_METHOD(Fixture, "checks of a crowd delay no other answer") {
  AddUser("crowd", "get workloads.kueue.x-k8s.io in the namespace default");
  AddUser("admin", "*");
  const auto server = Start("127.0.0.1:0").value();
  std::vector<Heard> checks;
  for (int i = 0; i < 8; ++i) checks.push_back(Post(*server, "crowd", "kind: Job"));
  CHECK(WaitUntil([&] { return check.begun == 1; }));
  for (const std::string path : {"status", "jobs", "check"}) {
    INFO(path);
    CHECK(StatusOf(Get(*server, "admin", path)) == (path == "check" ? 405 : 200));
  }
  // Nor its own.
  CHECK(StatusOf(Get(*server, "crowd", "reasons")) == 200);
  CHECK(check.begun == 1);
  CHECK(std::ranges::none_of(checks, &IsAnswered));
  check.End();
  for (const Heard& each : checks) CHECK(StatusOf(each) == 200);
}

TEST_CASE_METHOD(Fixture, "a server ends while one waits for the manager and one is checked") {
  AddUser("admin", "*");
  auto server = Start("127.0.0.1:0").value();
  const Heard checked = Post(*server, "admin", "kind: Job");
  CHECK(WaitUntil([&] { return check.begun == 1; }));
  ManagerAnswers(false);
  std::vector<Heard> waiting;
  for (int i = 0; i < 8; ++i)
    waiting.push_back(Get(*server, "nobody" + std::to_string(i), "status"));
  CHECK(WaitUntil([&] { return questions_about_tokens == 4; }));
  server->Stop();
  // As the manager's cluster does when it is stopped.
  std::thread ends([&] { ManagerAnswers(true); });
  server.reset();
  ends.join();
  for (const Heard& each : waiting) CHECK(StatusOf(each) == 0);
}

}  // namespace fedra::secure_socket_test
