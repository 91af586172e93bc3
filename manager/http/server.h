#pragma once
//
// The daemon's own HTTP server: /livez, /readyz, /metrics, /version. GET only, HTTP/1.1, a few
// connections.
//
// Accepts on the io loop; answers are made on the worker pool, because a page of metrics takes
// longer than a handler of the loop may. Health pages follow Kubernetes: 200 "ok" or 500, every
// check listed with ?verbose.
//
// Thread rules: Start and Stop from one thread; the page functions are called on worker threads.
// Lifetime: loop and pool must outlive it.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/worker_pool.h"
#include "cluster-clients/http/loop.h"

namespace fedra::server {

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

class HttpServer final {
 public:
  HttpServer(http::HttpLoop& loop, WorkerPool& pool, Pages pages);
  ~HttpServer();

  // "127.0.0.1:9480"; port 0 lets the system choose. kInvalidArgument, or kConnection when the
  // address is taken.
  Result<void> Start(const std::string& address);
  void Stop();
  // The port that is listened on; 0 before Start.
  int port() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fedra::server
