#pragma once
//
// Authorization: RBAC's refusals, and the reviews with which a client asks about its own rights.
//
// Thread rules: free functions on values.

#include <optional>
#include <string_view>

#include "tests/sim/api/status.h"
#include "tests/sim/users.h"

namespace fedra::sim {

// Nothing when the user may. `type` is null for a resource that is not served.
std::optional<Failure> Authorize(const User* user, const AccessRequest& request);

// POST of a SelfSubjectAccessReview, SelfSubjectRulesReview or SelfSubjectReview; `plural` says
// which.
Outcome<Json> Review(const User& user, std::string_view plural, Json review);

}  // namespace fedra::sim
