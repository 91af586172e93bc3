#pragma once
//
// Since when there is no contact with a worker. It is counted in steady time, so that a jump of the
// wall clock moves no deadline. One outage has one beginning, whatever its reasons; but time in
// which the worker answers and rejects us counts for none where its jobs stay meanwhile. Part of
// Worker.
//
// Thread rules: any thread. Lifetime: the clock must outlive it.

#include <functional>
#include <optional>

#include "base/clock.h"
#include "base/guarded.h"
#include "cluster-clients/connection_state.h"

namespace fedra::reconcile {

// It answers, and does not take our credentials, or our kubeconfig of it cannot be used.
bool IsOurFault(const ConnectionState& connection);

class WorkerOutage final {
 public:
  // An outage lasts until the first Update() that sees contact. `lost_since`: as remembered from
  // before the start. `keeps_rejected`: as of WorkerSettings.
  WorkerOutage(std::optional<WallTime> lost_since, bool keeps_rejected, const Clock& clock);

  struct Sight {
    ConnectionState connection;
    bool has_contact = false;  // in full
  };
  // To be called whenever that may have changed, and about once a second: the reason of a bad phase
  // may change without a word. `look` runs under the lock: several reflectors report at the same
  // time, and the last of them to write must not have looked first.
  void Update(const std::function<Sight()>& look);
  // Another process has decided until now, and lost contact at `lost_there`; null: it had no part
  // in it, or that is not known, and the outage counts from now on. Of two beginnings the later one
  // counts: until then one of us had contact.
  void Inherit(std::optional<WallTime> lost_there);

  // Without contact: since when, by the wall clock as it is now.
  WallTime Since(const ConnectionState& connection) const;
  // Whether jobs stay although there is no contact.
  bool KeepsJobs(const ConnectionState& connection) const;

 private:
  struct Loss {
    SteadyTime since{};
    bool kept = false;  // for all we know jobs stay
  };
  SteadyTime BeginOf(const Loss& loss, const ConnectionState& connection) const;

  // Constant after construction.
  const bool keeps_rejected_;
  const Clock& clock_;

  Guarded<std::optional<Loss>> loss_;
};

}  // namespace fedra::reconcile
