#pragma once
//
// The API on a Unix socket, with threads of its own: one that reads and writes, one that answers,
// one that checks. So neither a crowd of clients nor a slow one delays the daemon's own work, and a
// check no other answer.
//
// Thread rules: Start and the destructor from one thread. Lifetime: what the API's sources refer to
// must outlive it.

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "manager/api/answer_threads.h"
#include "manager/api/api.h"
#include "manager/api/streams.h"
#include "manager/http/listener.h"
#include "manager/http/unix_socket.h"

namespace fedra::api {

// Many people and their scripts, each for a moment.
inline constexpr httpd::ServerLimits kLimits{.connections = 256, .streams = 64};

class Server final {
 public:
  // On a socket of its own. Errors: as of UnixSocket::Make.
  static Result<std::unique_ptr<Server>> OnSocket(const httpd::UnixSocketSettings& settings,
                                                  Sources sources,
                                                  httpd::ServerLimits limits = kLimits);
  // On one that listens already; it belongs to the server.
  static Result<std::unique_ptr<Server>> OnReceived(int socket, Sources sources,
                                                    httpd::ServerLimits limits = kLimits);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  Server(Sources sources, httpd::ServerLimits limits);
  httpd::Service ServiceOfApi();

  const std::function<void()> stop_check_;                      // may be null
  const std::function<void(std::string_view, int)> on_answer_;  // likewise
  Streams streams_;
  const Api api_;
  std::optional<httpd::UnixSocket> socket_;
  AnswerThreads threads_{1};
  httpd::Listener listener_;
};

}  // namespace fedra::api
