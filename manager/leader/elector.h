#pragma once
//
// Keeps the Lease, or waits for it: runs a LeaseLock on a thread and a connection of its own, so
// that neither a hung pool nor a flood of watch events costs the lead.
//
// A lead that is lost is lost for the process: on_lost is called once, and nothing is tried after
// it. What `ability` says decides what is asked for: Ability.
//
// Thread rules: Start and Stop from one thread; Now, UpdateAccess and SetNotes from any. The
// callbacks run on the elector's thread, and must be short; on_lost may end the process. Lifetime:
// the clock must outlive it.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "manager/leader/leadership.h"
#include "manager/leader/lease_client.h"
#include "manager/leader/lease_lock.h"

namespace fedra::leader {

struct ElectorSettings {
  ObjectKey lease{"fedra-system", "fedra"};
  std::string identity;  // of this process alone
  LeaseTerms terms;
  kube::AccessSettings access;  // of the cluster that has the Lease
  ClusterOptions connection = {};
};

// What this process could do with the lead.
struct Ability {
  // Why it is of no use as the leader; empty: it may lead. Nothing is taken or renewed, and a lead
  // runs out.
  std::string unable = {};
  // Nothing was begun that could still change anything. Then a lead that it is of no use for is
  // given back at once.
  bool idle = false;
  // Why another one should rather lead, if there is one; empty: it can begin at once.
  std::string cold = {};
};

struct ElectorCallbacks {
  // Asked before each try, and once more when a lead is to be given back. Must not wait.
  std::function<Ability()> ability;
  std::function<void()> on_acquired;
  std::function<void(const std::string& why)> on_lost;
};

// Who leads, as last seen. For people.
struct LeadView {
  bool leads = false;                  // this process
  std::string identity;                // of this process
  std::optional<LeaseRecord> record;   // null: the Lease was not read yet, or is not there
  HolderNotes notes = {};              // what its holder says of itself; with a record
  std::optional<WallTime> renewed_at;  // our last renewal that was answered; null: none was
  // Why it neither leads nor could now, or what was wrong with the last try; empty: it went well.
  std::string problem;
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
  void UpdateAccess(const kube::AccessSettings& access) { client_.UpdateAccess(access); }
  // What a leader tells the others of itself.
  void SetNotes(HolderNotes notes) { client_.SetNotes(std::move(notes)); }

 private:
  struct State {
    bool stopping = false;
    LeadView view;
  };

  void Run();
  // False: no further one.
  bool Try();
  // Whether the lead was given back, or runs out, because it is of no use here.
  bool GivesUp(const Ability& ability);
  std::chrono::milliseconds Timeout() const;
  void Publish();
  void NoteAbility(const Ability& ability);
  const std::string& Problem() const { return refused_.empty() ? client_.problem() : refused_; }
  bool IsStopping() const;

  // Constant after construction.
  const ElectorSettings settings_;
  const ElectorCallbacks callbacks_;
  const Clock& clock_;
  const std::shared_ptr<Leadership> leadership_;

  Guarded<State> state_;

  // Of the elector's thread, and after it of Stop().
  LeaseLock lock_;
  std::string refused_;  // why nothing is asked for, as it was logged last
  bool acquired_ = false;
  LeaseClient client_;
  std::thread thread_;
};

}  // namespace fedra::leader
