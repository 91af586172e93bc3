#pragma once
//
// Calls to one server over a connection and on threads of its own: for what must go on when the
// rest of the process is stuck, or its io loop is flooded, and for commands that ask little.
//
// Unlike a Cluster it knows no phases and repeats nothing: each call is one request, and one after
// the other is the caller's business. After a time-out the next one connects anew.
//
// Thread rules: Call() from one thread at a time; the others from any.
// Lifetime: the clock must outlive it. The destructor ends a call that waits with kCancelled.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "cluster-clients/cluster.h"
#include "cluster-clients/http/message.h"
#include "cluster-clients/kube/verbs.h"
#include "cluster-clients/threads.h"

namespace fedra {

class Session;

class OwnConnection final {
 public:
  // Of the options only those of the connection count. No I/O happens before the first call.
  OwnConnection(const kube::AccessSettings& access, ClusterOptions options, const Clock& clock);
  ~OwnConnection();

  // The answer's object, or its text where the verb has one. Waits no longer than `timeout`.
  Result<std::string> Call(const kube::Verb& verb, std::chrono::milliseconds timeout);
  // The server's clock now, as its last answer to a call has it, in whole seconds: the true time is
  // up to a second later. Nothing: no answer said. Any thread.
  std::optional<WallTime> ServerTime() const;
  // Every object of the selection as text, page by page, each page within `timeout`; ends with the
  // first error of `on_item`. kTooLarge: there are more than `most`.
  Result<void> List(const kube::Resource& resource, const kube::Selection& selection, size_t most,
                    std::chrono::milliseconds timeout,
                    const std::function<Result<void>(std::string_view item)>& on_item);
  // An answer that goes on, beside the calls; what is returned ends it. Handlers may run on any
  // thread, also before this returns, and until this connection is destroyed.
  std::function<void()> Stream(http::Request request, http::StreamHandler handler);
  // The call that waits ends with kCancelled at once, whatever it waits for, and so does every
  // later one, until AllowCalls(). What was sent may be carried out all the same. Any thread.
  void CancelCalls();
  void AllowCalls();
  // New credentials or address, from the next call on.
  void UpdateAccess(const kube::AccessSettings& access);

 private:
  using SessionPtr = std::shared_ptr<Session>;
  // Shared with the answer, which may come after the call has ended.
  struct Pending {
    std::optional<http::Reply> reply;
    bool cancelled = false;
  };
  using PendingPtr = std::shared_ptr<Guarded<Pending>>;
  struct State {
    SessionPtr session;
    PendingPtr call;  // the one that waits, or the last one that did; null: there was none
    bool cancelled = false;
    std::optional<WallTime> told;  // by the last answer that told it
    SteadyTime told_at{};
  };
  SessionPtr Make(const kube::AccessSettings& access);
  // Null: calls are cancelled.
  SessionPtr BeginCall(const PendingPtr& call);

  // Constant after construction.
  const ClusterOptions options_;
  const Clock& clock_;

  Threads threads_{1};
  Guarded<State> state_;
};

}  // namespace fedra
