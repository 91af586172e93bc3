#pragma once
//
// Who we are at a cluster: turns AccessSettings into an Authorization header or a client
// certificate, and keeps them fresh (token files, exec plugins).
//
// Thread rules: every function may be called from any thread but the io loop's. `done` runs on the
// calling thread when nothing has to be fetched, otherwise on a worker or the io loop thread; it
// must be short. Lifetime: loop, workers and clock must outlive the source; the source must be
// owned by a shared_ptr. Errors: kUnauthorized when a plugin or a token file does not give a usable
// credential and the last one has expired or was refused. Secrets never become part of a message.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "cluster-clients/kube/access.h"

namespace fedra {
class WorkerPool;
namespace http {
class HttpLoop;
}
}  // namespace fedra

namespace fedra::kube {

struct Credentials {
  std::string authorization;           // value of the header; empty: none is sent
  std::string client_certificate_pem;  // from a plugin; empty: as in the settings
  std::string client_key_pem;
  std::optional<WallTime> expires;
};
using CredentialsPtr = std::shared_ptr<const Credentials>;

class CredentialSource final : public std::enable_shared_from_this<CredentialSource> {
 public:
  using Done = std::function<void(Result<CredentialsPtr> credentials)>;

  CredentialSource(const AccessSettings& access, http::HttpLoop& loop, WorkerPool& workers,
                   const Clock& clock);

  // What to send now.
  void Obtain(Done done);

  // The server answered 401 to `refused`: the next Obtain() fetches again, if there is anything to
  // fetch. May also be called on the io loop.
  void Refuse(const CredentialsPtr& refused);

  // Who waits gets kCancelled. No worker is asked for anything any more; a plugin that still runs
  // is ignored.
  void Stop();

  // Whether the credentials come from somewhere that may have others later.
  bool renewable() const { return !access_.exec.empty() || !access_.token_file.empty(); }

 private:
  struct State {
    CredentialsPtr current;
    SteadyTime obtained{};
    SteadyTime renew_from{};  // not before, while `current` is valid
    bool refused = false;     // `current` got a 401: fetch again
    bool fetching = false;
    bool stopped = false;
    std::vector<Done> waiting;
  };

  bool Valid(const State& state) const;
  bool Fresh(const State& state) const;
  Result<CredentialsPtr> ReadTokenFile() const;
  void RunPlugin();
  void Defer(std::function<void()> task);
  void Fetched(Result<CredentialsPtr> result);

  const AccessSettings access_;
  http::HttpLoop& loop_;
  WorkerPool& workers_;
  const Clock& clock_;
  Guarded<State> state_;
};

}  // namespace fedra::kube
