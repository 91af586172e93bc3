#pragma once
//
// The daemon's own HTTP servers: /livez, /readyz, /metrics, /version, and the first two alone. A
// few connections.
//
// Accepts on the io loop; answers are made on the worker pool, because a page of metrics takes
// longer than a handler of the loop may. Health pages follow Kubernetes: 200 "ok" or 500, every
// check listed with ?verbose. They have a thread of their own and, however many clients keep
// connections open without asking, always a connection: a kubelet that gets no answer kills us.
//
// Thread rules: Start and Stop from one thread; livez and readyz are called on the server's own
// thread, metrics and version on the pool's. Lifetime: loop and pool must outlive it.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/worker_pool.h"
#include "cluster-clients/http/loop.h"
#include "manager/http/listener.h"
#include "manager/http/message.h"

namespace fedra::httpd {

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
  // Called for every answer, with its page, "metrics", or "other" where there is no such page. The
  // loop's thread. Null: answers are not counted.
  std::function<void(std::string_view page, int status)> on_answer = {};
};

// The answer to GET `target`. Pure but for the page functions; tested without sockets.
Answer Route(const std::string& target, const Pages& pages);
// Of health pages alone, and without names or reasons: what is asked from outside. As of
// kube-apiserver (k8s.io/apiserver 1.36, pkg/server/healthz): "[-]etcd failed: reason withheld".
Answer RouteHealth(const std::string& target, const Pages& pages);
// Whether `target` is a health page, which must not wait for the others.
bool IsHealth(const std::string& target);
// "livez", "metrics": as Pages::on_answer has it.
std::string_view PageName(std::string_view target);

// The health pages alone, on a socket and a thread of their own: what is open to every kubelet.
class HealthServer final {
 public:
  HealthServer(http::HttpLoop& loop, Pages pages, ServerLimits limits = {});

  // As of HttpServer.
  Result<void> Start(const std::string& address);
  void Stop();
  int port() const;

 private:
  WorkerPool pool_{1};
  Listener listener_;
};

class HttpServer final {
 public:
  HttpServer(http::HttpLoop& loop, WorkerPool& pool, Pages pages, ServerLimits limits = {});

  // "127.0.0.1:9480"; port 0 lets the system choose. kInvalidArgument, or kConnection when the
  // address is taken.
  Result<void> Start(const std::string& address);
  void Stop();
  // The port that is listened on; 0 before Start.
  int port() const;

 private:
  WorkerPool health_{1};
  Listener listener_;
};

}  // namespace fedra::httpd
