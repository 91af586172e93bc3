#pragma once
//
// Carries out a decision: one API write or one durable record per action, in order, until one
// fails.
//
// Thread rules: any thread; one workload by one thread at a time.
// Lifetime: everything in Tools must outlive it.

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "manager/placement/action.h"
#include "manager/reconcile/call_gates.h"
#include "manager/reconcile/event_writer.h"
#include "manager/reconcile/gather.h"
#include "manager/reconcile/recorder.h"
#include "manager/reconcile/records.h"
#include "manager/reconcile/telemetry.h"
#include "manager/reconcile/template_keeper.h"

namespace fedra::reconcile {

struct Tools {
  ManagerCluster& manager;
  const Workers& workers;
  store::Store& store;
  Records& records;
  Recorder& recorder;
  EventWriter& events;
  Telemetry& telemetry;
  TemplateKeeper& templates;
  CallGates& gates;
  const Clock& clock;
  std::string origin;
};

class Executor final {
 public:
  explicit Executor(Tools tools);

  // The first failure. kConflict: the state has moved on, look again. kUnavailable with
  // retry_after: the worker is busy. Anything else: back off and look again.
  Result<void> Execute(const Picture& picture, const placement::Decision& decision);

 private:
  Worker& Find(const ClusterName& name) const;

  Tools tools_;
  std::unordered_map<ClusterName, Worker*> by_name_;  // constant after construction

  friend class Execution;
};

}  // namespace fedra::reconcile
