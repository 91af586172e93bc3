#pragma once
//
// HTTP requests to one server: a libcurl multi handle of its own, driven by the io loop.
//
// One multi handle per server, because in libcurl 7.88 a server that accepts connections and never
// answers holds up every other transfer of the same handle. HTTP/2 multiplexes everything over one
// connection; when the server speaks only HTTP/1.1 there are as many connections as requests.
// After two time-outs in a row, and when the client certificate changes, all connections are
// dropped: libcurl would go on using a dead HTTP/2 connection, and a new key of the same
// certificate is not seen by it.
//
// Thread rules: every function may be called from any thread; `done` and stream handlers run on the
// io loop thread.
// Lifetime: the loop must outlive the client. The destructor ends everything with kCancelled and
// does not wait for it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "cluster-clients/http/message.h"

namespace fedra::http {

class HttpLoop;

class Client final {
 public:
  using TransferId = uint64_t;
  using Done = std::function<void(Reply reply)>;

  Client(HttpLoop& loop, Endpoint endpoint);
  ~Client();

  // `done` is called exactly once.
  TransferId Send(Request request, Done done);
  TransferId Stream(Request request, StreamHandler handler);
  // Ends the transfer with kCancelled, unless it has ended already.
  void Cancel(TransferId transfer);

  // Ends every transfer and drops every connection. The error is always kConnection, with `why` as
  // its message: any other code would look like the server's answer, such as a 404.
  void Reset(std::string why);
  // Likewise, but only the streams; requests go on.
  void EndStreams(std::string why);
  // Like Reset, and connects with other credentials from now on.
  void SetClientCertificate(std::string certificate_pem, std::string key_pem);
  // Ends everything with kCancelled, now and from now on.
  void Shutdown();

 private:
  class Core;
  void Run(std::function<void(Core& core)> task);

  HttpLoop& loop_;
  const std::shared_ptr<Core> core_;
};

}  // namespace fedra::http
