#include "manager/http/beast_connection.h"

#include <utility>

#include "manager/http/socket_name.h"

namespace fedra::httpd {

namespace beast = boost::beast;

Connection::Connection(Socket socket, std::shared_ptr<TlsIdentity> shown,
                       std::shared_ptr<Shares> shares)
    : stream(std::move(socket)),
      identity(std::move(shown)),
      client(ClientOf(stream.socket().native_handle())),
      stake(std::move(shares), PeerOf(stream.socket().native_handle())) {
  if (identity != nullptr) tls.emplace(stream, identity->context());
}

void ReadHeader(Connection& connection, Handler done) {
  if (connection.tls) {
    beast::http::async_read_header(*connection.tls, connection.buffer, *connection.parser,
                                   std::move(done));
  } else {
    beast::http::async_read_header(connection.stream, connection.buffer, *connection.parser,
                                   std::move(done));
  }
}

void ReadAll(Connection& connection, Handler done) {
  if (connection.tls) {
    beast::http::async_read(*connection.tls, connection.buffer, *connection.parser,
                            std::move(done));
  } else {
    beast::http::async_read(connection.stream, connection.buffer, *connection.parser,
                            std::move(done));
  }
}

void WriteSome(Connection& connection, Handler done) {
  if (connection.tls) {
    beast::http::async_write_some(*connection.tls, *connection.serializer, std::move(done));
  } else {
    beast::http::async_write_some(connection.stream, *connection.serializer, std::move(done));
  }
}

}  // namespace fedra::httpd
