#pragma once
//
// The API over TLS, for users of the manager's API server, with threads of its own: one that reads
// and writes, a few that ask the manager who a client is and what it may, of which one at a time
// answers, and one that checks. So neither a crowd of clients nor a manager that hangs delays the
// daemon's own work, or the Unix socket, and a check no other answer.
//
// Every request is refused unless the manager has said that it may be answered, but for pages that
// are the same for all who ask.
//
// Thread rules: Start, Follow, Stop and the destructor from one thread. Lifetime: what the API's
// sources and the reviews refer to must outlive it.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "manager/access/gate.h"
#include "manager/api/answer_threads.h"
#include "manager/api/api.h"
#include "manager/api/server.h"
#include "manager/api/streams.h"
#include "manager/http/listener.h"
#include "manager/http/tls.h"

namespace fedra::api {

// Where the certificate comes from.
struct CertificateSource {
  // Differs when there may be another one.
  std::function<std::string()> stamp;
  std::function<Result<httpd::KeyPair>()> read;
};
// One that is made in memory, anew every half a year.
CertificateSource SelfSigned(std::vector<std::string> names, const Clock& clock);

struct SecureSettings {
  std::string address;             // "0.0.0.0:8443"
  std::vector<std::string> hosts;  // names of ours, beside those in the certificate; lower case
  CertificateSource certificate;
  // What /metrics says to those who may get that path, as of Kubernetes' own components; null:
  // there is no such page. Any thread.
  std::function<std::string()> metrics = {};
  // A page for browsers, which is no secret and needs no token; what it shows the API has. Null:
  // there is none. Any thread.
  std::function<httpd::Answer(const httpd::Request& request)> page = {};
  StreamPace streams = {};
};

class SecureServer final {
 public:
  // kInvalidArgument: of the address. Where that is taken, or there is no usable certificate, it
  // does not listen yet: Follow tries again.
  static Result<std::unique_ptr<SecureServer>> Start(SecureSettings settings, Sources sources,
                                                     std::unique_ptr<access::Reviews> reviews,
                                                     access::GateLimits gate_limits = {},
                                                     httpd::ServerLimits limits = kLimits);
  ~SecureServer();
  SecureServer(const SecureServer&) = delete;
  SecureServer& operator=(const SecureServer&) = delete;

  // Takes over a certificate that has changed, which new connections get, and listens where it does
  // not yet. What is in the way is logged, once. Call about once a second.
  void Follow();
  // Nothing is answered after this; what is being judged ends, and streams do. Until the destructor
  // the store may still be asked for namespaces, and a body read. What waits for the manager ends
  // with the cluster's Stop(), which comes before the destructor.
  void Stop();
  // 0: it does not listen.
  int port() const { return listener_.port(); }

  // Of one request, without sockets.
  httpd::Answer Answer(const httpd::Request& request);

 private:
  SecureServer(SecureSettings settings, Sources sources, std::unique_ptr<access::Reviews> reviews,
               access::GateLimits gate_limits, httpd::ServerLimits limits);
  httpd::Service ServiceOfApi();
  void TakeCertificate();
  // As of Listener::ListenOn. It listens already, or not without a certificate: no error.
  Result<void> Listen();
  void Tell(const Result<void>& listens);
  bool IsOurs(const std::string& host) const;
  // Who asks; or the answer, where that need not be known or cannot.
  tl::expected<access::User, httpd::Answer> Admit(const httpd::Request& request);
  void AnswerInTurn(access::User user, httpd::Request request,
                    std::function<void(httpd::Answer)> done);
  httpd::Answer AnswerAdmitted(const access::User& user, const httpd::Request& request);
  httpd::Answer AnswerTo(const access::User& user, const httpd::Request& request);
  httpd::Answer AnswerMetrics(const access::User& user, const httpd::Request& request);
  tl::expected<Viewer, access::Refusal> ViewerOfWatch(const access::User& user,
                                                      const Parameters& asked,
                                                      std::optional<access::Purpose> purpose);
  httpd::Answer AnswerStream(const access::User& user, const Parameters& asked,
                             const httpd::Request& request);
  RightsNow LookAgainAt(const access::User& user, const Parameters& asked,
                        const httpd::Request& request);

  const SecureSettings settings_;
  const Sources sources_;
  access::Gate gate_;
  // Held while an answer of a kind is made: one at a time of each, and none waits for another kind.
  // Only Stop takes more than one.
  std::mutex answering_;
  std::mutex checking_;
  std::mutex counting_;  // metrics
  std::atomic<bool> stopped_{false};
  Streams streams_;
  const Api api_;
  std::string stamp_;    // of the certificate that was read last, usable or not
  std::string problem_;  // why it cannot listen, as it was logged; empty: it can
  Guarded<std::shared_ptr<httpd::TlsIdentity>> identity_;  // null: there is none yet
  AnswerThreads threads_{4};
  httpd::Listener listener_;
};

}  // namespace fedra::api
