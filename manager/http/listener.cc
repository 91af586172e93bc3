#include "manager/http/listener.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core.hpp>

#include "cluster-clients/http/loop_asio.h"
#include "manager/http/beast_message.h"
#include "manager/http/socket_name.h"
#include "manager/http/tls.h"

namespace fedra::httpd {
namespace {

namespace beast = boost::beast;
using boost::asio::ip::tcp;

using std::chrono::milliseconds;

// TCP and Unix sockets alike.
using Protocol = boost::asio::generic::stream_protocol;
using Socket = Protocol::socket;
using Stream = beast::basic_stream<Protocol>;
using TlsStream = boost::asio::ssl::stream<Stream&>;
using Acceptor = boost::asio::basic_socket_acceptor<Protocol>;

// How long, and for how much, we listen to a client that has had its last answer.
constexpr milliseconds kGoodbye{2'000};
constexpr size_t kMaxDiscarded = 2 * kMaxBody;
// What a client that is turned away because of others may do: try again after this.
constexpr const char* kRetrySeconds = "1";

}  // namespace

// Lives as long as a connection or the listener does. Everything but ListenOn, Adopt and port() on
// the io loop.
class Listener::Impl final : public std::enable_shared_from_this<Listener::Impl> {
 public:
  Impl(http::HttpLoop& loop, Service service, ServerLimits limits)
      : loop_(loop),
        service_(std::move(service)),
        limits_(limits),
        acceptor_(http::Context(loop)) {}

  Result<void> ListenOn(const std::string& address, const std::string& key) {
    FEDRA_ASSIGN_OR_RETURN(const tcp::endpoint endpoint, ParseAddress(address, key));
    boost::system::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(Acceptor::max_listen_connections, error);
    if (error) {
      return Fail(ErrorCode::kConnection,
                  fmt::format("cannot listen on {} ({}); set {} to a free one", address,
                              error.message(), key));
    }
    port_ = PortOf(acceptor_.native_handle());
    loop_.Post([self = shared_from_this()] { self->Accept(); });
    return {};
  }

  Result<void> Adopt(int socket) {
    boost::system::error_code error;
    acceptor_.assign(Protocol(AF_UNIX, 0), socket, error);
    if (error) {
      ::close(socket);
      return Fail(ErrorCode::kConnection, "cannot listen on a socket: " + error.message());
    }
    loop_.Post([self = shared_from_this()] { self->Accept(); });
    return {};
  }

  void Use(std::shared_ptr<TlsIdentity> identity) {
    loop_.Post([self = shared_from_this(), identity = std::move(identity)]() mutable {
      self->identity_ = std::move(identity);
    });
  }

  // After the loop has run what was posted, nothing is asked of the service any more.
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
    Connection(Socket socket, std::shared_ptr<TlsIdentity> shown)
        : stream(std::move(socket)), identity(std::move(shown)) {
      if (identity != nullptr) tls.emplace(stream, identity->context());
    }
    Stream stream;
    std::shared_ptr<TlsIdentity> identity;  // null: no TLS
    std::optional<TlsStream> tls;           // over `stream`
    std::string client;                     // its address; empty: a Unix socket's
    beast::flat_buffer buffer{kMaxRequest};
    std::optional<Parser> parser;
    Response response;
    std::optional<Waiting::iterator> place;  // in waiting_
    bool counts = false;                     // what is being answered, in under_way_
    bool sends_body = false;                 // what is being read, in bodies_
    size_t answer_bytes = 0;                 // of it, in answer_bytes_
    size_t requests = 0;
    size_t discarded = 0;  // bytes, after the last answer
  };

  void Accept() {
    acceptor_.async_accept(
        [self = shared_from_this()](boost::system::error_code error, Socket socket) {
          if (error == boost::asio::error::operation_aborted || !self->acceptor_.is_open()) return;
          if (!error && self->HasRoom()) self->Take(std::move(socket));
          // Out of descriptors: trying again at once would only keep the loop busy.
          const std::chrono::milliseconds pause(error ? 100 : 0);
          self->loop_.After(pause, [self] { self->Accept(); });
        });
  }

  // False when every connection is being answered: urgent ones are, at once, and others are never
  // that many.
  bool HasRoom() {
    if (connections_ < limits_.connections) return true;
    if (waiting_.empty()) return false;
    const std::shared_ptr<Connection> oldest = waiting_.front();
    StopWaiting(*oldest);
    oldest->stream.close();
    return true;
  }

  void Take(Socket socket) {
    ++connections_;
    std::shared_ptr<Connection> connection(new Connection(std::move(socket), identity_),
                                           [self = shared_from_this()](Connection* gone) {
                                             self->Settle(*gone);
                                             --self->connections_;
                                             delete gone;
                                           });
    connection->client = ClientOf(connection->stream.socket().native_handle());
    if (connection->tls) return Greet(connection);
    Read(connection, limits_.first_request);
  }

  // A client that does not come to terms is not told why: it speaks another language.
  void Greet(const std::shared_ptr<Connection>& connection) {
    Wait(connection);
    connection->stream.expires_after(limits_.first_request);
    connection->tls->async_handshake(TlsStream::server, [self = shared_from_this(), connection](
                                                            boost::system::error_code error) {
      self->StopWaiting(*connection);
      if (!error) self->Read(connection, self->limits_.first_request);
    });
  }

  // What the connection was answered is written, or will not be.
  void Settle(Connection& connection) {
    EndBody(connection);
    if (std::exchange(connection.counts, false)) --under_way_;
    answer_bytes_ -= std::exchange(connection.answer_bytes, 0);
  }

  void Read(const std::shared_ptr<Connection>& connection, milliseconds limit) {
    if (!acceptor_.is_open()) return;
    connection->parser.emplace();
    connection->parser->header_limit(kMaxRequest);
    connection->parser->body_limit(kMaxBody);
    Wait(connection);
    connection->stream.expires_after(limit);
    auto done = [self = shared_from_this(), connection](boost::system::error_code error, size_t) {
      self->StopWaiting(*connection);
      if (!self->acceptor_.is_open()) return;
      if (error) return self->Refuse(connection, error);
      self->OnRequest(connection);
    };
    if (connection->tls) {
      beast::http::async_read_header(*connection->tls, connection->buffer, *connection->parser,
                                     std::move(done));
    } else {
      beast::http::async_read_header(connection->stream, connection->buffer, *connection->parser,
                                     std::move(done));
    }
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
    if (const auto why = WhyUnreadable(error, *connection->parser, connection->buffer))
      Write(connection, service_.refusal(why->first, why->second));
  }

  Answer TooMuch() const {
    Answer answer = service_.refusal(503, "too many requests at a time");
    answer.headers.emplace_back("Retry-After", kRetrySeconds);
    return answer;
  }

  void OnRequest(const std::shared_ptr<Connection>& connection) {
    const beast::http::verb method = connection->parser->get().method();
    ++connection->requests;
    if (method == beast::http::verb::post && service_.takes_post &&
        service_.takes_post(ToRequest(*connection->parser)))
      return ReadBody(connection);
    if (method != beast::http::verb::get && method != beast::http::verb::head)
      return Write(connection, service_.refusal(405, "only GET and HEAD"));
    PassOn(connection);
  }

  // Who sends slowly makes room for others, as who sends nothing does.
  void ReadBody(const std::shared_ptr<Connection>& connection) {
    if (service_.refuses_post) {
      if (auto refusal = service_.refuses_post(ToRequest(*connection->parser)))
        return Write(connection, *std::move(refusal));
    }
    if (connection->parser->is_done()) return PassOn(connection);
    if (bodies_ >= limits_.bodies) CloseOldestBody();
    connection->sends_body = true;
    ++bodies_;
    Wait(connection);
    connection->stream.expires_after(limits_.body);
    auto done = [self = shared_from_this(), connection](boost::system::error_code error, size_t) {
      self->StopWaiting(*connection);
      self->EndBody(*connection);
      if (!self->acceptor_.is_open()) return;
      if (error) return self->Refuse(connection, error);
      self->PassOn(connection);
    };
    if (connection->tls) {
      beast::http::async_read(*connection->tls, connection->buffer, *connection->parser,
                              std::move(done));
    } else {
      beast::http::async_read(connection->stream, connection->buffer, *connection->parser,
                              std::move(done));
    }
  }

  void CloseOldestBody() {
    const auto found = std::ranges::find_if(
        waiting_, [](const std::shared_ptr<Connection>& waiting) { return waiting->sends_body; });
    if (found == waiting_.end()) return;
    const std::shared_ptr<Connection> oldest = *found;
    StopWaiting(*oldest);
    EndBody(*oldest);
    oldest->stream.close();
  }

  void EndBody(Connection& connection) {
    if (std::exchange(connection.sends_body, false)) --bodies_;
  }

  // The request is complete.
  void PassOn(const std::shared_ptr<Connection>& connection) {
    Request request = ToRequest(*connection->parser);
    request.client = connection->client;
    if (!service_.is_urgent(request)) {
      connection->counts = true;
      if (++under_way_ > limits_.connections / 2) return Write(connection, TooMuch());
    }
    service_.answer(std::move(request), [self = shared_from_this(), connection](Answer answer) {
      self->loop_.Post([self, connection, answer = std::move(answer)]() mutable {
        self->Write(connection, std::move(answer));
      });
    });
  }

  void Write(const std::shared_ptr<Connection>& connection, Answer answer) {
    if (!acceptor_.is_open()) return;
    if (answer_bytes_ > 0 && answer_bytes_ + answer.body.size() > limits_.answer_bytes)
      answer = TooMuch();
    connection->answer_bytes = answer.body.size();
    answer_bytes_ += connection->answer_bytes;
    connection->response =
        ToResponse(*connection->parser, std::move(answer), connection->requests < limits_.requests);
    connection->stream.expires_after(limits_.write);
    auto done = [self = shared_from_this(), connection](boost::system::error_code error, size_t) {
      self->Settle(*connection);
      const bool goes_on = connection->response.keep_alive();
      connection->response = {};
      if (error) return;
      if (goes_on) return self->Read(connection, self->limits_.next_request);
      self->SayGoodbye(connection);
    };
    if (connection->tls) {
      beast::http::async_write(*connection->tls, connection->response, std::move(done));
    } else {
      beast::http::async_write(connection->stream, connection->response, std::move(done));
    }
  }

  // With TLS the end is said in it, too: otherwise the client could not tell it from a cut.
  void SayGoodbye(const std::shared_ptr<Connection>& connection) {
    connection->stream.expires_after(kGoodbye);
    if (!connection->tls) return HangUp(connection);
    Wait(connection);
    connection->tls->async_shutdown(
        [self = shared_from_this(), connection](boost::system::error_code) {
          self->StopWaiting(*connection);
          if (self->acceptor_.is_open()) self->HangUp(connection);
        });
  }

  void HangUp(const std::shared_ptr<Connection>& connection) {
    boost::system::error_code error;
    connection->stream.socket().shutdown(Socket::shutdown_send, error);
    Discard(connection);
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
  const Service service_;
  const ServerLimits limits_;
  Acceptor acceptor_;
  std::shared_ptr<TlsIdentity> identity_;  // of new connections; null: no TLS
  // A connection's last owner may be a thread that answers.
  std::atomic<size_t> connections_{0};
  std::atomic<size_t> under_way_{0};     // being answered or written, but for urgent ones
  std::atomic<size_t> answer_bytes_{0};  // being written
  std::atomic<size_t> bodies_{0};        // being read
  Waiting waiting_;                      // for a request or for the end, the longest first
  int port_ = 0;
};

Listener::Listener(http::HttpLoop& loop, Service service, ServerLimits limits)
    : loop_(loop), impl_(std::make_shared<Impl>(loop, std::move(service), limits)) {}

Listener::~Listener() {
  Stop();
  loop_.Flush();
}

Result<void> Listener::ListenOn(const std::string& address, const std::string& key) {
  return impl_->ListenOn(address, key);
}
void Listener::Use(std::shared_ptr<TlsIdentity> identity) { impl_->Use(std::move(identity)); }
Result<void> Listener::Adopt(int socket) { return impl_->Adopt(socket); }
void Listener::Stop() { impl_->Stop(); }
int Listener::port() const { return impl_->port(); }

}  // namespace fedra::httpd
