#pragma once
//
// One client's connection, with TLS or without, for listener.cc alone: including this pulls in
// Beast.
//
// Thread rules: the loop's thread; destroyed on any. Lifetime: what a function below began must end
// before the connection does, so its handler owns the connection.

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core.hpp>

#include "base/clock.h"
#include "manager/http/beast_message.h"
#include "manager/http/shares.h"
#include "manager/http/tls.h"
#include "manager/http/write_pace.h"

namespace fedra::httpd {

// TCP and Unix sockets alike.
using Protocol = boost::asio::generic::stream_protocol;
using Socket = Protocol::socket;
using Stream = boost::beast::basic_stream<Protocol>;
using TlsStream = boost::asio::ssl::stream<Stream&>;

class LongAnswer;

struct Connection {
  // `shown`: null: no TLS.
  Connection(Socket socket, std::shared_ptr<TlsIdentity> shown, std::shared_ptr<Shares> shares);

  Stream stream;
  std::shared_ptr<TlsIdentity> identity;
  std::optional<TlsStream> tls;  // over `stream`
  Stake stake;
  boost::beast::flat_buffer buffer{kMaxRequest};
  std::optional<Parser> parser;
  // The answer that is being written.
  Response response;
  std::optional<Serializer> serializer;
  std::optional<WritePace> pace;
  std::shared_ptr<LongAnswer> long_answer;  // that goes on behind it; null: it does not
  // Among those that wait for their clients, and since when it has heard nothing of its own.
  std::optional<std::list<std::shared_ptr<Connection>>::iterator> place;
  SteadyTime quiet_since{};
  bool sends_body = false;
  size_t requests = 0;
  size_t discarded = 0;  // bytes, after the last answer
};

// When it is done, or has failed, with the number of bytes.
using Handler = std::function<void(boost::system::error_code error, size_t bytes)>;

void ReadHeader(Connection& connection, Handler done);
void ReadAll(Connection& connection, Handler done);
// Some of the answer: as much as the client takes now.
void WriteSome(Connection& connection, Handler done);
// Outside of messages: all of the text, and some bytes. Both must stay until it is done.
void WriteText(Connection& connection, const std::string& text, Handler done);
void ReadBytes(Connection& connection, std::span<char> bytes, Handler done);

}  // namespace fedra::httpd
