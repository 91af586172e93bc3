// Certificates that a listener shows, and TLS itself against a client that verifies them.

#include "manager/http/tls.h"

#include <chrono>

#include "base/guarded.h"
#include "cluster-clients/http/client.h"
#include "cluster-clients/threads.h"
#include "manager/http/listener.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/http/raw_client.h"

namespace fedra::httpd::tls_test {

using namespace std::chrono_literals;

namespace {

KeyPair Made(const std::vector<std::string>& names = {}) {
  return MakeSelfSigned(names, SystemClock().Now()).value();
}

std::string Problem(const KeyPair& pair) {
  const auto identity = TlsIdentity::Make(pair);
  return identity ? "" : identity.error().message;
}

// Answers everything with who asks.
struct Fixture {
  explicit Fixture(const KeyPair& pair, ServerLimits limits = {})
      : listener(threads.loop,
                 {.answer = [](const Request& request,
                               const auto& done) { done({.body = request.peer}); },
                  .is_urgent = [](const Request&) { return false; },
                  .refusal =
                      [](int status, const std::string& message) {
                        return Answer{.status = status, .body = message};
                      }},
                 limits) {
    listener.Use(TlsIdentity::Make(pair).value());
    REQUIRE(listener.ListenOn("127.0.0.1:0", "api.secure.address"));
  }

  // Of one GET on a connection of its own: the body, or the failure.
  std::string Get(const std::string& trusted, const std::string& host = "localhost") {
    http::Endpoint endpoint;
    endpoint.url = "https://" + host + ":" + std::to_string(listener.port());
    endpoint.ca_pem = trusted;
    http::Client client(threads.loop, endpoint);
    http::Request request;
    request.path = "/x";
    // Who notifies is not done when who waits goes on.
    const auto reply = std::make_shared<Guarded<std::optional<http::Reply>>>();
    client.Send(request, [reply](http::Reply given) {
      reply->With([&](auto& kept) { kept = std::move(given); });
      reply->Notify();
    });
    return reply->Wait([](const auto& given) { return given.has_value(); },
                       [](const auto& given) {
                         return given->failure ? std::string(ToString(given->failure->code))
                                               : given->body;
                       });
  }

  Threads threads{1};
  Listener listener;
};

}  // namespace

TEST_CASE("a certificate that is made here is for the names that it was made for") {
  const auto identity = TlsIdentity::Make(Made({"fedra.fedra-system.svc"})).value();
  CHECK(identity->IsFor("localhost"));
  CHECK(identity->IsFor("fedra.fedra-system.svc"));
  CHECK_FALSE(identity->IsFor("fedra.other.svc"));
  CHECK_FALSE(identity->IsFor("evil.example"));
  CHECK_FALSE(identity->IsFor(""));
  CHECK(Made().key != Made().key);
}

TEST_CASE("what cannot be used is told, and nothing of it") {
  const KeyPair one = Made();
  const KeyPair other = Made();
  CHECK(Problem(one).empty());
  CHECK_THAT(Problem({one.certificates, other.key}), ContainsSubstring("the key cannot be used: "));
  CHECK_THAT(Problem({one.certificates, ""}), ContainsSubstring("the key cannot be used: "));
  CHECK_THAT(Problem({"", one.key}), ContainsSubstring("the certificate cannot be used: "));
  CHECK_THAT(Problem({"not one", one.key}), ContainsSubstring("the certificate cannot be used: "));
  CHECK_THAT(Problem({one.certificates, "s3cret"}), !ContainsSubstring("s3cret"));
}

TEST_CASE("clients that verify the certificate are answered over TLS") {
  const KeyPair pair = Made();
  Fixture f(pair);
  CHECK(f.Get(pair.certificates) == "from 127.0.0.1");
  CHECK(f.Get(pair.certificates, "127.0.0.1") == "from 127.0.0.1");
  CHECK(f.Get(Made().certificates) == "TlsUntrusted");
}

TEST_CASE("new connections get the certificate that was put in place of the first") {
  const KeyPair first = Made();
  const KeyPair second = Made();
  Fixture f(first);
  CHECK(f.Get(first.certificates) == "from 127.0.0.1");
  f.listener.Use(TlsIdentity::Make(second).value());
  CHECK(f.Get(second.certificates) == "from 127.0.0.1");
  CHECK(f.Get(first.certificates) == "TlsUntrusted");
}

TEST_CASE("plain HTTP is not answered, and who never greets is cut off") {
  const KeyPair pair = Made();
  Fixture f(pair, {.first_request = 100ms});
  RawClient plain(f.listener.port());
  plain.Say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK_THAT(plain.Hear(), !ContainsSubstring("HTTP/1.1"));
  RawClient silent(f.listener.port());
  CHECK(silent.Hear().empty());
  CHECK(f.Get(pair.certificates) == "from 127.0.0.1");
}

TEST_CASE("clients that do not finish the handshake keep nobody out") {
  const KeyPair pair = Made();
  Fixture f(pair, {.connections = 4});
  std::vector<RawClient> silent;
  for (int i = 0; i < 50; ++i) {
    silent.emplace_back(f.listener.port());
    silent.back().Say("\x16\x03\x01");  // the beginning of a greeting
  }
  CHECK(f.Get(pair.certificates) == "from 127.0.0.1");
}

}  // namespace fedra::httpd::tls_test
