#pragma once
//
// What the tests of the simulation share: short ways to call a server, and a client that speaks
// TLS.

#include <memory>
#include <optional>
#include <string>

#include "tests/sim/server.h"

namespace fedra::sim {

// An answer with its body parsed.
struct JsonReply {
  int status = 0;
  Json body;
};

JsonReply Get(Server& server, const std::string& target, const std::string& user = "admin");
JsonReply Post(Server& server, const std::string& target, const Json& body,
               const std::string& user = "admin");
JsonReply Put(Server& server, const std::string& target, const Json& body);
JsonReply Merge(Server& server, const std::string& target, const Json& patch);
// Server-side apply; `more` is appended to the query, for example "&force=true".
JsonReply Apply(Server& server, const std::string& target, const std::string& manager,
                const Json& config, const std::string& more = "");
JsonReply Remove(Server& server, const std::string& target, const Json& options = Json::object());

// A ConfigMap to play with.
Json ConfigMap(const std::string& name, const Json& data = Json::object());
// A Job of one pod that a real server would accept.
Json Job(const std::string& ns, const std::string& name);

// A TLS connection that trusts `ca_pem` and sends raw HTTP/1.1 requests. Blocking, with a time
// limit of some seconds on everything.
class Client final {
 public:
  Client(uint16_t port, const std::string& ca_pem, const ClientCertificate& certificate = {});
  ~Client();

  // False: no connection or no trust; the reason is in error().
  bool Connect(std::chrono::milliseconds limit = std::chrono::seconds(5));
  // Why the last thing failed.
  const std::string& error() const;
  // Sends a request with the admin's token unless `token` says otherwise ("": none).
  bool Send(const std::string& method, const std::string& target, const std::string& body = "",
            const std::string& content_type = "application/json",
            const std::string& token = "admin-token");
  // Reads head and body of an answer with a Content-Length. Nothing: the connection ended or time
  // was up.
  std::optional<Reply> Receive(std::chrono::milliseconds limit = std::chrono::seconds(5));
  // Reads one line of a chunked answer, the head included before the first. Nothing: it ended or
  // time was up.
  std::optional<std::string> ReceiveLine(std::chrono::milliseconds limit = std::chrono::seconds(5));

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra::sim
