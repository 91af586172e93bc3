#include "manager/reconcile/worker_outage.h"

#include <algorithm>
#include <chrono>

namespace fedra::reconcile {
namespace {

// What is said to begin in the future begins now.
SteadyTime SteadyOf(std::optional<WallTime> time, const Clock& clock) {
  if (!time) return clock.Steady();
  return clock.Steady() - std::max(WallTime::duration::zero(), clock.Now() - *time);
}

}  // namespace

bool IsOurFault(const ConnectionState& connection) {
  if (connection.phase == ConnectionPhase::kMisconfigured) return true;
  return connection.phase == ConnectionPhase::kRejected && connection.why &&
         connection.why->code == ErrorCode::kUnauthorized;
}

// The kind of an older outage is not known yet; its beginning is.
WorkerOutage::WorkerOutage(std::optional<WallTime> lost_since, bool keeps_rejected,
                           const Clock& clock)
    : keeps_rejected_(keeps_rejected),
      clock_(clock),
      loss_(Loss{.since = SteadyOf(lost_since, clock)}) {}

void WorkerOutage::Update(const std::function<Sight()>& look) {
  loss_.With([&](std::optional<Loss>& loss) {
    const Sight sight = look();
    if (sight.has_contact) {
      loss.reset();
    } else {
      if (!loss) loss = Loss{.since = clock_.Steady()};
      loss->since = BeginOf(*loss, sight.connection);
      if (sight.connection.phase != ConnectionPhase::kConnecting)
        loss->kept = KeepsJobs(sight.connection);
    }
  });
}

void WorkerOutage::Inherit(std::optional<WallTime> lost_there) {
  loss_.With([&](std::optional<Loss>& loss) {
    if (loss) loss->since = std::max(loss->since, SteadyOf(lost_there, clock_));
  });
}

WallTime WorkerOutage::Since(const ConnectionState& connection) const {
  const SteadyTime now = clock_.Steady();
  const std::optional<Loss> loss = loss_.Copy();
  const SteadyTime begin = loss ? BeginOf(*loss, connection) : now;
  return clock_.Now() - std::chrono::duration_cast<WallTime::duration>(now - begin);
}

bool WorkerOutage::KeepsJobs(const ConnectionState& connection) const {
  return keeps_rejected_ && IsOurFault(connection);
}

// Jobs that stayed for hours must not move at the first second in which the worker is silent.
// Between the two states it is asked again: that is neither.
SteadyTime WorkerOutage::BeginOf(const Loss& loss, const ConnectionState& connection) const {
  const bool ended =
      loss.kept && connection.phase != ConnectionPhase::kConnecting && !KeepsJobs(connection);
  return ended ? clock_.Steady() : loss.since;
}

}  // namespace fedra::reconcile
