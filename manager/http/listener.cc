#include "manager/http/listener.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cluster-clients/http/loop_asio.h"
#include "manager/http/acceptor.h"
#include "manager/http/beast_connection.h"
#include "manager/http/long_answer.h"
#include "manager/http/socket_name.h"

namespace fedra::httpd {
namespace {

namespace beast = boost::beast;
using std::chrono::milliseconds;

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
    FEDRA_ASSIGN_OR_RETURN(port_, OpenFor(acceptor_, address, key));
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
      self->streams_.CutAll();
      // What is being written may still be taken.
      std::erase_if(self->waiting_, [](const std::shared_ptr<Connection>& connection) {
        if (connection->serializer) return false;
        connection->place.reset();
        connection->stream.close();
        return true;
      });
    });
  }

  int port() const { return port_; }

 private:
  using Waiting = std::list<std::shared_ptr<Connection>>;

  void Accept() {
    acceptor_.async_accept(
        [self = shared_from_this()](boost::system::error_code error, Socket socket) {
          if (error == boost::asio::error::operation_aborted || !self->acceptor_.is_open()) return;
          if (!error) self->Take(std::move(socket));
          // Out of descriptors: trying again at once would only keep the loop busy.
          const std::chrono::milliseconds pause(error ? 100 : 0);
          self->loop_.After(pause, [self] { self->Accept(); });
        });
  }

  void Take(Socket socket) {
    const auto connection = std::make_shared<Connection>(std::move(socket), identity_, shares_);
    // Never so when it is closed at once: questions hold half of the places, urgent ones for a
    // moment.
    if (shares_->All().connections > limits_.connections && !MakeRoom()) return;
    if (connection->tls) return Greet(connection);
    Read(connection, limits_.first_request);
  }

  bool MakeRoom() {
    return CloseOne(&Share::connections, [](const Connection&) { return true; });
  }

  // For an answer to `reader`.
  bool MakeRoomFor(size_t bytes, const Connection& reader) {
    while (IsTooMuch(bytes)) {
      const size_t of_reader = reader.stake.OfClient().bytes + bytes;
      const SteadyTime stalled = SystemClock().Steady() - limits_.stalled;
      const bool is_closed = CloseOne(&Share::bytes, [&](const Connection& waiting) {
        return waiting.stake.own().bytes > 0 &&
               (waiting.quiet_since <= stalled || waiting.stake.OfClient().bytes > of_reader);
      });
      if (!is_closed) return false;
    }
    return true;
  }

  // Of the connections that may go the quietest one of the client who has most. False: none may.
  bool CloseOne(size_t Share::* what, const std::function<bool(const Connection&)>& may_go) {
    std::shared_ptr<Connection> chosen;
    size_t most = 0;
    for (const std::shared_ptr<Connection>& waiting : waiting_) {
      const size_t of_client = waiting->stake.OfClient().*what;
      if (of_client <= most || !may_go(*waiting)) continue;
      most = of_client;
      chosen = waiting;
    }
    if (chosen != nullptr) Close(*chosen);
    return chosen != nullptr;
  }

  // A small answer never is: the number of connections bounds what they hold together.
  bool IsTooMuch(size_t bytes) const {
    const size_t held = shares_->All().bytes;
    return bytes > kMaxRequest && held > 0 && held + bytes > limits_.answer_bytes;
  }

  // What it waits for ends with an error.
  void Close(Connection& connection) {
    StopWaiting(connection);
    EndBody(connection);
    connection.stake.SetBytes(0);
    connection.stream.close();
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
    ReadHeader(*connection, std::move(done));
  }

  // A connection that waits for its client makes room for others.
  void Wait(const std::shared_ptr<Connection>& connection) {
    StopWaiting(*connection);
    connection->quiet_since = SystemClock().Steady();
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

  Answer TooMuch(const char* what = "requests") const {
    Answer answer = service_.refusal(503, fmt::format("too many {} at a time", what));
    answer.headers.emplace_back("Retry-After", kRetrySeconds);
    return answer;
  }

  void OnRequest(const std::shared_ptr<Connection>& connection) {
    using beast::http::verb;
    const verb method = connection->parser->get().method();
    ++connection->requests;
    // What is asked by POST, and is got, the service refuses in its own words.
    if (method == verb::get || method == verb::head) return PassOn(connection);
    const bool takes_post =
        service_.takes_post && service_.takes_post(ToRequest(*connection->parser));
    if (takes_post && method == verb::post) return ReadBody(connection);
    Write(connection, WrongMethod(takes_post));
  }

  // RFC 9110, 15.5.6: with the methods that the target takes.
  Answer WrongMethod(bool takes_post) const {
    Answer answer = service_.refusal(405, takes_post ? "only POST" : "only GET and HEAD");
    answer.headers.emplace_back("Allow", takes_post ? "POST" : "GET, HEAD");
    return answer;
  }

  // Who sends slowly makes room for others, as who sends nothing does.
  void ReadBody(const std::shared_ptr<Connection>& connection) {
    if (service_.refuses_post) {
      if (auto refusal = service_.refuses_post(ToRequest(*connection->parser)))
        return Write(connection, *std::move(refusal));
    }
    if (connection->parser->is_done()) return PassOn(connection);
    if (bodies_ >= limits_.bodies)
      CloseOne(&Share::connections, [](const Connection& waiting) { return waiting.sends_body; });
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
    ReadAll(*connection, std::move(done));
  }

  void EndBody(Connection& connection) {
    if (std::exchange(connection.sends_body, false)) --bodies_;
  }

  // The request is complete.
  void PassOn(const std::shared_ptr<Connection>& connection) {
    Request request = ToRequest(*connection->parser);
    request.peer = connection->stake.peer();
    if (!service_.is_urgent(request)) {
      Stake& stake = connection->stake;
      const size_t body = request.is_post ? std::max(request.body.size(), kLeastBody) : 0;
      const Share of_client = stake.OfClient();
      const Share all = shares_->All();
      if (!MayTake(of_client.questions, all.questions, limits_.connections / 2))
        return Write(connection, TooMuch());
      if (body > 0 && !MayTake(of_client.bodies, all.bodies, limits_.body_bytes, body))
        return Write(connection, TooMuch("bodies"));
      stake.SetAsks(true, body);
    }
    service_.answer(std::move(request), [self = shared_from_this(), connection](Answer answer) {
      self->loop_.Post([self, connection, answer = std::move(answer)]() mutable {
        self->Write(connection, std::move(answer));
      });
    });
  }

  void Write(const std::shared_ptr<Connection>& connection, Answer answer) {
    if (!acceptor_.is_open()) return;
    connection->stake.SetAsks(false);
    connection->stake.SetUser(answer.user);
    if (!MakeRoomFor(answer.body.size(), *connection)) answer = TooMuch();
    if (answer.goes_on && connection->parser->get().method() != beast::http::verb::head) {
      if (connection->stake.MayStream(limits_.streams, limits_.streams_of_client)) {
        connection->stake.SetStreams(true);
        connection->long_answer = streams_.Make(loop_, answer.goes_on, limits_.stream_write);
      } else {
        answer = TooMuch("streams");
      }
    }
    connection->stake.SetBytes(answer.body.size());
    if (service_.on_answer) {
      const auto target = connection->parser->get().target();
      service_.on_answer({target.data(), target.size()}, answer.status);
    }
    connection->response =
        ToResponse(*connection->parser, std::move(answer), connection->requests < limits_.requests);
    connection->serializer.emplace(connection->response);
    // Otherwise it would end the body, too.
    connection->serializer->split(connection->long_answer != nullptr);
    connection->pace.emplace(limits_.write, SystemClock().Steady());
    GoOnWriting(connection);
  }

  // Who does not read makes room for others, as who sends nothing does.
  void GoOnWriting(const std::shared_ptr<Connection>& connection) {
    Wait(connection);
    connection->stream.expires_at(connection->pace->Deadline());
    WriteSome(*connection, [self = shared_from_this(), connection](boost::system::error_code error,
                                                                   size_t bytes) {
      self->StopWaiting(*connection);
      connection->pace->Took(bytes, SystemClock().Steady());
      const bool is_done = connection->long_answer ? connection->serializer->is_header_done()
                                                   : connection->serializer->is_done();
      if (!error && !is_done) return self->GoOnWriting(connection);
      self->EndWriting(connection, !error);
    });
  }

  void EndWriting(const std::shared_ptr<Connection>& connection, bool is_written) {
    const bool goes_on = connection->response.keep_alive();
    connection->serializer.reset();
    connection->response = {};
    connection->stake.SetBytes(0);
    if (const auto stream = connection->long_answer)
      return is_written ? stream->Start(connection) : stream->Cut();
    if (!is_written) return;
    if (goes_on) return Read(connection, limits_.next_request);
    SayGoodbye(connection);
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
  const std::shared_ptr<Shares> shares_ = std::make_shared<Shares>();
  size_t bodies_ = 0;  // being read
  LongAnswers streams_;
  Waiting waiting_;  // for their clients, the quietest first
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
