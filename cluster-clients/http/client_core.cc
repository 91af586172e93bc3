#include "cluster-clients/http/client_core.h"

#include <utility>

#include "cluster-clients/http/loop_asio.h"

namespace fedra::http {
namespace {

// HTTP/2: one connection carries everything, a further one only what exceeds 100 streams. More are
// allowed because a server that says GOAWAY (kube-apiserver --goaway-chance, restarts behind a load
// balancer) leaves the watches on the old connection until they end: with a limit of 3 all calls
// waited for ever after the third.
constexpr Multi::Limits kHttp2Limits{.open = 32, .kept = 4};
// HTTP/1.1: each watch and each call under way holds one. Watches must not starve calls. All are
// kept: with a limit below what is in use, libcurl closes an idle one whenever a call ends, and the
// next call pays for a TLS handshake.
constexpr Multi::Limits kHttp1Limits{.open = 128, .kept = 128};

constexpr int kTimeoutsToReset = 2;
constexpr size_t kIdleHandles = 16;

// A connect that takes longer is waiting, not working: others may begin.
constexpr std::chrono::milliseconds kGateTime{250};

Error MakeError(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

}  // namespace

Client::Core::Core(HttpLoop& loop, Endpoint endpoint)
    : loop_(loop),
      endpoint_(std::move(endpoint)),
      url_(ParseEndpointUrl(endpoint_.url, endpoint_.tls_server_name)) {}

Client::Core::~Core() {
  for (const auto& [id, transfer] : active_)
    multi_->Remove(transfer->easy());  // the loop has ended
  active_.clear();
  idle_.clear();
  if (multi_) multi_->Close();  // the connections refer to `connection_`
}

void Client::Core::OpenMulti() {
  connection_ = std::make_unique<Connection>(Connection{endpoint_, *url_, 0});
  multi_ =
      std::make_shared<Multi>(Context(loop_), [weak = weak_from_this()](CURL* easy, CURLcode code) {
        if (const auto self = weak.lock()) self->OnDone(easy, code);
      });
  multi_->SetLimits(CurrentLimits());
}

Multi::Limits Client::Core::CurrentLimits() const {
  return http1_ || !endpoint_.http2 ? kHttp1Limits : kHttp2Limits;
}

void Client::Core::Start(TransferPtr transfer) {
  if (shut_) return transfer->Fail(MakeError(ErrorCode::kCancelled, "the client is shut down"));
  if (!url_) return transfer->Fail(url_.error());
  if (!multi_) OpenMulti();
  if (gate_ != Gate::kWaiting && (gate_ == Gate::kConnecting || connection_->open_sockets > 0)) {
    return Begin(transfer);
  }
  waiting_.push_back(std::move(transfer));
  if (gate_ == Gate::kWaiting) return;
  gate_ = Gate::kWaiting;
  Limiter(loop_).Enter([weak = weak_from_this(), &loop = loop_] {
    if (const auto self = weak.lock()) {
      self->PassGate();
    } else {
      Limiter(loop).Leave();
    }
  });
}

void Client::Core::PassGate() {
  gate_ = Gate::kConnecting;
  loop_.After(kGateTime, [weak = weak_from_this(), round = ++gate_round_] {
    const auto self = weak.lock();
    if (self && self->gate_round_ == round) self->LeaveGate();
  });
  const auto waiting = std::exchange(waiting_, {});
  for (const TransferPtr& transfer : waiting) Begin(transfer);
  if (active_.empty()) LeaveGate();  // all were cancelled meanwhile
}

void Client::Core::LeaveGate() {
  if (gate_ != Gate::kConnecting) return;
  gate_ = Gate::kOpen;
  Limiter(loop_).Leave();
}

bool Client::Core::PassesGate(Transfer& transfer) {
  if (transfer.Passes(endpoint_.gate.get(), std::chrono::steady_clock::now())) return true;
  transfer.Fail(MakeError(ErrorCode::kCancelled, "not sent: this process may not write now"));
  return false;
}

void Client::Core::Begin(const TransferPtr& transfer) {
  if (!PassesGate(*transfer)) return;
  if (!multi_) OpenMulti();
  Easy easy = idle_.empty() ? NewEasy(*connection_) : std::move(idle_.back());
  if (!idle_.empty()) idle_.pop_back();
  if (!transfer->Begin(std::move(easy), *connection_, http1_, std::chrono::steady_clock::now())) {
    Recycle(*transfer);
    return transfer->Fail(MakeError(ErrorCode::kTimeout, "no connection within the deadline"));
  }
  transfer->on_headers = [this, raw = transfer.get()] { OnHeaders(*raw); };
  active_.emplace(transfer->id(), transfer);
  if (transfer->request().open_timeout.count() > 0) GuardOpening(*transfer);
  multi_->Add(transfer->easy());
}

void Client::Core::GuardOpening(const Transfer& transfer) {
  loop_.After(transfer.request().open_timeout, [weak = weak_from_this(), id = transfer.id()] {
    const auto self = weak.lock();
    if (!self) return;
    const auto found = self->active_.find(id);
    if (found == self->active_.end() || found->second->opened()) return;
    const TransferPtr late = found->second;
    self->active_.erase(found);
    self->multi_->Remove(late->easy());
    late->Fail(MakeError(ErrorCode::kTimeout, "the server did not begin to answer in time"));
    self->CountTimeout();
  });
}

// Inside of a libcurl callback, where the multi handle must not be touched.
void Client::Core::OnHeaders(const Transfer& transfer) {
  timeouts_ = 0;
  const bool http1 = endpoint_.http2 && transfer.http_version() < CURL_HTTP_VERSION_2_0;
  if (gate_ != Gate::kConnecting && http1 == http1_) return;
  loop_.Post([weak = weak_from_this(), http1] {
    const auto self = weak.lock();
    if (!self) return;
    self->LeaveGate();
    self->UseHttp1(http1);
  });
}

// Under the limits of HTTP/2 the watches of a server that speaks only HTTP/1.1 take every
// connection, and libcurl looks again at what waits only when one of them ends: so it is asked
// anew. (8.14 lets all wait for the first answer.)
void Client::Core::UseHttp1(bool http1) {
  if (http1 == http1_ || !multi_) return;
  http1_ = http1;
  multi_->SetLimits(CurrentLimits());
  if (!http1) return;
  std::vector<TransferPtr> unsent;
  for (const auto& [id, transfer] : active_)
    if (!transfer->Sent()) unsent.push_back(transfer);
  for (const TransferPtr& transfer : unsent) BeginAgain(transfer);
}

// Its time begins again with it, for libcurl.
void Client::Core::BeginAgain(const TransferPtr& transfer) {
  multi_->Remove(transfer->easy());
  if (!PassesGate(*transfer)) {
    active_.erase(transfer->id());
    return Recycle(*transfer);
  }
  curl_easy_setopt(transfer->easy(), CURLOPT_PIPEWAIT, 0L);
  multi_->Add(transfer->easy());
}

void Client::Core::OnDone(CURL* easy, CURLcode code) {
  void* raw = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &raw);
  const auto found = active_.find(static_cast<Transfer*>(raw)->id());
  if (found == active_.end()) return;
  const TransferPtr transfer = found->second;
  active_.erase(found);
  LeaveGate();
  transfer->End(code);
  Recycle(*transfer);
  // A watch that has reached its end is no sign of a dead connection.
  if (code == CURLE_OPERATION_TIMEDOUT && !transfer->opened()) CountTimeout();
}

// A connection that swallows requests would be used again and again by libcurl.
void Client::Core::CountTimeout() {
  if (++timeouts_ < kTimeoutsToReset) return;
  Reset("the connection was dropped after two time-outs");
}

void Client::Core::Recycle(Transfer& transfer) {
  Easy easy = transfer.ReleaseEasy();
  if (easy && connection_ && idle_.size() < kIdleHandles) idle_.push_back(std::move(easy));
}

void Client::Core::Cancel(TransferId id) {
  const auto cancelled = MakeError(ErrorCode::kCancelled, "cancelled");
  if (const auto found = active_.find(id); found != active_.end()) {
    const TransferPtr transfer = found->second;
    active_.erase(found);
    multi_->Remove(transfer->easy());
    transfer->Fail(cancelled);
    Recycle(*transfer);
    return;
  }
  for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
    if ((*it)->id() != id) continue;
    const TransferPtr transfer = std::move(*it);
    waiting_.erase(it);
    return transfer->Fail(cancelled);
  }
}

void Client::Core::EndAll(const Error& why, bool streams_only) {
  std::vector<TransferPtr> ended;
  for (auto it = active_.begin(); it != active_.end();) {
    if (streams_only && !it->second->is_stream()) {
      ++it;
      continue;
    }
    multi_->Remove(it->second->easy());
    ended.push_back(it->second);
    it = active_.erase(it);
  }
  std::deque<TransferPtr> staying;
  for (const TransferPtr& transfer : std::exchange(waiting_, {})) {
    (streams_only && !transfer->is_stream() ? staying.push_back(transfer)
                                            : ended.push_back(transfer));
  }
  waiting_ = std::move(staying);
  for (const TransferPtr& transfer : ended) {
    transfer->Fail(why);
    Recycle(*transfer);
  }
}

void Client::Core::EndStreams(const std::string& why) {
  EndAll(MakeError(ErrorCode::kConnection, why), true);
}

void Client::Core::Reset(const std::string& why) {
  DropAll(MakeError(ErrorCode::kConnection, why));
}

void Client::Core::DropAll(const Error& why) {
  EndAll(why, false);
  LeaveGate();
  timeouts_ = 0;
  idle_.clear();
  if (multi_) multi_->Close();
  multi_.reset();
  connection_.reset();
}

void Client::Core::SetClientCertificate(const std::string& certificate_pem,
                                        const std::string& key_pem) {
  Reset("the connection was dropped for a new client certificate");
  endpoint_.client_certificate_pem = certificate_pem;
  endpoint_.client_key_pem = key_pem;
}

void Client::Core::Shutdown() {
  shut_ = true;
  DropAll(MakeError(ErrorCode::kCancelled, "the client is shut down"));
}

}  // namespace fedra::http
