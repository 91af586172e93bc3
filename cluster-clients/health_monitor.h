#pragma once
//
// Keeps the connection to one cluster: connects, asks for signs of life, knows its state.
//
// Every answer of the server counts as a sign of life, to whichever request; only when nothing else
// talks is it asked for one. Suspicion (a call that was cut, an answer that does not come) makes it
// ask at once, and only its own questions change the phase: one failed call is not an outage.
//
// Thread rules: every function may be called from any thread; only NoteContact and Suspect also on
// the io loop. `on_state` and `on_server` run on one worker at a time. Lifetime: owned by a
// shared_ptr. After Stop() neither is called any more.

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "cluster-clients/cluster.h"
#include "cluster-clients/connection.h"
#include "cluster-clients/session.h"
#include "cluster-clients/watch/serial_queue.h"

namespace fedra {

class HealthMonitor final : public std::enable_shared_from_this<HealthMonitor> {
 public:
  using SessionPtr = std::shared_ptr<Session>;
  using ServerPtr = std::shared_ptr<const kube::ServerInfo>;

  HealthMonitor(ClusterName name, kube::AccessSettings access, ClusterOptions options,
                http::HttpLoop& loop, WorkerPool& workers, const Clock& clock,
                Cluster::OnState on_state, Cluster::OnServer on_server);

  void Start();
  void Stop();
  void UpdateAccess(const kube::AccessSettings& access);
  void SetMisconfigured(Error why);

  ConnectionState state() const { return state_.Copy(); }
  ServerPtr server() const { return server_.Copy(); }
  SessionPtr session() const {
    return sessions_.With([](const Sessions& sessions) { return sessions.current; });
  }

  // The server has answered something.
  void NoteContact();
  SteadyTime last_contact() const;
  // A caller has reason to think that the server is not there.
  void Suspect();
  // A resource has appeared or vanished.
  void Rediscover();
  // A watch was lost, and with it perhaps the release that answered: asked for with the next probe,
  // so that watches which are cut all the time cost one discovery per probe interval.
  void RediscoverSoon() { rediscover_ = true; }
  // Also ask for the resources of this group from the next connect on.
  void AddGroup(const std::string& group);

 private:
  void Act(const ConnectionTracker::Output& output);
  void ProbeIn(std::chrono::milliseconds delay);
  void OnTimer();
  void Probe();
  void OnProbed(const SessionPtr& session, bool discovered, Result<kube::ServerInfo> info);
  void Publish(kube::ServerInfo info);
  void OnProbeFailed(const SessionPtr& session, const Error& why);

  const ClusterName name_;
  const ClusterOptions options_;
  http::HttpLoop& loop_;
  WorkerPool& workers_;
  const Clock& clock_;
  const Cluster::OnState on_state_;
  const Cluster::OnServer on_server_;
  const std::shared_ptr<watch::SerialQueue> serial_;

  struct Sessions {
    SessionPtr current;
    std::vector<std::weak_ptr<Session>> earlier;  // may still have calls under way
  };
  Guarded<Sessions> sessions_;
  Guarded<ConnectionState> state_;
  Guarded<ServerPtr> server_;
  Guarded<std::set<std::string>> groups_;
  std::atomic<SteadyTime::rep> last_contact_{0};
  std::atomic<bool> suspected_{false};  // a Suspect() is queued
  std::atomic<bool> rediscover_{true};
  std::atomic<bool> stopping_{false};

  // Inside of serial_ only.
  ConnectionTracker tracker_;
  bool started_ = false;
  bool probing_ = false;
  SteadyTime probe_began_{};
  SteadyTime discovered_at_{};
  bool contested_ = false;  // the last probe failed although others got answers
  uint64_t timer_round_ = 0;
};

}  // namespace fedra
