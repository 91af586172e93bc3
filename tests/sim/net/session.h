#pragma once
//
// One TLS connection: the handshake, which decides between HTTP/2 and HTTP/1.1 (ALPN, RFC 7301),
// bytes in and out, and the faults that concern a connection as a whole.
//
// Thread rules: everything runs on the cluster's loop.
// Lifetime: a read is always outstanding, and keeps it alive; while the fault `hang` holds it up it
// does so itself. Close() ends both. Owns the protocol, and with it all requests, to its own end:
// after Close() the protocol is not asked any more, but it may be what has called.

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>

#include "tests/sim/core.h"
#include "tests/sim/http/exchange.h"
#include "tests/sim/http/protocol.h"

namespace fedra::sim {

class Session final : public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<Core> core, std::shared_ptr<boost::asio::ssl::context> tls,
          boost::asio::ip::tcp::socket socket);
  ~Session();

  void Start();
  // Resets the connection.
  void Close();
  // Says goodbye where the protocol can, and closes the connection soon, whatever the client does.
  // `until_closed` is held until then.
  void Leave(std::shared_ptr<void> until_closed);
  // The faults changed: goes on where a fault held it up.
  void Resume();

 private:
  bool IsHeldUp();
  void Handshake();
  void Speak();
  Peer PeerOf();
  void Read();
  // What has come already. False: nothing.
  bool ReadNow();
  void Feed();
  void Pump();

  const std::shared_ptr<Core> core_;
  const std::shared_ptr<boost::asio::ssl::context> tls_;
  boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream_;
  boost::asio::steady_timer farewell_;
  std::unique_ptr<Protocol> protocol_;  // null pointer: the handshake is not done
  std::array<char, 16 << 10> input_;
  size_t received_ = 0;  // bytes of `input_` that the protocol has not got yet
  std::string output_;

  bool closed_ = false;
  bool writing_ = false;  // a write is outstanding
  // Itself, while something waits for the fault `hang` to end: with nothing outstanding the session
  // would be destroyed, and its peer would see a reset instead of silence.
  std::shared_ptr<Session> held_;
  std::shared_ptr<void> until_closed_;
};

}  // namespace fedra::sim
