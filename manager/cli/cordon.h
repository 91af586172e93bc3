#pragma once
//
// fedra cordon, fedra drain and fedra uncordon: a worker is taken out of service, or put back.
//
// That is an annotation of the manager's AdmissionChecks (manager/tracking/admission_check.h),
// which every replica reads, and which kubectl shows. It is written with the caller's rights.
//
// Thread rules: one user thread.

#include <string>
#include <vector>

#include "manager/cli/membership/named_context.h"
#include "manager/cli/terminal/terminal.h"

namespace fedra::cli {

enum class Service { kCordoned, kDrained, kRestored };

struct CordonOptions {
  Service wanted = Service::kCordoned;
  std::string worker;
  std::string reason;               // shown beside the worker
  ContextChoice manager;            // of the caller
  std::vector<std::string> checks;  // AdmissionChecks; empty: those that fedra may serve
  std::string timeout = "30s";      // for connecting
  // Of a daemon on this machine, which knows its workers; there need be none.
  std::string config = {};
};
int Cordon(const CordonOptions& options, Terminal& terminal);

}  // namespace fedra::cli
