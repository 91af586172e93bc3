#pragma once
//
// One listening socket, TCP, with TLS or without, or Unix: HTTP/1.1, GET and HEAD, POST where the
// service takes it, each client within limits.
//
// Reads and writes on the io loop that it is given; who answers is the service's business. A
// connection that waits for its client, for a request or for an answer to be taken, makes room for
// a new one: of the client who has most connections the one that has been quiet for longest. So a
// crowd of silent clients keeps no other client out, and neither do those who ask and do not read.
//
// Thread rules: the functions below from one thread. Lifetime: the loop must outlive it, and the
// service what was given to it.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cluster-clients/http/loop.h"
#include "manager/http/message.h"
#include "manager/http/write_pace.h"

namespace fedra::httpd {

// What one client may take from the others.
struct ServerLimits {
  // Open at once. Beyond it one makes room. For half as many questions answers are made at once.
  size_t connections = 64;
  // From accepting to the end of the headers; of TLS to the end of the handshake, and once more.
  std::chrono::milliseconds first_request{5'000};
  std::chrono::milliseconds next_request{60'000};  // the same, on a connection that is used again
  std::chrono::milliseconds body{10'000};          // of a POST, from the end of its headers
  WriteLimits write;                               // of one answer
  size_t requests = 1'000;                         // on one connection; the last is answered so
  // Of answers that their readers have not taken yet, together; a single one may be longer. Beyond
  // it those go that have stalled, and those of clients who have more of them than the next reader;
  // if there are none, the next reader gets a 503. An answer no longer than kMaxRequest, as a
  // health page is, is never refused so.
  size_t answer_bytes = size_t{64} << 20;
  std::chrono::milliseconds stalled{500};  // nothing of an answer has been taken for so long
  // That are being read at once, each of at most kMaxBody. Beyond it one goes as beyond
  // `connections`.
  size_t bodies = 8;
  // Of bodies that have been read and wait for their answers, together; each counts for kLeastBody
  // at least. Beyond it, and of a client beyond MayTake (shares.h), there is a 503.
  size_t body_bytes = size_t{8} << 20;
  // Answers that go on, at once; beyond it there is a 503. They are no questions, and none of them
  // makes room. With half of the connections for questions there must be room for both.
  size_t streams = 16;
  size_t streams_of_client = 16;                   // as of Stake::MayStream
  std::chrono::milliseconds stream_write{10'000};  // for the client to take one text of it
};

// What is posted takes longer to answer than what is asked: so of 8 MiB there are 64 bodies at
// most, and questions without one have a place beside them.
inline constexpr size_t kLeastBody = size_t{128} << 10;

class TlsIdentity;

struct Service {
  // Calls `done` once, on whatever thread. Runs on the loop's thread, so it may only pass on.
  std::function<void(Request request, std::function<void(Answer)> done)> answer;
  // Whether it is answered although there are too many questions. Any thread.
  std::function<bool(const Request& request)> is_urgent;
  // The page for what is not asked of `answer`: no HTTP, too long, too much at a time. Loop thread.
  std::function<Answer(int status, const std::string& message)> refusal;
  // Whether this target is asked by POST, and by nothing else: such a POST is read. Loop thread.
  // Null: none is.
  std::function<bool(const Request& headers)> takes_post = {};
  // The answer to a POST whose headers say enough: its body is not read. Loop thread. Null: none is
  // refused so.
  std::function<std::optional<Answer>(const Request& headers)> refuses_post = {};
  // Called for every answer, refusals included, before it is written. `target`: of the request, as
  // far as it was read. Loop thread. Null: answers are not counted.
  std::function<void(std::string_view target, int status)> on_answer = {};
};

class Listener final {
 public:
  Listener(http::HttpLoop& loop, Service service, ServerLimits limits);
  ~Listener();

  // "127.0.0.1:9480"; port 0 lets the system choose. `key`: of the configuration, for the message.
  // kInvalidArgument, or kConnection when the address is taken: it may be tried again.
  Result<void> ListenOn(const std::string& address, const std::string& key = "http.address");
  // From now on new connections are TLS, and this is what they are shown. Before ListenOn: there is
  // no other one.
  void Use(std::shared_ptr<TlsIdentity> identity);
  // A Unix socket that listens already; it belongs to the listener now. kConnection.
  Result<void> Adopt(int socket);
  void Stop();
  // The port that is listened on; 0 before ListenOn.
  int port() const;

 private:
  class Impl;
  http::HttpLoop& loop_;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fedra::httpd
