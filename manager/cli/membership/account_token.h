#pragma once
//
// A token of fedra's account on a worker, by the TokenRequest API (authentication.k8s.io/v1): it
// ends by itself, and with the account.
//
// Thread rules: any thread; blocks for the answer.

#include <chrono>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cluster-clients/cluster.h"

namespace fedra::cli {

// The API server gives none that ends sooner.
inline constexpr std::chrono::seconds kShortestToken = std::chrono::minutes(10);

struct AccountToken {
  std::string token;  // a secret
  WallTime ends;      // may be sooner than wanted: --service-account-max-token-expiration
};

extern const kube::Resource kAccounts;  // ServiceAccounts

Result<AccountToken> RequestAccountToken(Cluster& worker, std::chrono::seconds lifetime);

}  // namespace fedra::cli
