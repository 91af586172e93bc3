#pragma once
//
// The daemon's API, asked by a command (--server, or by itself where the store is not for this
// user).
//
// Thread rules: one thread at a time. It has threads of its own while it lives.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cluster-clients/http/client.h"
#include "cluster-clients/kube/auth.h"
#include "cluster-clients/threads.h"
#include "manager/cli/daemon_address.h"
#include "manager/cli/terminal/terminal.h"
#include "manager/text/output.h"

namespace fedra::cli {

// The first of these paths at which this user may connect; nothing: at none.
std::optional<std::string> FindSocket(const std::vector<std::string>& paths);
// Where none is for this user: the first of these paths that is refused to them. One that is seen
// to be a socket comes before one in a folder that they may not look into.
std::optional<std::string> FindForbiddenSocket(const std::vector<std::string>& paths);
// "members of the group fedra-view may ask it (api.group)": of a socket that is refused.
std::string WhoMayAsk(const std::string& socket);

class RemoteDaemon final {
 public:
  explicit RemoteDaemon(const DaemonAddress& address);
  ~RemoteDaemon();

  // What the daemon says to GET `target`: text, and what belongs on standard error. kConnection:
  // no daemon listens; kUnauthorized, also when there is no token to send; else what the answer's
  // status means, with the daemon's message.
  Result<text::Output> Ask(const std::string& target);
  // The same to POST `target` with a document of JSON.
  Result<text::Output> Post(const std::string& target, std::string document);

  // From any thread: what is being asked ends with kCancelled, and so does all that is asked later.
  void Stop();

 private:
  Result<text::Output> Send(http::Request request);
  // The header's value; empty: none is needed.
  Result<std::string> Authorization();

  const std::string name_;
  const std::shared_ptr<ServiceTunnel> tunnel_;  // null: there is none
  Threads threads_{1};
  const std::shared_ptr<kube::CredentialSource> user_;  // null: at a Unix socket
  http::Client client_;
};

// Writes what a daemon said in this command's place ("devices"). The exit code: what it ends with,
// or 1 when `answer` is an error.
int Finish(const char* command, const Result<text::Output>& answer, Terminal& terminal);

// What may be shown on a terminal of what another process sent: text, and colours.
std::string OnlyText(std::string_view sent);

}  // namespace fedra::cli
