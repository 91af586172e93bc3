#include "manager/http/beast_connection.h"

#include <utility>

#include <boost/asio/write.hpp>

#include "manager/http/socket_name.h"

namespace fedra::httpd {

namespace beast = boost::beast;

Connection::Connection(Socket socket, std::shared_ptr<TlsIdentity> shown,
                       std::shared_ptr<Shares> shares)
    : stream(std::move(socket)),
      identity(std::move(shown)),
      stake(std::move(shares), PeerOf(stream.socket().native_handle())) {
  if (identity != nullptr) tls.emplace(stream, identity->context());
}

namespace {

// What the client reads and writes: with TLS what is in it.
void OnStream(Connection& connection, const auto& run) {
  if (connection.tls) return run(*connection.tls);
  run(connection.stream);
}

}  // namespace

void ReadHeader(Connection& connection, Handler done) {
  OnStream(connection, [&](auto& stream) {
    beast::http::async_read_header(stream, connection.buffer, *connection.parser, std::move(done));
  });
}

void ReadAll(Connection& connection, Handler done) {
  OnStream(connection, [&](auto& stream) {
    beast::http::async_read(stream, connection.buffer, *connection.parser, std::move(done));
  });
}

void WriteSome(Connection& connection, Handler done) {
  OnStream(connection, [&](auto& stream) {
    beast::http::async_write_some(stream, *connection.serializer, std::move(done));
  });
}

void WriteText(Connection& connection, const std::string& text, Handler done) {
  OnStream(connection, [&](auto& stream) {
    boost::asio::async_write(stream, boost::asio::buffer(text), std::move(done));
  });
}

void ReadBytes(Connection& connection, std::span<char> bytes, Handler done) {
  OnStream(connection, [&](auto& stream) {
    stream.async_read_some(boost::asio::buffer(bytes.data(), bytes.size()), std::move(done));
  });
}

}  // namespace fedra::httpd
