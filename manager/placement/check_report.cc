#include "manager/placement/check_report.h"

#include "base/hash.h"

namespace fedra::placement {
namespace {

// A workload that has lost its quota may still be reported of: then of no reservation.
WallTime ReservedAt(const Context& context) {
  const auto& reserved = context.workload().quota_reserved;
  return reserved ? reserved->since : WallTime{};
}

bool Differs(const CheckReport& reported, const Message& message) {
  return reported.rendering != 0 ? reported.rendering != Hash64(message.text)
                                 : reported.facts != message.facts;
}

// Kubernetes keeps seconds.
bool IsBefore(WallTime a, WallTime b) {
  return std::chrono::floor<std::chrono::seconds>(a) < std::chrono::floor<std::chrono::seconds>(b);
}

}  // namespace

bool IsWrittenSinceReserved(const tracking::Workload& workload,
                            const tracking::AdmissionCheckState& check) {
  return !check.message.empty() && !IsBefore(check.since, workload.quota_reserved->since);
}

bool IsPlaced(const WorkloadView& view, const tracking::AdmissionCheckState& check) {
  if (check.state == tracking::CheckState::kReady) return true;
  const tracking::Workload& workload = *view.workload;
  return view.holds_check && check.state == tracking::CheckState::kPending &&
         !workload.cluster_name.empty() && !check.message.empty() &&
         IsBefore(workload.quota_reserved->since, check.since);
}

bool HasBegun(const Context& context, const tracking::AdmissionCheckState& check) {
  if (context.view.kueue_clears && !context.workload().nominated.empty()) return true;
  if (check.message.empty()) return false;  // as Kueue makes it
  // StatusPatch() sees to the dates; earlier releases did not, but remembered when a round began.
  const auto& round = context.record.nominated_at;
  return IsWrittenSinceReserved(context.workload(), check) ||
         (round && !IsBefore(*round, ReservedAt(context)) && !context.workload().nominated.empty());
}

std::vector<ClusterName> Nominated(const Context& context,
                                   const tracking::AdmissionCheckState& check) {
  std::vector<ClusterName> names;
  if (!HasBegun(context, check)) return names;
  for (const std::string& name : context.workload().nominated) names.emplace_back(name);
  return names;
}

bool IsReported(const Context& context, const tracking::AdmissionCheckState& check) {
  if (!HasBegun(context, check)) return false;
  const PlacementRecord& record = context.record;
  if (record.reported) return HasReported(context);
  // No other program nominates.
  return !context.workload().nominated.empty() || ReservedAt(context) < record.kept_since;
}

bool MustReport(const Context& context, const tracking::AdmissionCheckState& check,
                const Message& message) {
  if (!IsReported(context, check)) return true;
  const auto& reported = context.record.reported;
  return reported && Differs(*reported, message);
}

bool HasReported(const Context& context) {
  const auto& reported = context.record.reported;
  return reported && reported->reserved_at == ReservedAt(context);
}

bool IsNews(const Context& context, const Message& message) {
  return !HasReported(context) || Differs(*context.record.reported, message);
}

CheckReport AsReported(const Context& context, const Message& message) {
  return {ReservedAt(context), message.facts, Hash64(message.text)};
}

void TakeAsReported(const Context& context, const Message& message, Decision& decision) {
  const auto& reported = context.record.reported;
  if (!reported || reported->rendering == 0)
    decision.actions.emplace_back(RecordReport{AsReported(context, message)});
}

bool ReportOnce(const Context& context, const notes::NoteReason& reason, const ClusterName& worker,
                const std::string& text, Decision& decision) {
  const Message message{text, Hash64(reason.name, Hash64(worker.value))};
  if (!IsNews(context, message)) return false;
  decision.actions.emplace_back(RecordReport{AsReported(context, message)});
  decision.actions.emplace_back(Note{reason.name, worker, text});
  return true;
}

}  // namespace fedra::placement
