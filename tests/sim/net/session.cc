#include "tests/sim/net/session.h"

#include <openssl/x509.h>

#include <boost/asio/write.hpp>
#include <chrono>
#include <utility>

#include "tests/sim/http/http1.h"
#include "tests/sim/http/http2.h"

namespace fedra::sim {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// So many TLS records are read in one turn of the loop, if they are there. HTTP/2 has all requests
// of a client on one connection, mostly one in a record: with one record in each turn, 64 of them
// would wait for 64 turns of the cluster's actors, where over HTTP/1.1 they wait for one.
constexpr int kRecordsOfTurn = 64;
// A goodbye is written at once, unless the client does not read.
constexpr auto kFarewell = std::chrono::milliseconds(250);

bool HasChosenHttp2(SSL* ssl) {
  const unsigned char* chosen = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl, &chosen, &size);
  return std::string_view(reinterpret_cast<const char*>(chosen), size) == "h2";
}

}  // namespace

Session::Session(std::shared_ptr<Core> core, std::shared_ptr<asio::ssl::context> tls,
                 asio::ip::tcp::socket socket)
    : core_(std::move(core)),
      tls_(std::move(tls)),
      stream_(std::move(socket), *tls_),
      farewell_(core_->loop) {
  error_code ignored;
  stream_.next_layer().set_option(asio::ip::tcp::no_delay(true), ignored);
  stream_.next_layer().non_blocking(true, ignored);  // for ReadNow
}

Session::~Session() { Close(); }

void Session::Start() {
  if (!IsHeldUp()) Handshake();
}

// A stopped process says nothing and reads nothing.
bool Session::IsHeldUp() {
  const bool hangs = core_->faults.With([](const Faults& f) { return f.hang; });
  if (hangs) held_ = shared_from_this();
  return hangs;
}

void Session::Handshake() {
  stream_.async_handshake(asio::ssl::stream_base::server,
                          [self = shared_from_this()](error_code error) {
                            if (error || self->closed_) return self->Close();
                            self->Speak();
                          });
}

void Session::Speak() {
  Protocol::Wake wake = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Pump();
  };
  const auto make = HasChosenHttp2(stream_.native_handle()) ? MakeHttp2 : MakeHttp1;
  protocol_ = make(core_, PeerOf(), std::move(wake));
  Pump();
  Read();
}

Peer Session::PeerOf() {
  X509* const certificate = SSL_get0_peer_certificate(stream_.native_handle());
  if (certificate == nullptr) return {};
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
  return {.certificate_name = name};
}

void Session::Close() {
  if (std::exchange(closed_, true)) return;
  const std::shared_ptr<Session> held = std::move(held_);  // until the end of this function
  if (protocol_) protocol_->Close();
  farewell_.cancel();
  error_code ignored;
  auto& socket = stream_.next_layer();
  // A reset, not a goodbye; after one, what was said is still to arrive.
  if (!until_closed_) socket.set_option(asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
  until_closed_.reset();
}

void Session::Leave(std::shared_ptr<void> until_closed) {
  if (closed_) return;
  if (!protocol_ || IsHeldUp()) return Close();
  until_closed_ = std::move(until_closed);
  farewell_.expires_after(kFarewell);
  farewell_.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (!error && self) self->Close();
  });
  protocol_->Leave();
  Pump();
}

void Session::Resume() {
  const std::shared_ptr<Session> held = std::move(held_);
  if (closed_) return;
  if (!protocol_) {
    if (held && !IsHeldUp()) Handshake();
  } else if (received_ > 0) {
    Feed();
  } else {
    Pump();
  }
}

void Session::Read() {
  stream_.async_read_some(asio::buffer(input_),
                          [self = shared_from_this()](error_code error, size_t size) {
                            if (error || self->closed_) return self->Close();
                            self->received_ = size;
                            self->Feed();
                          });
}

bool Session::ReadNow() {
  error_code error;  // is met again by the next read
  received_ = stream_.read_some(asio::buffer(input_), error);
  return !error && received_ > 0;
}

void Session::Feed() {
  int records = 0;
  do {
    if (closed_ || IsHeldUp()) return;
    if (!protocol_->Receive({input_.data(), std::exchange(received_, 0)})) return Close();
  } while (++records < kRecordsOfTurn && ReadNow());
  Pump();
  if (!closed_) Read();
}

void Session::Pump() {
  if (closed_ || writing_ || IsHeldUp()) return;
  output_ = protocol_->Over() ? std::string() : protocol_->Take();
  if (output_.empty()) {
    if (protocol_->Over()) Close();
    return;
  }
  writing_ = true;
  asio::async_write(stream_, asio::buffer(output_),
                    [self = shared_from_this()](error_code error, size_t) {
                      self->writing_ = false;
                      if (error || self->closed_) return self->Close();
                      self->Pump();
                    });
}

}  // namespace fedra::sim
