// The only room of Boost.Beast.

#include "manager/http/server.h"

#include <atomic>
#include <charconv>
#include <chrono>
#include <list>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/log.h"
#include "cluster-clients/http/loop_asio.h"

namespace fedra::pages {
namespace {

namespace beast = boost::beast;
using boost::asio::ip::tcp;

using std::chrono::milliseconds;

constexpr const char* kText = "text/plain; charset=utf-8";
// Of request line and headers; 16 KiB is what most servers take.
constexpr size_t kMaxRequest = 16 << 10;
// How long, and for how much, we listen to a client that has had its last answer.
constexpr milliseconds kGoodbye{2'000};
constexpr size_t kMaxDiscarded = 1 << 20;

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

// The answer to what is no request that we take; nothing when there is none to answer.
std::optional<Answer> WhyUnreadable(boost::system::error_code why, const Request& request,
                                    const beast::flat_buffer& buffer) {
  using beast::http::error;
  if (why.category() != make_error_code(error::bad_method).category()) return std::nullopt;
  if (why == error::end_of_stream || why == error::partial_message) return std::nullopt;
  if (why != error::header_limit && why != error::buffer_overflow)
    return Answer{400, kText, fmt::format("not an HTTP request: {}\n", why.message())};
  const std::string_view read(static_cast<const char*>(buffer.data().data()), buffer.size());
  const bool has_line = !request.get().target().empty() || read.find('\n') != read.npos;
  if (has_line)
    return Answer{431, kText, fmt::format("the headers are longer than {} bytes\n", kMaxRequest)};
  return Answer{414, kText, fmt::format("the URL is longer than {} bytes\n", kMaxRequest)};
}

}  // namespace

// Lives as long as a connection or the server does. Everything but Start and port() on the io loop.
class HttpServer::Impl final : public std::enable_shared_from_this<HttpServer::Impl> {
 public:
  Impl(http::HttpLoop& loop, WorkerPool& pool, WorkerPool& health, Pages pages, ServerLimits limits)
      : loop_(loop),
        pool_(pool),
        health_(health),
        pages_(std::move(pages)),
        limits_(limits),
        acceptor_(http::Context(loop)) {}

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

  // After the loop has run what was posted, nothing is asked of the pools any more.
  void Stop() {
    loop_.Post([self = shared_from_this()] {
      boost::system::error_code ignored;
      self->acceptor_.close(ignored);
      for (const auto& connection : self->waiting_) {
        connection->place.reset();
        connection->stream.close();
      }
      self->waiting_.clear();
    });
  }

  int port() const { return port_; }

 private:
  struct Connection;
  using Waiting = std::list<std::shared_ptr<Connection>>;

  struct Connection {
    explicit Connection(tcp::socket socket) : stream(std::move(socket)) {}
    beast::tcp_stream stream;
    beast::flat_buffer buffer{kMaxRequest};
    std::optional<Request> request;
    Response response;
    std::optional<Waiting::iterator> place;  // in waiting_
    bool is_page = false;                    // what is being answered counts in pages_under_way_
    size_t discarded = 0;                    // bytes, after the last answer
  };

  void Accept() {
    acceptor_.async_accept(
        [self = shared_from_this()](boost::system::error_code error, tcp::socket socket) {
          if (error == boost::asio::error::operation_aborted || !self->acceptor_.is_open()) return;
          if (!error && self->HasRoom()) self->Take(std::move(socket));
          // Out of descriptors: trying again at once would only keep the loop busy.
          const std::chrono::milliseconds pause(error ? 100 : 0);
          self->loop_.After(pause, [self] { self->Accept(); });
        });
  }

  // False when every connection is being answered: health pages are, at once, and others are never
  // that many.
  bool HasRoom() {
    if (connections_ < limits_.connections) return true;
    if (waiting_.empty()) return false;
    const std::shared_ptr<Connection> oldest = waiting_.front();
    StopWaiting(*oldest);
    oldest->stream.close();
    return true;
  }

  void Take(tcp::socket socket) {
    ++connections_;
    std::shared_ptr<Connection> connection(new Connection(std::move(socket)),
                                           [self = shared_from_this()](Connection* gone) {
                                             --self->connections_;
                                             delete gone;
                                           });
    Read(connection, limits_.first_request);
  }

  void Read(const std::shared_ptr<Connection>& connection, milliseconds limit) {
    if (!acceptor_.is_open()) return;
    connection->request.emplace();
    connection->request->header_limit(kMaxRequest);
    Wait(connection);
    connection->stream.expires_after(limit);
    beast::http::async_read_header(
        connection->stream, connection->buffer, *connection->request,
        [self = shared_from_this(), connection](boost::system::error_code error, size_t) {
          self->StopWaiting(*connection);
          if (!self->acceptor_.is_open()) return;
          if (error) return self->Refuse(connection, error);
          self->OnRequest(connection);
        });
  }

  // A connection that waits for nothing from us makes room for others.
  void Wait(const std::shared_ptr<Connection>& connection) {
    connection->place = waiting_.insert(waiting_.end(), connection);
  }
  void StopWaiting(Connection& connection) {
    if (connection.place) waiting_.erase(*std::exchange(connection.place, std::nullopt));
  }

  // A client that only went away, or never asked, gets no answer.
  void Refuse(const std::shared_ptr<Connection>& connection, boost::system::error_code error) {
    if (auto answer = WhyUnreadable(error, *connection->request, connection->buffer))
      Write(connection, *std::move(answer));
  }

  void OnRequest(const std::shared_ptr<Connection>& connection) {
    const auto& request = connection->request->get();
    const bool is_read =
        request.method() == beast::http::verb::get || request.method() == beast::http::verb::head;
    if (!is_read) return Write(connection, {405, kText, "only GET and HEAD\n"});
    const std::string target(request.target());
    connection->is_page = !IsHealth(target);
    if (connection->is_page && ++pages_under_way_ > limits_.connections / 2)
      return Write(connection, {503, kText, "too many requests at a time\n"});
    WorkerPool& pool = connection->is_page ? pool_ : health_;
    pool.Submit([self = shared_from_this(), connection, target] {
      Answer answer = Route(target, self->pages_);
      self->loop_.Post([self, connection, answer = std::move(answer)]() mutable {
        self->Write(connection, std::move(answer));
      });
    });
  }

  void Write(const std::shared_ptr<Connection>& connection, Answer answer) {
    if (!acceptor_.is_open()) return;
    const auto& request = connection->request->get();
    Response& response = connection->response;
    response = Response(static_cast<beast::http::status>(answer.status), 11);
    response.set(beast::http::field::content_type, answer.content_type);
    if (answer.status == 405) response.set(beast::http::field::allow, "GET, HEAD");
    // Behind a body that we do not read there is no next request to be found.
    response.keep_alive(connection->request->is_done() && request.keep_alive());
    response.content_length(answer.body.size());
    if (request.method() != beast::http::verb::head) response.body() = std::move(answer.body);
    connection->stream.expires_after(limits_.write);
    beast::http::async_write(
        connection->stream, response,
        [self = shared_from_this(), connection](boost::system::error_code error, size_t) {
          if (std::exchange(connection->is_page, false)) --self->pages_under_way_;
          if (error) return;
          if (connection->response.keep_alive()) {
            return self->Read(connection, self->limits_.next_request);
          }
          connection->stream.socket().shutdown(tcp::socket::shutdown_send, error);
          connection->stream.expires_after(kGoodbye);
          self->Discard(connection);
        });
  }

  // To close a socket with unread bytes is a reset, which may overtake the answer.
  void Discard(const std::shared_ptr<Connection>& connection) {
    connection->buffer.clear();
    Wait(connection);
    connection->stream.async_read_some(
        connection->buffer.prepare(kMaxRequest),
        [self = shared_from_this(), connection](boost::system::error_code error, size_t size) {
          self->StopWaiting(*connection);
          connection->discarded += size;
          if (!error && connection->discarded < kMaxDiscarded) self->Discard(connection);
        });
  }

  http::HttpLoop& loop_;
  WorkerPool& pool_;
  WorkerPool& health_;
  const Pages pages_;
  const ServerLimits limits_;
  tcp::acceptor acceptor_;
  std::atomic<size_t> connections_{0};
  Waiting waiting_;             // for a request or for the end, the longest first
  size_t pages_under_way_ = 0;  // being made or written, but for health pages
  int port_ = 0;
};

HttpServer::HttpServer(http::HttpLoop& loop, WorkerPool& pool, Pages pages, ServerLimits limits)
    : loop_(loop), impl_(std::make_shared<Impl>(loop, pool, health_, std::move(pages), limits)) {}

HttpServer::~HttpServer() {
  Stop();
  loop_.Flush();
}

Result<void> HttpServer::Start(const std::string& address) { return impl_->Start(address); }
void HttpServer::Stop() { impl_->Stop(); }
int HttpServer::port() const { return impl_->port(); }

}  // namespace fedra::pages
