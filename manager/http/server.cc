#include "manager/http/server.h"

#include <utility>

namespace fedra::httpd {
namespace {

Answer Refusal(int status, const std::string& message) {
  return {.status = status, .body = message + "\n"};
}

Service ServiceOf(WorkerPool& pool, WorkerPool& health, Pages pages) {
  return {.answer =
              [&pool, &health, pages = std::move(pages)](const Request& request,
                                                         std::function<void(Answer)> done) {
                WorkerPool& chosen = IsHealth(request.target) ? health : pool;
                chosen.Submit([&pages, target = request.target, done = std::move(done)] {
                  done(Route(target, pages));
                });
              },
          .is_urgent = [](const Request& request) { return IsHealth(request.target); },
          .refusal = Refusal};
}

Service ServiceOfHealth(WorkerPool& pool, Pages pages) {
  return {.answer =
              [&pool, pages = std::move(pages)](const Request& request,
                                                std::function<void(Answer)> done) {
                pool.Submit([&pages, target = request.target, done = std::move(done)] {
                  done(RouteHealth(target, pages));
                });
              },
          // A health page takes a moment: no request is refused for want of places.
          .is_urgent = [](const Request&) { return true; },
          .refusal = Refusal};
}

}  // namespace

HealthServer::HealthServer(http::HttpLoop& loop, Pages pages, ServerLimits limits)
    : listener_(loop, ServiceOfHealth(pool_, std::move(pages)), limits) {}

Result<void> HealthServer::Start(const std::string& address) {
  return listener_.ListenOn(address, "http.health");
}
void HealthServer::Stop() { listener_.Stop(); }
int HealthServer::port() const { return listener_.port(); }

HttpServer::HttpServer(http::HttpLoop& loop, WorkerPool& pool, Pages pages, ServerLimits limits)
    : listener_(loop, ServiceOf(pool, health_, std::move(pages)), limits) {}

Result<void> HttpServer::Start(const std::string& address) { return listener_.ListenOn(address); }
void HttpServer::Stop() { listener_.Stop(); }
int HttpServer::port() const { return listener_.port(); }

}  // namespace fedra::httpd
