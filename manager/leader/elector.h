#pragma once
//
// Keeps the Lease, or waits for it: runs a LeaseLock on a thread and a connection of its own, so
// that neither a hung pool nor a flood of watch events costs the lead.
//
// A lead that is lost is lost for the process: on_lost is called once, and nothing is tried after
// it. Where may_lead says no, nothing is renewed or taken, and the lead runs out.
//
// Thread rules: Start and Stop from one thread; Now and UpdateAccess from any. The callbacks run on
// the elector's thread, and must be short; on_lost may end the process.
// Lifetime: the clock must outlive it.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/guarded.h"
#include "cluster-clients/own_connection.h"
#include "manager/leader/leadership.h"
#include "manager/leader/lease_lock.h"

namespace fedra::leader {

struct ElectorSettings {
  ObjectKey lease{"fedra-system", "fedra"};
  std::string identity;  // of this process alone
  LeaseTerms terms;
  kube::AccessSettings access;  // of the cluster that has the Lease
  ClusterOptions connection = {};
};

struct ElectorCallbacks {
  // Whether this process is able to lead. Asked before each try, must not wait.
  std::function<bool()> may_lead;
  std::function<void()> on_acquired;
  std::function<void(const std::string& why)> on_lost;
};

// Who leads, as last seen. For people.
struct LeadView {
  bool leads = false;                  // this process
  std::string identity;                // of this process
  std::optional<LeaseRecord> record;   // null: the Lease was not read yet, or is not there
  std::optional<WallTime> renewed_at;  // our last renewal that was answered; null: none was
  std::string problem;                 // of the last try; empty: it went well
};

// "fedra-7d9f_5e2c41a09b3d77f0": the host and a random part, since a host's second process must not
// take the Lease of its first for its own.
std::string NewIdentity(const std::string& host);

class Elector final {
 public:
  Elector(ElectorSettings settings, ElectorCallbacks callbacks, const Clock& clock);
  ~Elector();

  // The gate that is open while we lead.
  std::shared_ptr<Leadership> leadership() const { return leadership_; }
  LeadView Now() const;

  void Start();
  // No write passes the gate any more, and nothing is renewed. `release`: nothing of what passed it
  // is under way, so that another one may lead at once; waits about a second for that.
  void Stop(bool release);
  void UpdateAccess(const kube::AccessSettings& access) { connection_.UpdateAccess(access); }

 private:
  struct State {
    bool stopping = false;
    LeadView view;
  };

  void Run();
  // False: no further one.
  bool Try();
  Answer Send(Ask ask);
  Answer Call(const kube::Verb& verb, std::chrono::milliseconds timeout);
  std::chrono::milliseconds Timeout() const;
  std::chrono::nanoseconds Pause() const;
  void Publish();
  void Release();
  void NoteRefusal(bool may);
  bool IsStopping() const;

  // Constant after construction.
  const ElectorSettings settings_;
  const ElectorCallbacks callbacks_;
  const Clock& clock_;
  const std::shared_ptr<Leadership> leadership_;

  Guarded<State> state_;

  // Of the elector's thread, and after it of Stop().
  LeaseLock lock_;
  std::string problem_;
  std::optional<WallTime> renewed_at_;
  bool acquired_ = false;
  bool refused_ = false;  // may_lead said no, which was logged
  OwnConnection connection_;
  std::thread thread_;
};

}  // namespace fedra::leader
