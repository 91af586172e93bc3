#include "tests/sim/scheduler.h"

#include "tests/sim/scheduling/claim_controller.h"
#include "tests/sim/scheduling/pod_scheduler.h"

namespace fedra::sim {

class Scheduler::Impl final {
 public:
  explicit Impl(Core& core) : claims_(core), pods_(core) {}

 private:
  ClaimController claims_;
  PodScheduler pods_;
};

Scheduler::Scheduler(Server& server) : impl_(std::make_unique<Impl>(server.core())) {}
Scheduler::~Scheduler() = default;

}  // namespace fedra::sim
