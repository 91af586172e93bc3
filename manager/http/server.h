#pragma once
//
// The daemon's own HTTP server: /livez, /readyz, /metrics, /version. GET and HEAD, HTTP/1.1, a few
// connections.
//
// Accepts on the io loop; answers are made on the worker pool, because a page of metrics takes
// longer than a handler of the loop may. Health pages follow Kubernetes: 200 "ok" or 500, every
// check listed with ?verbose. They have a thread of their own and, however many clients keep
// connections open without asking, always a connection: a kubelet that gets no answer kills us.
//
// Thread rules: Start and Stop from one thread; livez and readyz are called on the server's own
// thread, metrics and version on the pool's. Lifetime: loop and pool must outlive it.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/worker_pool.h"
#include "cluster-clients/http/loop.h"

namespace fedra::pages {

// One line of /livez or /readyz.
struct HealthCheck {
  std::string name;
  std::string problem;         // empty: ok
  bool informational = false;  // shown, but never makes the page fail: one dead worker is no reason
};

struct Pages {
  std::function<std::vector<HealthCheck>()> livez;
  std::function<std::vector<HealthCheck>()> readyz;
  std::function<std::string()> metrics;
  std::function<std::string()> version;  // JSON
};

struct Answer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};
// The answer to GET `target`. Pure but for the page functions; tested without sockets.
Answer Route(const std::string& target, const Pages& pages);
// Whether `target` is a health page, which must not wait for the others.
bool IsHealth(const std::string& target);

// What one client may take from the others.
struct ServerLimits {
  // Open at once. Beyond it the connection goes that has waited longest for its client's request.
  size_t connections = 64;
  std::chrono::milliseconds first_request{5'000};  // from accepting to the end of the headers
  std::chrono::milliseconds next_request{60'000};  // the same, on a connection that is used again
  std::chrono::milliseconds write{30'000};         // one answer
};

class HttpServer final {
 public:
  HttpServer(http::HttpLoop& loop, WorkerPool& pool, Pages pages, ServerLimits limits = {});
  ~HttpServer();

  // "127.0.0.1:9480"; port 0 lets the system choose. kInvalidArgument, or kConnection when the
  // address is taken.
  Result<void> Start(const std::string& address);
  void Stop();
  // The port that is listened on; 0 before Start.
  int port() const;

 private:
  class Impl;
  http::HttpLoop& loop_;
  WorkerPool health_{1};
  std::shared_ptr<Impl> impl_;
};

}  // namespace fedra::pages
