#include "manager/placement/not_started.h"

#include <string>

#include <fmt/format.h>

#include "base/time.h"
#include "manager/placement/check_report.h"
#include "manager/placement/move.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/steps.h"
#include "manager/tracking/copy_status.h"

namespace fedra::placement {
namespace {

// Empty: it was taken up, or that cannot be known.
std::string WhatIsMissing(const ClusterView& worker) {
  const tracking::Job& copy = *worker.job;
  if (copy.deleting || copy.finished || copy.is_group() || copy.kind == nullptr) return {};
  const std::string& kind = copy.kind->resource().kind;
  const std::string& name = worker.name.value;
  if (copy.suspended)
    return fmt::format("Kueue on {} has not started it: is its integration for {} on there?", name,
                       kind);
  if (HasNoStatus(copy))
    return fmt::format("no controller on {} has looked at it: does the one of {} run there?", name,
                       kind);
  return {};
}

}  // namespace

void TellIfNotStarted(const Context& context, const ClusterView& worker, Decision& decision) {
  const WallTime admitted = worker.clone->admitted->since;
  if (admitted == WallTime{}) return;
  const std::string missing = WhatIsMissing(worker);
  if (missing.empty()) return;
  const WallTime due = admitted + kStartPatience;
  if (context.now < due) return WakeBy(due, decision.wake_at);
  decision.why = fmt::format("admitted there at {}, but {}", FormatRfc3339(admitted), missing);
  // Where a move is due, its own event says more.
  if (DueMove(context.view, context.now) == nullptr)
    ReportOnce(context, notes::kNotStarted, worker.name, decision.why, decision);
}

}  // namespace fedra::placement
