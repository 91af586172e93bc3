#include "tests/sim/net/listener.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <future>
#include <utility>

#include "base/assert.h"

namespace fedra::sim {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// What is spoken, as ALPN lists it, preferred first.
struct Spoken {
  const unsigned char* list;
  unsigned int size;
};
constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";
constexpr unsigned char kHttp1[] = "\x08http/1.1";
constexpr Spoken kBoth{kProtocols, sizeof kProtocols - 1};
constexpr Spoken kHttp1Only{kHttp1, sizeof kHttp1 - 1};

int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                   const unsigned char* offered, unsigned int offered_size, void* of_server) {
  const auto& spoken = *static_cast<const Spoken*>(of_server);
  unsigned char* selected = nullptr;
  const int result = SSL_select_next_proto(&selected, chosen_size, spoken.list, spoken.size,
                                           offered, offered_size);
  *chosen = selected;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

Listener::Listener(std::shared_ptr<Core> core, const Authority& authority)
    : core_(std::move(core)),
      trusted_(authority.CertificatePem()),
      normal_(MakeContext(authority.IssueServer(Validity::kNow))),
      expired_(MakeContext(authority.IssueServer(Validity::kExpired))),
      foreign_(MakeContext(Authority("foreign-ca").IssueServer(Validity::kNow))),
      acceptor_(core_->loop) {
  RunOnLoop([this] { Open(); });
}

Listener::~Listener() { Stop(); }

Listener::TlsContext Listener::MakeContext(const ClientCertificate& certificate) const {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  context->use_certificate_chain(asio::buffer(certificate.certificate_pem));
  context->use_private_key(asio::buffer(certificate.key_pem), asio::ssl::context::pem);
  context->add_certificate_authority(asio::buffer(trusted_));
  // A client certificate is asked for and not required: others have tokens.
  context->set_verify_mode(asio::ssl::verify_peer);
  constexpr unsigned char kSessions[] = "fedra-sim";
  SSL_CTX_set_session_id_context(context->native_handle(), kSessions, sizeof kSessions - 1);
  const Spoken& spoken = core_->options.http2 ? kBoth : kHttp1Only;
  SSL_CTX_set_alpn_select_cb(context->native_handle(), ChooseProtocol,
                             const_cast<Spoken*>(&spoken));
  return context;
}

Listener::TlsContext Listener::CurrentContext() const {
  const Faults faults = core_->faults.Copy();
  if (faults.foreign_ca) return foreign_;
  return faults.expired_certificate ? expired_ : normal_;
}

void Listener::RunOnLoop(std::function<void()> task) {
  std::promise<void> done;
  asio::post(core_->loop, [&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

void Listener::ApplyFaults() {
  RunOnLoop([this] {
    if (core_->faults.With([](const Faults& f) { return f.refuse; })) {
      if (accepting_) Refuse();
    } else if (!accepting_) {
      Open();
    }
    for (const auto& weak : sessions_) {
      if (const auto session = weak.lock()) session->Resume();
    }
  });
}

void Listener::DropConnections() {
  RunOnLoop([this] { CloseSessions(); });
}

void Listener::Stop() {
  const auto gone = std::make_shared<std::promise<void>>();
  auto all_closed = gone->get_future();
  RunOnLoop([this, gone] {
    error_code ignored;
    acceptor_.close(ignored);
    accepting_ = false;
    // Is deleted when the last session has closed.
    const std::shared_ptr<void> until_closed(nullptr, [gone](void*) { gone->set_value(); });
    for (const auto& weak : std::exchange(sessions_, {})) {
      if (const auto session = weak.lock()) session->Leave(until_closed);
    }
  });
  all_closed.wait();
  // An accept that was completed already still refers to this object: let it pass.
  RunOnLoop([] {});
}

void Listener::Open() {
  error_code error;
  if (!acceptor_.is_open()) {
    acceptor_.open(tcp::v4());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind({asio::ip::address_v4::loopback(), 0}, error);
    FEDRA_ASSERT(!error, "loopback has a free port");
    port_ = acceptor_.local_endpoint().port();
  }
  acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  FEDRA_ASSERT(!error, "a bound port can be listened on");
  accepting_ = true;
  Accept();
}

void Listener::Refuse() {
  // A new socket is bound to the port and does not listen: connections are refused and no other
  // process gets the port.
  error_code error;
  acceptor_.close(error);
  acceptor_.open(tcp::v4());
  acceptor_.set_option(tcp::acceptor::reuse_address(true));
  acceptor_.bind({asio::ip::address_v4::loopback(), port_}, error);
  FEDRA_ASSERT(!error, "a port that was just closed can be bound again");
  accepting_ = false;
  CloseSessions();
}

void Listener::Accept() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted || !accepting_) return;
    if (!error) {
      ++accepted_;
      auto session = std::make_shared<Session>(core_, CurrentContext(), std::move(socket));
      std::erase_if(sessions_, [](const auto& weak) { return weak.expired(); });
      sessions_.push_back(session);
      session->Start();
    }
    Accept();
  });
}

void Listener::CloseSessions() {
  for (const auto& weak : std::exchange(sessions_, {})) {
    if (const auto session = weak.lock()) session->Close();
  }
}

}  // namespace fedra::sim
