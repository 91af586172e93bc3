#pragma once
//
// Until when this process leads, as everything that writes asks it: the gate of all clusters'
// connections.
//
// Thread rules: any thread; nothing waits.

#include <atomic>

#include "base/boot_clock.h"
#include "cluster-clients/http/write_gate.h"
#include "manager/leader/lease_lock.h"

namespace fedra::leader {

// The gate is open while we lead, and a write that passes it is over when another one may begin:
// we wait for its answer until the lead runs out (renew_deadline after a renewal was sent), and the
// server gives up after lease_duration - renew_deadline. Another fedra takes over no earlier than
// lease_duration after that renewal.
class Leadership final : public http::WriteGate {
 public:
  explicit Leadership(const LeaseTerms& terms)
      : server_limit_(terms.lease_duration - terms.renew_deadline) {}

  // What the lock says. Never after End().
  void LeadUntil(BootTime until) { until_ = until; }
  // No write passes any more.
  void End() { until_ = BootTime::min(); }

  bool Leads() const { return BootClock::now() < until_.load(); }
  std::optional<Permit> Ask() const override;

 private:
  const std::chrono::milliseconds server_limit_;
  std::atomic<BootTime> until_ = BootTime::min();
};

}  // namespace fedra::leader
