#pragma once
//
// One set of access settings in use: an HTTP client and the credentials that go with every request.
// Other settings are another session; calls that are under way finish on the old one.
//
// Thread rules: every function may be called from any thread but the io loop's. `done` and stream
// handlers may run on any thread, also before the function returns; they must be short. Lifetime:
// owned by a shared_ptr; loop, workers and clock must outlive it.

#include <functional>
#include <memory>

#include "base/guarded.h"
#include "cluster-clients/cluster.h"
#include "cluster-clients/http/client.h"
#include "cluster-clients/kube/auth.h"

namespace fedra {

class Session final : public std::enable_shared_from_this<Session> {
 public:
  Session(const kube::AccessSettings& access, const ClusterOptions& options, http::HttpLoop& loop,
          WorkerPool& workers, const Clock& clock);

  // After a 401 the credentials are fetched again, once, and the request is repeated.
  void Send(http::Request request, http::Client::Done done);
  // The same, blocking. `slow` is called when there is no answer after a second.
  http::Reply Call(http::Request request, const std::function<void()>& slow);
  // The result ends the stream early when called. A 401 only marks the credentials as refused.
  std::function<void()> Stream(http::Request request, http::StreamHandler handler);

  http::Client& client() { return client_; }

  // Ends everything with kCancelled. The workers are not asked for anything once the loop has been
  // flushed.
  void Stop();

 private:
  void Attempt(http::Request request, http::Client::Done done, SteadyTime deadline, bool last);
  void UseCertificate(const kube::CredentialsPtr& credentials);

  WorkerPool& workers_;
  const std::shared_ptr<kube::CredentialSource> credentials_;
  http::Client client_;
  Guarded<kube::CredentialsPtr>
      certificate_;  // whose client certificate is in use, if from a plugin
};

}  // namespace fedra
