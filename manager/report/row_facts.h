#pragma once
//
// What the store keeps as JSON in its rows, read back, and what follows from several rows. Pure
// functions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/verify/capacity.h"
#include "manager/verify/reason_json.h"
#include "manager/verify/reason_order.h"
#include "store/rows.h"

namespace fedra::report {

// The reasons against a worker, from VerdictRow::reasons_json. Empty when the text is not the array
// that it should be.
std::vector<verify::KeptReason> ReasonsOf(const store::VerdictRow& verdict);

// What a workload asks for beside its queue, from WorkloadRow::needs_json.
struct Needs {
  std::vector<std::string> templates;  // ResourceClaimTemplates
  std::vector<std::string> claims;     // ResourceClaims
  int pods = 0;
};
// Nothing when it is not known, or not like that.
std::optional<Needs> NeedsOf(const store::WorkloadRow& row);
// "queue ml/gpu · template one-gpu · claim shared · 2 pods"; empty when it is not known.
std::string NeedsText(const store::WorkloadRow& row);

// From VerdictRow::alternatives_json; empty when the text is not the array that it should be.
std::vector<int> AlternativesOf(const store::VerdictRow& verdict);

// Whether the verdicts alone say why a job is blocked: there is one of each of the `workers`, and
// none is Yes. Otherwise only the workload's note says it: a worker that could run the job may have
// refused the write, and of a large fleet not every verdict is kept.
bool AllRefuse(const std::vector<store::VerdictRow>& verdicts, size_t workers);

// Whether waiting helps this worker's No; kUnclear for any other outcome.
verify::Prospect ProspectOf(const store::VerdictRow& verdict);

// The workers whose devices are only in use: the job waits for them.
std::vector<std::string> BusyWorkers(const std::vector<store::VerdictRow>& verdicts);

// Which reasons stand first against how many workers, the most frequent first; the outcome's name
// where there is no reason. Workers that say Yes are left out.
struct ReasonCount {
  std::string code;
  int workers = 0;
  std::string remedy = {};  // what can be done about it; empty: nothing is known, or need be done
};
std::vector<ReasonCount> CountReasons(const std::vector<store::VerdictRow>& verdicts);
// The same without remedies, which takes a fraction of the work.
std::vector<ReasonCount> CountCodes(const std::vector<store::VerdictRow>& verdicts);
// The most frequent first, else as they are.
void SortByCount(std::vector<ReasonCount>& counts);
// One worker more with this reason. Where remedies differ the catalogue's is left.
void CountReason(const std::string& code, std::string_view remedy,
                 std::vector<ReasonCount>& counts);

// What can be done about a reason, in one paragraph, whatever its facts; empty when nothing is
// known about it.
std::string RemedyOf(const std::string& code);

// Of ClusterRow::capacity_json; empty when it cannot be read.
verify::Capacity CapacityOf(const store::ClusterRow& row);

// Why this ClusterQueue admits nothing; empty: nothing is known against it.
std::string WhyStopped(const verify::Capacity& capacity, const std::string& cluster_queue);

}  // namespace fedra::report
