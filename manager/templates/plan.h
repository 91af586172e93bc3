#pragma once
//
// What to do about one ResourceClaimTemplate on one worker.
//
// Level-based: looks at what is there now, not at what happened. Carrying the plan out and asking
// again ends in kNone. An object without our marks is never touched, whatever else holds.
//
// The spec of a template is immutable (Kubernetes 1.36.3: 422 "field is immutable"), so its UID
// stands for its content: a copy that carries the UID of the manager's template is up to date, even
// where an older API server has dropped fields that it does not know.
//
// Pure functions on values.

#include <string>
#include <string_view>

#include "manager/tracking/ownership.h"
#include "manager/verify/objects.h"

namespace fedra::templates {

enum class SyncPolicy {
  kNever,
  kIfMissing,  // copies are made, and removed when no workload names them any more
  kReconcile,  // and they follow the manager's template
};

// One template as the manager, one worker, and the workloads show it.
struct View {
  const verify::ClaimSummary* original = nullptr;  // the manager's; null: none
  bool original_known = true;                      // whether that it is not there can be believed
  const verify::ClaimSummary* there = nullptr;     // the worker's, ours or not; null: none
  bool there_known = true;
  // The namespace is there and stays, and so is every DeviceClass that the original names.
  bool can_hold = true;
  bool named = false;    // by a workload that has not ended, wherever it is or will be
  bool here = false;     // by one that is on this worker or is dispatched there
  bool leaving = false;  // the worker was removed from the configuration
};

enum class Step {
  kNone,
  kCreate,   // the copy
  kRefresh,  // the copy's marks: its content is that of a new original
  kReplace,  // the copy: the original has another content now
  kWait,     // as kReplace, but a workload there still uses the copy
  kDelete,   // the copy
};
// "create", "refresh", ...; empty for kNone.
std::string_view ToString(Step step);

struct Plan {
  Step step = Step::kNone;
  std::string why;  // for people; empty for kNone
};

// Whether the worker's template is a copy of ours; `original`: the manager's, null: none.
tracking::Ownership OwnershipOf(const verify::ClaimSummary& there,
                                const verify::ClaimSummary* original, const tracking::Identity& us);

Plan Decide(const View& view, SyncPolicy mode, const tracking::Identity& us);

}  // namespace fedra::templates
