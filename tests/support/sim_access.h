#pragma once
//
// How a test reaches a simulated API server.

#include <string>

#include "cluster-clients/kube/access.h"
#include "tests/sim/server.h"

namespace fedra {

// Administrator's token, the server's CA.
inline kube::AccessSettings AccessTo(const sim::Server& server,
                                     const std::string& token = "admin-token") {
  kube::AccessSettings access;
  access.server = server.Address();
  access.ca_pem = server.CaPem();
  access.token = token;
  return access;
}

}  // namespace fedra
