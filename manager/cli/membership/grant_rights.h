#pragma once
//
// Gives fedra's account on a worker the rights that are wanted, and makes it where there is none.
//
// Thread rules: any thread; blocks for the answers.

#include <string>
#include <vector>

#include "base/result.h"
#include "cluster-clients/cluster.h"
#include "manager/cli/membership/worker_rights.h"

namespace fedra::cli {

// `manager`: the UID of the one that it is for; empty: not known, and not noted. `force`: take over
// fields that others have applied. What an earlier join has granted beyond is taken back, unless
// another manager is noted on the account, which may need it. Those others.
Result<std::vector<std::string>> GrantRights(Cluster& worker, const WantedRights& wanted,
                                             const std::string& manager, bool force);

}  // namespace fedra::cli
