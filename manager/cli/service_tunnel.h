#pragma once
//
// A way from this machine to fedra's Service in a cluster: `kubectl port-forward` as a child, with
// the rights of the user who runs the command. As kubectl 1.36 prints it
// (k8s.io/client-go/tools/portforward/portforward.go, listenOnPortAndAddress).
//
// The API server's own proxy (services/proxy) would not do: it takes the Authorization header out
// of what it passes on (k8s.io/apiserver/pkg/endpoints/filters/authentication.go), and that header
// is how fedra knows who asks.
//
// Thread rules: made and destroyed by the thread that started the process, for the child ends with
// that thread; port() from any. It has a thread of its own.

#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <sys/types.h>

#include "base/result.h"
#include "manager/cli/api_service.h"

namespace fedra::cli {

class ServiceTunnel final {
 public:
  // kUnavailable: what kubectl says, or that it says nothing for long; kNotFound: there is none.
  static Result<std::shared_ptr<ServiceTunnel>> Open(const ApiService& service,
                                                     const ContextChoice& context);
  ~ServiceTunnel();
  ServiceTunnel(const ServiceTunnel&) = delete;
  ServiceTunnel& operator=(const ServiceTunnel&) = delete;

  // On 127.0.0.1.
  int port() const { return port_; }

 private:
  ServiceTunnel(pid_t child, int out, int err) : child_(child), out_(out), err_(err) {}
  // Until the child says where it listens. kUnavailable, kNotFound: as of Open().
  Result<void> WaitForPort();
  void End();

  pid_t child_;  // and its process group; -1: it has ended
  const int out_;
  const int err_;
  int port_ = 0;
  std::thread drain_;  // a pipe that is full would stop the child
};

// "Forwarding from 127.0.0.1:41234 -> 8443" -> 41234; 0: the line says something else.
int ForwardedPort(std::string_view line);

}  // namespace fedra::cli
