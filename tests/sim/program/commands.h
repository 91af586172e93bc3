#pragma once
//
// What fedra-sim's control endpoint can do to a fleet. README.md lists the requests.
//
// Thread rules: any thread. Lifetime: the fleet must outlive it.

#include <functional>
#include <map>
#include <string>

#include "base/guarded.h"
#include "tests/sim/fleet.h"
#include "tests/sim/program/control.h"

namespace fedra::sim {

class Commands final {
 public:
  // `shut_down` is called for POST /shutdown, after which the reply is still sent.
  Commands(Fleet& fleet, std::function<void()> shut_down);

  ControlReply Handle(const std::string& method, const std::string& path, const Json& body);

 private:
  ControlReply SetFault(Cluster& cluster, const std::string& name, const Json& body);
  ControlReply Forbid(Cluster& cluster, const std::string& name, const Json& body);
  ControlReply SteerKueue(Cluster& cluster, const Json& body);
  ControlReply Load(const Json& body);
  ControlReply Stats();

  Fleet& fleet_;
  const std::function<void()> shut_down_;
  Guarded<std::map<std::string, std::vector<PolicyRule>>> forbidden_;  // by cluster
};

// The user whose kubeconfig fedra gets. Everything is allowed until a fault forbids something.
User FederationUser(std::vector<PolicyRule> deny = {});

}  // namespace fedra::sim
