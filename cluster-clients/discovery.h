#pragma once
//
// Asks a server who it is and what it serves: GET /version, and on demand /apis and the resources
// of some groups. Does not block.
//
// Thread rules: any thread. Lifetime: `workers` must live until `done` has run.

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "base/result.h"
#include "cluster-clients/kube/discovery.h"

namespace fedra {

class Session;
class WorkerPool;

struct DiscoveryPlan {
  std::chrono::milliseconds timeout{5'000};  // of each request
  bool discover = true;          // false: /version only, the rest of ServerInfo stays empty
  std::set<std::string> groups;  // whose resources are wanted
};

// `done` runs on a worker, exactly once. Errors: as the server or the network says, for PhaseOf().
void Discover(std::shared_ptr<Session> session, WorkerPool& workers, DiscoveryPlan plan,
              std::function<void(Result<kube::ServerInfo> info)> done);

}  // namespace fedra
