#include "manager/http/server.h"

#include <utility>

namespace fedra::httpd {
namespace {

Answer Refusal(int status, const std::string& message) {
  return {.status = status, .body = message + "\n"};
}

// Of what was asked, with names that are few.
std::function<void(std::string_view, int)> Named(
    std::function<void(std::string_view page, int status)> on_answer) {
  if (!on_answer) return {};
  return [on_answer = std::move(on_answer)](std::string_view target, int status) {
    on_answer(PageName(target), status);
  };
}

Service ServiceOf(WorkerPool& pool, WorkerPool& health, Pages pages) {
  auto on_answer = Named(pages.on_answer);
  return {.answer =
              [&pool, &health, pages = std::move(pages)](const Request& request,
                                                         std::function<void(Answer)> done) {
                WorkerPool& chosen = IsHealth(request.target) ? health : pool;
                chosen.Submit([&pages, target = request.target, done = std::move(done)] {
                  done(Route(target, pages));
                });
              },
          .is_urgent = [](const Request& request) { return IsHealth(request.target); },
          .refusal = Refusal,
          .on_answer = std::move(on_answer)};
}

Service ServiceOfHealth(WorkerPool& pool, Pages pages) {
  auto on_answer = Named(pages.on_answer);
  return {.answer =
              [&pool, pages = std::move(pages)](const Request& request,
                                                std::function<void(Answer)> done) {
                pool.Submit([&pages, target = request.target, done = std::move(done)] {
                  done(RouteHealth(target, pages));
                });
              },
          // A health page takes a moment: no request is refused for want of places.
          .is_urgent = [](const Request&) { return true; },
          .refusal = Refusal,
          .on_answer = std::move(on_answer)};
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
