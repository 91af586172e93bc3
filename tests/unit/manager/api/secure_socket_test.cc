// The secure API on real sockets: where it listens.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "manager/api/secure_server.h"
#include "manager/http/socket_name.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/access/fake_reviews.h"

namespace fedra::secure_socket_test {

namespace {

// Somebody else who listens on a port of 127.0.0.1.
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

Result<httpd::KeyPair> NoCertificate() {
  return Fail(ErrorCode::kNotFound, "there is no certificate yet");
}

struct Fixture {
  Result<std::unique_ptr<api::SecureServer>> Start(const std::string& address) {
    return api::SecureServer::Start(
        {.address = address,
         .certificate = {.stamp = [this] { return has_certificate ? "there" : "missing"; },
                         .read =
                             [this] {
                               return has_certificate
                                          ? httpd::MakeSelfSigned({}, SystemClock().Now())
                                          : NoCertificate();
                             }}},
        {}, std::make_unique<access::FakeReviews>(known));
  }

  bool has_certificate = true;
  Guarded<access::Known> known;
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

}  // namespace fedra::secure_socket_test
