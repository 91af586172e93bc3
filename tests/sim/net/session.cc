#include "tests/sim/net/session.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/x509.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace fedra::sim {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr size_t kMaxBody = 64u << 20;
constexpr size_t kReadSize = 16u << 10;
constexpr size_t kEventsPerWrite = 128;
constexpr auto kRetryInterval = std::chrono::milliseconds(20);

std::string_view Phrase(int code) {
  const auto phrase = http::obsolete_reason(static_cast<http::status>(code));
  return {phrase.data(), phrase.size()};
}

// Go's net/http, and so every API server, tells it with each answer.
std::string Date(std::chrono::seconds ahead) {
  const auto now = std::chrono::system_clock::now() + ahead;
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

std::string Head(const ApiReply& reply, std::chrono::seconds clock_ahead, std::string_view length) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nDate: {}\r\n", reply.code,
                                 Phrase(reply.code), reply.content_type, Date(clock_ahead));
  if (reply.retry_after_seconds >= 0) {
    head += fmt::format("Retry-After: {}\r\n", reply.retry_after_seconds);
  }
  if (!reply.location.empty()) head += fmt::format("Location: {}\r\n", reply.location);
  return head.append(length).append("\r\n\r\n");
}

// The first injected answer that fits; counts its use.
std::optional<InjectedAnswer> TakeInjected(Guarded<Faults>& faults, const ApiRequest& request) {
  return faults.With([&request](Faults& f) -> std::optional<InjectedAnswer> {
    for (InjectedAnswer& answer : f.answers) {
      if (answer.times == 0) continue;
      if (!answer.method.empty() && answer.method != request.method) continue;
      if (request.target.find(answer.path_contains) == std::string::npos) continue;
      if (answer.times > 0) --answer.times;
      return answer;
    }
    return std::nullopt;
  });
}

ApiReply Html(int code) {
  ApiReply reply;
  reply.code = code;
  reply.content_type = "text/html";
  reply.body =
      "<html><head><title>503 Service Temporarily Unavailable</title></head>"
      "<body><center><h1>503 Service Temporarily Unavailable</h1></center></body></html>";
  return reply;
}

ApiReply StatusReply(const InjectedAnswer& answer) {
  Failure failure{.code = answer.code, .reason = "InternalError", .message = "injected by a test"};
  if (answer.code == 429) failure.reason = "TooManyRequests";
  if (answer.code == 503) failure.reason = "ServiceUnavailable";
  if (answer.code == 403) failure.reason = "Forbidden";
  if (answer.code == 504) failure.reason = "Timeout";
  if (answer.code == 409) failure.reason = "AlreadyExists";
  failure.retry_after_seconds = answer.retry_after_seconds;
  return ToReply(failure);
}

}  // namespace

Session::Session(std::shared_ptr<Core> core, std::shared_ptr<asio::ssl::context> tls,
                 asio::ip::tcp::socket socket)
    : core_(std::move(core)),
      tls_(std::move(tls)),
      stream_(std::move(socket), *tls_),
      delay_(core_->loop),
      deadline_(core_->loop),
      bookmark_(core_->loop) {
  error_code ignored;
  stream_.next_layer().set_option(asio::ip::tcp::no_delay(true), ignored);
}

Session::~Session() { Close(); }

void Session::Start() {
  if (core_->faults.With([](const Faults& f) { return f.hang; })) return Hold();
  Handshake();
}

std::chrono::seconds Session::ClockAhead() const {
  return core_->faults.With([](const Faults& f) { return f.clock_ahead; });
}

void Session::Hold() { held_ = shared_from_this(); }

void Session::Handshake() {
  stream_.async_handshake(asio::ssl::stream_base::server,
                          [self = shared_from_this()](error_code error) {
                            if (error) return self->Close();
                            self->shaken_ = true;
                            self->ReadMore();
                          });
}

void Session::Close() {
  if (std::exchange(closed_, true)) return;
  const std::shared_ptr<Session> held = std::move(held_);  // until the end of this function
  if (watched_.exchange(nullptr) != nullptr) {
    core_->store.With([this](Store& store) { store.Unobserve(*this); });
  }
  delay_.cancel();
  deadline_.cancel();
  bookmark_.cancel();
  error_code ignored;
  auto& socket = stream_.next_layer();
  socket.set_option(asio::socket_base::linger(true, 0), ignored);  // a reset, not a goodbye
  socket.close(ignored);
}

void Session::Resume() {
  const std::shared_ptr<Session> held = std::move(held_);
  if (closed_ || held == nullptr) {
    if (watch_) StreamMore();
    return;
  }
  if (!shaken_) return Handshake();
  if (watch_) return StreamMore();
  if (busy_) OnRequest();
}

void Session::ReadMore() {
  if (closed_ || std::exchange(reading_, true)) return;
  stream_.async_read_some(input_.prepare(kReadSize),
                          [self = shared_from_this()](error_code error, size_t size) {
                            self->reading_ = false;
                            if (error || self->closed_) return self->Close();
                            self->input_.commit(size);
                            if (!self->busy_) self->Parse();
                          });
}

void Session::Parse() {
  if (!parser_) {
    parser_.emplace();
    parser_->eager(true);
    parser_->body_limit(kMaxBody);
  }
  while (!parser_->is_done() && input_.size() > 0) {
    error_code error;
    const size_t used = parser_->put(input_.data(), error);
    input_.consume(used);
    if (error == http::error::need_more) break;
    if (error) return Close();
  }
  if (!parser_->is_done()) return ReadMore();
  busy_ = true;
  OnRequest();
}

void Session::OnRequest() {
  if (core_->faults.With([](const Faults& f) { return f.hang; })) return Hold();
  const ApiRequest request = TakeRequest();
  parser_.reset();
  Answer(request);
}

ApiRequest Session::TakeRequest() {
  const auto& message = parser_->get();
  const auto text = [](boost::beast::string_view view) { return std::string(view); };
  ApiRequest request;
  request.method = text(message.method_string());
  request.target = text(message.target());
  request.content_type = text(message[http::field::content_type]);
  request.user_agent = text(message[http::field::user_agent]);
  bool rejected = false;
  request.user = Authenticate(rejected);
  if (rejected) request.method = "REJECTED";
  request.body = std::move(parser_->get().body());
  return request;
}

std::shared_ptr<const User> Session::Authenticate(bool& rejected) const {
  rejected = core_->faults.With([](const Faults& f) { return f.reject_credentials; });
  if (rejected) return nullptr;
  constexpr boost::beast::string_view kBearer = "Bearer ";
  const auto header = parser_->get()[http::field::authorization];
  if (!header.empty()) {
    auto user = header.starts_with(kBearer)
                    ? core_->UserWithToken(std::string(header.substr(kBearer.size())))
                    : nullptr;
    rejected = user == nullptr;
    return user;
  }
  auto* ssl = const_cast<Session*>(this)->stream_.native_handle();
  X509* const certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr) return nullptr;
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
  if (auto user = core_->UserNamed(name)) return user;
  // Known to the CA, but no rule gives it rights.
  auto stranger = std::make_shared<User>();
  stranger->name = name;
  return stranger;
}

void Session::Answer(const ApiRequest& request) {
  const auto injected = TakeInjected(core_->faults, request);
  if (injected && injected->kind == InjectedAnswer::Kind::kHang) return ReadMore();
  if (injected && injected->kind == InjectedAnswer::Kind::kHostile) {
    hostile_ = MakeHostileAnswer(injected->hostile, request);
    return SendHostile();
  }
  ApiReply reply = request.method == "REJECTED" ? ToReply(Unauthorized()) : ApiReply{};
  if (injected && injected->kind == InjectedAnswer::Kind::kStatus) {
    reply = StatusReply(*injected);
  } else if (injected && injected->kind == InjectedAnswer::Kind::kHtml) {
    reply = Html(injected->code);
  } else if (request.method != "REJECTED") {
    reply = Handle(*core_, request);
  }
  if (injected) reply.location = injected->location;
  auto delay = core_->faults.With([](const Faults& f) { return f.latency; });
  if (injected && injected->kind == InjectedAnswer::Kind::kLatency) delay += injected->delay;
  if (delay.count() == 0) return Send(reply, injected);
  delay_.expires_after(delay);
  delay_.async_wait(
      [self = shared_from_this(), reply = std::move(reply), injected](error_code error) {
        if (!error && !self->closed_) self->Send(reply, injected);
      });
}

void Session::Send(const ApiReply& reply, const std::optional<InjectedAnswer>& injected) {
  using Kind = InjectedAnswer::Kind;
  if (reply.watch) return BeginStream(*reply.watch);
  if (injected && injected->kind == Kind::kTruncatedJson) {
    const std::string half = reply.body.substr(0, reply.body.size() / 2);
    return Write(Head(reply, ClockAhead(), fmt::format("Content-Length: {}", half.size())) + half,
                 false);
  }
  std::string bytes =
      Head(reply, ClockAhead(), fmt::format("Content-Length: {}", reply.body.size()));
  if (injected && injected->kind == Kind::kCutConnection) {
    return Write(bytes.append(reply.body, 0, reply.body.size() / 2), true);
  }
  Write(bytes.append(reply.body), false);
}

void Session::Write(std::string bytes, bool last) {
  if (closed_) return;
  output_ = std::move(bytes);
  writing_ = true;
  asio::async_write(stream_, asio::buffer(output_),
                    [self = shared_from_this(), last](error_code error, size_t) {
                      self->writing_ = false;
                      if (error || self->closed_) return self->Close();
                      self->OnWritten(last);
                    });
}

void Session::OnWritten(bool last) {
  if (last) return Close();
  if (hostile_) return SendHostile();
  if (watch_) return StreamMore();
  busy_ = false;
  Parse();
}

void Session::SendHostile() {
  const auto send = [self = shared_from_this()](error_code error) {
    if (error || self->closed_) return;
    std::string piece = self->hostile_->next();
    if (piece.empty()) {
      self->hostile_.reset();
      return self->OnWritten(false);
    }
    self->Write(std::move(piece), false);
  };
  delay_.expires_after(hostile_->pause);
  delay_.async_wait(send);
}

void Session::BeginStream(WatchPlan plan) {
  const bool too_old = !plan.version.empty() && plan.version != "0" &&
                       core_->faults.With([](const Faults& f) { return f.watch_too_old; });
  auto cursor = core_->store.With([&](Store& store) {
    auto opened = WatchCursor::Open(store, plan.filter, plan.version);
    if (opened && !too_old) {
      watched_ = plan.filter.type;
      store.Observe(*this);
    }
    return opened;
  });
  ApiReply head;
  if (!cursor && cursor.error().code != 410) return Send(ToReply(cursor.error()), std::nullopt);
  std::string bytes = Head(head, ClockAhead(), "Transfer-Encoding: chunked");
  if (!cursor || too_old) {
    const Failure failure =
        cursor ? Expired(fmt::format("too old resource version: {} (injected)", plan.version))
               : cursor.error();
    return Write(bytes + Chunk(ErrorLine(failure)) + Chunk(""), false);
  }
  watch_.emplace(Stream{.plan = std::move(plan), .cursor = *std::move(cursor)});
  if (watch_->plan.timeout) {
    deadline_.expires_after(*watch_->plan.timeout);
    deadline_.async_wait([self = shared_from_this()](error_code error) {
      if (!error && self->watch_) self->EndStream("");
    });
  }
  if (watch_->plan.bookmarks) ArmBookmark();
  ReadMore();  // to notice when the client goes away
  Write(std::move(bytes), false);
}

void Session::ArmBookmark() {
  bookmark_.expires_after(core_->options.bookmark_interval);
  bookmark_.async_wait([self = shared_from_this()](error_code error) {
    if (error || !self->watch_) return;
    self->watch_->bookmark_due = true;
    self->ArmBookmark();
    self->StreamMore();
  });
}

void Session::StreamMore() {
  if (closed_ || !watch_ || writing_) return;
  woken_ = false;
  const Faults faults = core_->faults.Copy();
  if (faults.hang) return Hold();
  Stream& watch = *watch_;
  if (faults.lose_events && !watch.initial) {
    core_->store.With([&watch](const Store& store) { watch.cursor.Skip(store); });
  }
  size_t limit = kEventsPerWrite;
  if (faults.close_watch_after > 0)
    limit = std::min(limit, faults.close_watch_after - watch.sent % faults.close_watch_after);
  bool ahead = false;
  const auto events = core_->store.With([&](const Store& store) {
    ahead = watch.cursor.ahead(store);
    return watch.cursor.Read(store, limit);
  });
  if (!events) return EndStream(ErrorLine(events.error()));
  std::string lines;
  for (const WatchEvent& event : *events) lines += WatchLine(watch.plan.view, event);
  watch.sent += events->size();
  if (faults.watch_garbage && !events->empty() && !std::exchange(watch.spoiled, true)) {
    lines = "\x01\x02 this is not JSON }{\n";
  }
  const bool complete = events->size() < limit;
  if (watch.initial && complete) {
    watch.initial = false;
    if (watch.plan.initial_events_end && watch.plan.bookmarks) {
      lines += BookmarkLine(watch.plan.view, watch.cursor.version(), true);
    }
  } else if (complete && std::exchange(watch.bookmark_due, false) && !ahead) {
    lines += BookmarkLine(watch.plan.view, watch.cursor.version(), false);
  }
  if (faults.close_watch_after > 0 && !events->empty() &&
      watch.sent % faults.close_watch_after == 0) {
    return EndStream(lines);
  }
  if (!lines.empty()) Write(Chunk(lines), false);
}

void Session::EndStream(const std::string& last_lines) {
  if (writing_) {
    // After the write that is outstanding: the deadline fires again at once.
    deadline_.expires_after(kRetryInterval);
    deadline_.async_wait([self = shared_from_this()](error_code error) {
      if (!error && self->watch_) self->EndStream("");
    });
    return;
  }
  if (watched_.exchange(nullptr) != nullptr) {
    core_->store.With([this](Store& store) { store.Unobserve(*this); });
  }
  deadline_.cancel();
  bookmark_.cancel();
  watch_.reset();
  Write((last_lines.empty() ? "" : Chunk(last_lines)) + Chunk(""), false);
}

void Session::OnChange(const Store&, const ResourceType& type, const Event&) {
  if (watched_.load() != &type || woken_.exchange(true)) return;
  asio::post(core_->loop, [self = weak_from_this()] {
    if (const auto session = self.lock()) session->StreamMore();
  });
}

}  // namespace fedra::sim
