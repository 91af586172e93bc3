#include "manager/dashboard/server.h"

#include <chrono>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "manager/api/parameters.h"
#include "manager/api/problem.h"
#include "manager/api/routes.h"

namespace fedra::dashboard {
namespace {

// A daemon with 100,000 jobs answers within seconds; one that hangs never does.
constexpr std::chrono::milliseconds kLimit{60'000};
// More than any page asks for: lists come in pages.
constexpr size_t kMostBytes = size_t{64} << 20;
// A stream goes on until either goes.
constexpr std::chrono::hours kStreamLimit{24};

httpd::Answer ToAnswer(http::Reply reply, const std::string& socket) {
  if (reply.failure)
    return api::Problem(503, fmt::format("the daemon at {}: {}", socket, reply.failure->message));
  httpd::Answer answer{.status = reply.status,
                       .content_type = std::move(reply.content_type),
                       .body = std::move(reply.body),
                       .headers = {{"Cache-Control", "no-store"}}};
  if (!reply.header.empty()) answer.headers.emplace_back("ETag", std::move(reply.header));
  for (std::string& warning : reply.warnings)
    answer.headers.emplace_back("Warning", std::move(warning));
  if (reply.retry_after)
    answer.headers.emplace_back(
        "Retry-After",
        std::to_string(
            std::chrono::duration_cast<std::chrono::seconds>(*reply.retry_after).count()));
  return answer;
}

}  // namespace

Server::Server(std::string socket, std::string secret)
    : socket_(std::move(socket)),
      secret_(std::move(secret)),
      client_(threads_.loop, {.url = "http://fedra", .unix_socket = socket_, .http2 = false}),
      listener_(
          threads_.loop,
          {.answer =
               [this](const httpd::Request& request, std::function<void(httpd::Answer)> done) {
                 Answer(request, std::move(done));
               },
           .is_urgent = [](const httpd::Request&) { return false; },
           .refusal =
               [](int status, const std::string& message) {
                 return Guarded(api::Problem(status, message));
               },
           .takes_post = &api::IsForPost},
          {}) {}

Result<std::unique_ptr<Server>> Server::Start(const std::string& socket, int port) {
  FEDRA_ASSIGN_OR_RETURN(std::string secret, MakeSecret());
  std::unique_ptr<Server> server(new Server(socket, std::move(secret)));
  FEDRA_RETURN_IF_ERROR(server->listener_.ListenOn(fmt::format("127.0.0.1:{}", port)));
  return server;
}

// What is passed on uses the client, which goes before the loop does.
Server::~Server() {
  listener_.Stop();
  threads_.loop.Post([this] {
    for (const auto& each : relays_)
      if (const auto relay = each.lock()) relay->Leave();
  });
  threads_.loop.Flush();
}

std::string Server::Address() const {
  return fmt::format("http://127.0.0.1:{}/#token={}", listener_.port(), secret_);
}

void Server::Answer(const httpd::Request& request, std::function<void(httpd::Answer)> done) {
  if (auto refusal = RefusalOf({listener_.port(), secret_}, request))
    return done(Guarded(*std::move(refusal)));
  if (!IsForDaemon(request)) return done(Guarded(PageOf(request)));
  if (api::EndpointOf(request.target) == api::kWatchPath && !request.is_post)
    return PassOnStream(request, std::move(done));
  PassOn(request, std::move(done));
}

void Server::PassOnStream(const httpd::Request& request, std::function<void(httpd::Answer)> done) {
  std::erase_if(relays_, [](const auto& relay) { return relay.expired(); });
  const auto relay = std::make_shared<Relay>(threads_.loop, client_);
  relays_.push_back(relay);
  relay->Start(
      {.path = request.target,
       .accept = "text/event-stream",
       .timeout = kStreamLimit,
       .open_timeout = kLimit,
       .headers = {{"Last-Event-ID", httpd::HeaderOf(request, "last-event-id")}}},
      [done = std::move(done)](httpd::Answer answer) { done(Guarded(std::move(answer))); },
      [this](http::Reply reply) { return ToAnswer(std::move(reply), socket_); });
}

void Server::PassOn(const httpd::Request& request, std::function<void(httpd::Answer)> done) {
  client_.Send({.method = request.is_post ? "POST" : "GET",
                .path = request.target,
                .body = request.body,
                .content_type = httpd::HeaderOf(request, "content-type"),
                .timeout = kLimit,
                .max_bytes = kMostBytes,
                .stores_nothing = true,
                .wanted_header = "ETag",
                .headers = {{"If-None-Match", httpd::HeaderOf(request, "if-none-match")}}},
               [this, done = std::move(done)](http::Reply reply) {
                 done(Guarded(ToAnswer(std::move(reply), socket_)));
               });
}

}  // namespace fedra::dashboard
