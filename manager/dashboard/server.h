#pragma once
//
// The pages on a port of 127.0.0.1, and the daemon's API behind them: what it takes is passed on to
// its Unix socket, which this user may open or may not. No right is added to that.
//
// Thread rules: Start and the destructor from one thread. It has threads of its own.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster-clients/http/client.h"
#include "cluster-clients/threads.h"
#include "manager/dashboard/gate.h"
#include "manager/dashboard/relay.h"
#include "manager/http/listener.h"

namespace fedra::dashboard {

class Server final {
 public:
  // `port`: 0 lets the system choose. kConnection when it is taken; kUnavailable.
  static Result<std::unique_ptr<Server>> Start(const std::string& socket, int port);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // For the browser of this user alone: it holds the secret.
  std::string Address() const;

 private:
  Server(std::string socket, std::string secret);
  void Answer(const httpd::Request& request, std::function<void(httpd::Answer)> done);
  void PassOn(const httpd::Request& request, std::function<void(httpd::Answer)> done);
  void PassOnStream(const httpd::Request& request, std::function<void(httpd::Answer)> done);

  const std::string socket_;
  const std::string secret_;
  Threads threads_{1};
  http::Client client_;
  std::vector<std::weak_ptr<Relay>> relays_;  // loop thread
  httpd::Listener listener_;
};

}  // namespace fedra::dashboard
