#pragma once
//
// Many Jobs at once, for benchmarks: creates them on the manager in process and notes when each of
// them exists on a worker and when it is finished on the manager. Nothing is polled and nothing
// goes over HTTP, so that what is measured is the federation.
//
// Thread rules: any thread but the engine's own; one load at a time per fleet.

#include <chrono>
#include <string>

#include "tests/sim/fleet.h"

namespace fedra::sim {

struct LoadRequest {
  size_t jobs = 100;
  std::string prefix = "load-";            // of the Jobs' names; must be new for every load
  std::string claim_template = "one-gpu";  // empty: no claims
  std::string run_for;                     // as the annotation; empty: the fleet's default
  double rate = 0;                         // Jobs per second; 0: as fast as possible
  bool wait_finished = false;              // until every Workload is Finished on the manager
  std::chrono::seconds timeout{120};
};

// {"jobs","dispatched","finished","createSeconds","dispatchSeconds","finishSeconds","dispatchPerSecond",
//  "latencyMs":{"p50","p90","p99","max"}}: times from the first creation; latency from a Job's
//  creation on the
// manager to its creation on a worker.
Json RunLoad(Fleet& fleet, const LoadRequest& request);

}  // namespace fedra::sim
