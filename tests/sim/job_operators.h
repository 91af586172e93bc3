#pragma once
//
// The operators of the other kinds of jobs: they run jobs without pods, as JobController does
// without nodes, and write the status that the kind's real operator would write. Annotations as of
// job_controller.h.
//
// Thread rules: any thread but the engine's own. Lifetime: must be destroyed before its server.

#include <memory>

#include "tests/sim/job_controller.h"
#include "tests/sim/server.h"

namespace fedra::sim {

class JobOperators final {
 public:
  explicit JobOperators(Server& server, JobOptions options = {});
  ~JobOperators();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra::sim
