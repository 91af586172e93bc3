#include "cluster-clients/session.h"

#include <optional>
#include <semaphore>
#include <utility>

#include "base/worker_pool.h"

namespace fedra {
namespace {

using std::chrono::milliseconds;

// An answer usually takes milliseconds; after this one may wonder.
constexpr milliseconds kSlow{1'000};
// The client keeps to the deadline itself; this only covers for a credential that never comes.
constexpr milliseconds kMargin{500};

http::Endpoint EndpointOf(const kube::AccessSettings& access, const ClusterOptions& options) {
  http::Endpoint endpoint;
  endpoint.url = access.server;
  endpoint.proxy_url = access.proxy_url;
  endpoint.ca_pem = access.ca_pem;
  endpoint.tls_server_name = access.tls_server_name;
  endpoint.insecure_skip_tls_verify = access.insecure_skip_tls_verify;
  endpoint.client_certificate_pem = access.client_certificate_pem;
  endpoint.client_key_pem = access.client_key_pem;
  endpoint.connect_timeout = options.connect_timeout;
  endpoint.http2 = options.http2;
  endpoint.gate = options.gate;
  return endpoint;
}

http::Reply Failed(Error why) {
  http::Reply reply;
  reply.failure = std::move(why);
  reply.unsent = true;
  return reply;
}

http::Reply Failed(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return Failed(std::move(error));
}

// A stream that may be ended before it has begun.
struct Ticket {
  std::optional<http::Client::TransferId> transfer;
  bool cancelled = false;
};

}  // namespace

Session::Session(const kube::AccessSettings& access, const ClusterOptions& options,
                 http::HttpLoop& loop, WorkerPool& workers, const Clock& clock)
    : workers_(workers),
      credentials_(std::make_shared<kube::CredentialSource>(access, loop, workers, clock)),
      client_(loop, EndpointOf(access, options)) {}

void Session::Send(http::Request request, http::Client::Done done) {
  const SteadyTime deadline = std::chrono::steady_clock::now() + request.timeout;
  Attempt(std::move(request), std::move(done), deadline, !credentials_->renewable());
}

void Session::Attempt(http::Request request, http::Client::Done done, SteadyTime deadline,
                      bool last) {
  credentials_->Obtain([self = shared_from_this(), request = std::move(request),
                        done = std::move(done), deadline,
                        last](Result<kube::CredentialsPtr> credentials) mutable {
    if (!credentials) return done(Failed(std::move(credentials).error()));
    request.timeout = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    request.authorization = (*credentials)->authorization;
    self->UseCertificate(*credentials);
    if (last) {
      self->client_.Send(std::move(request), std::move(done));
      return;
    }
    http::Request copy = request;
    self->client_.Send(std::move(copy), [self, request = std::move(request), done = std::move(done),
                                         deadline, used = *credentials](http::Reply reply) mutable {
      if (reply.failure || reply.status != 401) return done(std::move(reply));
      self->credentials_->Refuse(used);
      // Fetching may read a file: not on the io loop.
      self->workers_.Submit(
          [self, request = std::move(request), done = std::move(done), deadline]() mutable {
            self->Attempt(std::move(request), std::move(done), deadline, true);
          });
    });
  });
}

http::Reply Session::Call(http::Request request, const std::function<void()>& slow) {
  struct Pending {
    http::Reply reply;
    std::binary_semaphore arrived{0};
  };
  const auto pending = std::make_shared<Pending>();
  const milliseconds timeout = request.timeout;
  const SteadyTime begin = std::chrono::steady_clock::now();
  Send(std::move(request), [pending](http::Reply reply) {
    pending->reply = std::move(reply);
    pending->arrived.release();
  });
  if (pending->arrived.try_acquire_for(std::min(kSlow, timeout))) return std::move(pending->reply);
  slow();
  if (pending->arrived.try_acquire_until(begin + timeout + kMargin))
    return std::move(pending->reply);
  return Failed(ErrorCode::kTimeout, "no credentials within the deadline");
}

std::function<void()> Session::Stream(http::Request request, http::StreamHandler handler) {
  auto ticket = std::make_shared<Guarded<Ticket>>();
  credentials_->Obtain([self = shared_from_this(), request = std::move(request),
                        handler = std::move(handler),
                        ticket](Result<kube::CredentialsPtr> credentials) mutable {
    if (!credentials) return handler.on_end(Failed(std::move(credentials).error()));
    request.authorization = (*credentials)->authorization;
    self->UseCertificate(*credentials);
    handler.on_end = [self, used = *credentials,
                      on_end = std::move(handler.on_end)](http::Reply reply) {
      if (!reply.failure && reply.status == 401) self->credentials_->Refuse(used);
      on_end(std::move(reply));
    };
    const bool cancelled = ticket->With([&](Ticket& state) {
      if (!state.cancelled) state.transfer = self->client_.Stream(std::move(request), handler);
      return state.cancelled;
    });
    if (cancelled) handler.on_end(Failed(ErrorCode::kCancelled, "cancelled"));
  });
  return [self = shared_from_this(), ticket] {
    const auto transfer = ticket->With([](Ticket& state) {
      state.cancelled = true;
      return state.transfer;
    });
    if (transfer) self->client_.Cancel(*transfer);
  };
}

void Session::Stop() {
  client_.Shutdown();
  credentials_->Stop();
}

void Session::UseCertificate(const kube::CredentialsPtr& credentials) {
  if (credentials->client_certificate_pem.empty()) return;
  const bool other = certificate_.With([&](kube::CredentialsPtr& now) {
    const bool same = now && now->client_certificate_pem == credentials->client_certificate_pem &&
                      now->client_key_pem == credentials->client_key_pem;
    if (!same) now = credentials;
    return !same;
  });
  if (other)
    client_.SetClientCertificate(credentials->client_certificate_pem, credentials->client_key_pem);
}

}  // namespace fedra
