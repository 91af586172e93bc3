#pragma once
//
// Internal to reconcile/: the carrying out of one decision. Lives for one Executor::Execute call.

#include <string>

#include "manager/reconcile/execute.h"

namespace fedra::reconcile {

class Execution final {
 public:
  Execution(Executor& executor, const Picture& picture);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // One overload per action.
  Result<void> operator()(const placement::SetCheck& action);
  Result<void> operator()(const placement::Nominate& action);
  Result<void> operator()(const placement::Admit& action);
  Result<void> operator()(const placement::ClearPlacement& action);
  Result<void> operator()(const placement::CreateClone& action);
  Result<void> operator()(const placement::DeleteRemote& action);
  Result<void> operator()(const placement::CreateJob& action);
  Result<void> operator()(const placement::MirrorStatus& action);
  Result<void> operator()(const placement::ClearActivity& action);
  Result<void> operator()(const placement::FinishWorkload& action);
  Result<void> operator()(const placement::RecordFailure& action);
  Result<void> operator()(const placement::RecordPlacing& action);
  Result<void> operator()(const placement::RecordResidue& action);
  Result<void> operator()(const placement::Forget& action);
  Result<void> operator()(const placement::Note& action);
  Result<void> operator()(const placement::SetClonePriority& action);

 private:
  tracking::Marks OurMarks() const;
  const placement::ClusterView& View(const ClusterName& name) const;
  // The remembered row of this incarnation; a fresh one when there is none.
  store::PlacementRow Row() const;
  // Counts, and stores with what it is about to do, an attempt on the nominated clusters of `row`.
  Result<void> BeginAttempt(store::PlacementRow row);
  // Its nomination failed; `before`: the row as it was.
  void TakeBackAttempt(store::PlacementRow before, const Error& error);
  Result<void> WriteStatus(tracking::StatusChange change);
  Result<void> PatchWorkloadStatus(std::string body);
  Result<void> PatchJobStatus(std::string body);
  Result<void> ProvideTemplates(Worker& worker);
  Result<void> DeleteJob(Worker& worker, const placement::ClusterView& view);
  Result<void> DeleteClone(Worker& worker, const placement::ClusterView& view);
  Result<void> Create(Worker& worker, const kube::Resource& resource, std::string body,
                      const std::function<Result<bool>(const std::string& object)>& remember);
  // A worker will not take the workload: remembered, told, and with that another decision is due.
  Result<void> Refused(const ClusterName& cluster, dra::ReasonCode code, std::string_view note,
                       std::string message);
  // Ends the running attempt there, unless it has ended already: what was found first is the
  // reason.
  void EndAttempt(const ClusterName& cluster, const std::string& outcome,
                  const std::string& message);
  Regarding AboutWorkload() const;

  Executor& executor_;
  Tools& tools_;
  const Picture& picture_;
  // The manager's objects as our own writes of this execution left them.
  std::shared_ptr<const tracking::Workload> workload_;
  std::shared_ptr<const tracking::Job> job_;
  std::vector<int64_t> intents_;  // written, to be ended
};

}  // namespace fedra::reconcile
