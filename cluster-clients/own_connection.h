#pragma once
//
// Calls to one server over a connection and on threads of its own: for what must go on when the
// rest of the process is stuck, or its io loop is flooded.
//
// Unlike a Cluster it knows no phases and repeats nothing: each call is one request, and one after
// the other is the caller's business. After a time-out the next one connects anew.
//
// Thread rules: Call() from one thread at a time; the others from any.
// Lifetime: the clock must outlive it. The destructor ends a call that waits with kCancelled.

#include <chrono>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "cluster-clients/cluster.h"
#include "cluster-clients/kube/verbs.h"
#include "cluster-clients/threads.h"

namespace fedra {

class Session;

class OwnConnection final {
 public:
  // Of the options only those of the connection count. No I/O happens before the first call.
  OwnConnection(const kube::AccessSettings& access, ClusterOptions options, const Clock& clock);
  ~OwnConnection();

  // The answer's object. Waits no longer than `timeout`.
  Result<std::string> Call(const kube::Verb& verb, std::chrono::milliseconds timeout);
  // The call that waits ends with kCancelled; later ones are carried out. Any thread.
  void CancelCalls();
  // New credentials or address, from the next call on.
  void UpdateAccess(const kube::AccessSettings& access);

 private:
  using SessionPtr = std::shared_ptr<Session>;
  SessionPtr Make(const kube::AccessSettings& access);

  // Constant after construction.
  const ClusterOptions options_;
  const Clock& clock_;

  Threads threads_{1};
  Guarded<SessionPtr> session_;
};

}  // namespace fedra
