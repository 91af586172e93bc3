#pragma once
//
// A small model of the outside for placement::Decide() with WorkloadView::kueue_copies: one
// workload, its manager's Kueue with MultiKueue as it was read in 0.19.2, and a few workers.
// Carries out decisions as the executor would, and checks what may be nominated.
//
// Times are simulated; nothing here is concurrent.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "manager/placement/decide.h"

namespace fedra::placement::testing {

class KueueCopies final {
 public:
  struct WorkerModel {
    bool in_contact = true;       // with fedra
    bool kueue_connected = true;  // with the manager's Kueue
    bool allowed = true;          // by the MultiKueueConfig
    verdict::Outcome outcome = verdict::Outcome::kYes;
    WallTime lost_since{};
    std::shared_ptr<tracking::Workload> clone;
    std::shared_ptr<const tracking::Workload> seen;  // by fedra, when it last had contact
  };

  explicit KueueCopies(const std::vector<std::string>& workers, Policy policy = {});

  void ReserveQuota();
  // The worker's Kueue.
  bool Admit(const std::string& worker);
  void EvictOn(const std::string& worker);
  bool FinishOn(const std::string& worker, const std::string& reason = "Succeeded");
  void SwitchOffOn(const std::string& worker);
  void SetContact(const std::string& worker, bool in_contact);
  WorkerModel& worker(const std::string& name) { return workers_.at(name); }
  // The manager's: one pass of MultiKueue, and of what evicts and requeues.
  void RunMultiKueue();
  void RunKueue();
  // Another dispatcher.
  void NominateByOthers(std::vector<std::string> names) { workload_.nominated = std::move(names); }
  void Advance(std::chrono::milliseconds time) { now_ += time; }
  void LoseStore();
  void Restart();

  Decision Look() const;
  // Looks and carries out at most `limit` actions: a crash comes after them.
  Decision Step(size_t limit = SIZE_MAX);
  // Until nothing changes; no worker admits anything meanwhile.
  Decision Settle();

  tracking::Workload& workload() { return workload_; }
  const std::vector<std::string>& nominated() const { return workload_.nominated; }
  tracking::AdmissionCheckState& check() { return workload_.checks.front(); }
  std::vector<std::string> WorkersWithClone() const;
  const std::vector<std::string>& notes() const { return notes_; }
  const PlacementRecord& record() const { return record_; }
  WorkloadView& view() { return view_; }
  int writes() const { return writes_; }
  // How often Kueue's webhook denied a clusterName.
  int denied() const { return denied_; }
  std::string Print() const;

 private:
  std::vector<ClusterView> Seen() const;
  void Carry(const Action& action);
  void CarryNominate(const Nominate& action);
  void DeleteClone(WorkerModel& worker) const;
  bool ReflectRemotes();

  Policy policy_;
  WallTime now_ = WallTime{} + std::chrono::hours(1000);
  std::vector<std::string> order_;
  std::map<std::string, WorkerModel> workers_;
  tracking::Workload workload_;
  WorkloadView view_;
  PlacementRecord record_;
  std::vector<std::string> notes_;
  int writes_ = 0;
  int denied_ = 0;
};

}  // namespace fedra::placement::testing
