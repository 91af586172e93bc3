// The only room of Boost.Beast.

#include "manager/http/server.h"

#include <atomic>
#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/log.h"
#include "cluster-clients/http/loop_asio.h"

namespace fedra::server {
namespace {

namespace beast = boost::beast;
using boost::asio::ip::tcp;

constexpr int kMaxConnections = 64;
constexpr std::chrono::seconds kIdleLimit{30};
constexpr size_t kMaxRequest = 16 << 10;

using Request = beast::http::request_parser<beast::http::empty_body>;
using Response = beast::http::response<beast::http::string_body>;

Result<tcp::endpoint> ParseAddress(const std::string& address) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  uint16_t port = 0;
  const std::string digits = colon == std::string::npos ? std::string() : address.substr(colon + 1);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  boost::system::error_code error;
  const auto ip = boost::asio::ip::make_address(host, error);
  if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() ||
      error)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("http.address \"{}\" is not IP:port", address));
  return tcp::endpoint(ip, port);
}

}  // namespace

// Lives as long as a connection or the server does. Everything but Start and port() on the io loop.
class HttpServer::Impl final : public std::enable_shared_from_this<HttpServer::Impl> {
 public:
  Impl(http::HttpLoop& loop, WorkerPool& pool, Pages pages)
      : loop_(loop), pool_(pool), pages_(std::move(pages)), acceptor_(http::Context(loop)) {}

  Result<void> Start(const std::string& address) {
    FEDRA_ASSIGN_OR_RETURN(const tcp::endpoint endpoint, ParseAddress(address));
    boost::system::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (error) {
      return Fail(ErrorCode::kConnection,
                  fmt::format("cannot listen on {} ({}); set http.address to a free one", address,
                              error.message()));
    }
    port_ = acceptor_.local_endpoint().port();
    loop_.Post([self = shared_from_this()] { self->Accept(); });
    return {};
  }

  void Stop() {
    loop_.Post([self = shared_from_this()] {
      boost::system::error_code ignored;
      self->acceptor_.close(ignored);
    });
  }

  int port() const { return port_; }

 private:
  struct Connection {
    explicit Connection(tcp::socket socket) : stream(std::move(socket)) { request.emplace(); }
    beast::tcp_stream stream;
    beast::flat_buffer buffer{kMaxRequest};
    std::optional<Request> request;
    Response response;
  };

  void Accept() {
    acceptor_.async_accept(
        [self = shared_from_this()](boost::system::error_code error, tcp::socket socket) {
          if (error == boost::asio::error::operation_aborted || !self->acceptor_.is_open()) return;
          if (!error && self->connections_ < kMaxConnections) {
            ++self->connections_;
            self->Read(std::shared_ptr<Connection>(new Connection(std::move(socket)),
                                                   [self](Connection* connection) {
                                                     --self->connections_;
                                                     delete connection;
                                                   }));
          }
          // Out of descriptors: trying again at once would only keep the loop busy.
          const std::chrono::milliseconds pause(error ? 100 : 0);
          self->loop_.After(pause, [self] { self->Accept(); });
        });
  }

  void Read(const std::shared_ptr<Connection>& connection) {
    connection->request.emplace();
    connection->stream.expires_after(kIdleLimit);
    beast::http::async_read(
        connection->stream, connection->buffer, *connection->request,
        [self = shared_from_this(), connection](boost::system::error_code error, size_t) {
          if (!error) self->AnswerOnPool(connection);
        });
  }

  void AnswerOnPool(const std::shared_ptr<Connection>& connection) {
    pool_.Submit([self = shared_from_this(), connection] {
      const auto& request = connection->request->get();
      const bool is_get = request.method() == beast::http::verb::get;
      Answer answer = is_get ? Route(std::string(request.target()), self->pages_)
                             : Answer{405, "text/plain; charset=utf-8", "only GET\n"};
      self->loop_.Post([self, connection, answer = std::move(answer)]() mutable {
        self->Write(connection, std::move(answer));
      });
    });
  }

  void Write(const std::shared_ptr<Connection>& connection, Answer answer) {
    const auto& request = connection->request->get();
    Response& response = connection->response;
    response = Response(static_cast<beast::http::status>(answer.status), request.version());
    response.set(beast::http::field::content_type, answer.content_type);
    response.keep_alive(request.keep_alive());
    response.body() = std::move(answer.body);
    response.prepare_payload();
    beast::http::async_write(
        connection->stream, response,
        [self = shared_from_this(), connection](boost::system::error_code error, size_t) {
          if (!error && connection->response.keep_alive()) self->Read(connection);
        });
  }

  http::HttpLoop& loop_;
  WorkerPool& pool_;
  const Pages pages_;
  tcp::acceptor acceptor_;
  std::atomic<int> connections_{0};
  int port_ = 0;
};

HttpServer::HttpServer(http::HttpLoop& loop, WorkerPool& pool, Pages pages)
    : impl_(std::make_shared<Impl>(loop, pool, std::move(pages))) {}
HttpServer::~HttpServer() { Stop(); }

Result<void> HttpServer::Start(const std::string& address) { return impl_->Start(address); }
void HttpServer::Stop() { impl_->Stop(); }
int HttpServer::port() const { return impl_->port(); }

}  // namespace fedra::server
