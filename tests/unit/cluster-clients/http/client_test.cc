// What becomes of requests that share a connection.

#include "cluster-clients/http/client.h"

#include "base/guarded.h"
#include "cluster-clients/http/loop.h"
#include "cluster-clients/kube/verbs.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"
#include "tests/unit/cluster-clients/support/harness.h"

namespace fedra::client_test {
namespace {

using namespace std::chrono_literals;
using Kind = sim::InjectedAnswer::Kind;

http::Endpoint To(const sim::Server& server) {
  http::Endpoint endpoint;
  endpoint.url = server.Address();
  endpoint.ca_pem = server.CaPem();
  return endpoint;
}

// libcurl 7.88 gives up the connection because of one of them, and then calls it no error for those
// that have had an answer before the answer (1xx); newer ones give up each by itself.
TEST_CASE("answers that have only begun when their connection ends are failures") {
  constexpr size_t kRequests = 8;
  sim::Server server;
  sim::Faults faults;
  faults.answers = {
      {.kind = Kind::kHostile, .path_contains = "configmaps", .hostile = "endless-headers"}};
  server.SetFaults(faults);
  Guarded<std::vector<http::Reply>> replies;
  http::HttpLoop loop;  // ends before what its handlers write to
  http::Client client(loop, To(server));
  for (size_t i = 0; i < kRequests; ++i) {
    http::Request request = kube::Get(kConfigMaps, {"default", "a"}).request;
    request.authorization = "Bearer admin-token";
    client.Send(request, [&](http::Reply reply) {
      replies.With([&](auto& all) { all.push_back(std::move(reply)); });
      replies.Notify();
    });
  }
  const auto all_there = [](const auto& all) { return all.size() == kRequests; };
  REQUIRE(replies.WaitFor(Stretched(10s), all_there, all_there));
  const auto all = replies.Copy();
  for (const http::Reply& reply : all) {
    INFO(reply.status);
    CHECK(reply.failure);
  }
}

}  // namespace
}  // namespace fedra::client_test
