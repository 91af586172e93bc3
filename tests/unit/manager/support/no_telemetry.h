#pragma once
//
// Nothing counts, but for what a test overrides. Thread rules: any thread.

#include "manager/reconcile/telemetry.h"

namespace fedra::reconcile {

class NoTelemetry : public Telemetry {
 public:
  void Dispatched(const ClusterName&, std::string_view) override {}
  void Placed(const ClusterName&, std::chrono::nanoseconds) override {}
  void Judged(const ClusterName&, const verdict::Verdict&) override {}
  void LookedAt(size_t) override {}
  void Verified(std::chrono::nanoseconds) override {}
  void Reconciled(std::string_view, std::chrono::nanoseconds) override {}
  void Assumed(const ObjectKey&) override {}
  void PassedUnasked() override {}
  void WorkerLost(const ClusterName&) override {}
};

}  // namespace fedra::reconcile
