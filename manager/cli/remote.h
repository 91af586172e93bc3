#pragma once
//
// The daemon's API, asked by a command (--server, or by itself where the store is not for this
// user).
//
// Thread rules: one thread at a time. It has threads of its own while it lives.

#include <optional>
#include <string>

#include "base/result.h"
#include "cluster-clients/http/client.h"
#include "cluster-clients/threads.h"
#include "manager/text/output.h"

namespace fedra::cli {

// "unix:/run/fedra/fedra.sock" -> the path. kInvalidArgument, with the form to use.
Result<std::string> SocketIn(const std::string& server);

// The first of these paths at which this user may connect; nothing: at none.
std::optional<std::string> FindSocket(const std::vector<std::string>& paths);

class RemoteDaemon final {
 public:
  explicit RemoteDaemon(std::string socket);

  // What the daemon says to GET `target`: text, and what belongs on standard error. kConnection:
  // no daemon listens; else what the answer's status means, with the daemon's message.
  Result<text::Output> Ask(const std::string& target);

 private:
  const std::string socket_;
  Threads threads_{1};
  http::Client client_;
};

// What may be shown on a terminal of what another process sent: text, and colours.
std::string OnlyText(std::string_view sent);

}  // namespace fedra::cli
