#pragma once
//
// Reviews about others, as servers ask for that have clients of their own: TokenReview and
// SubjectAccessReview.
//
// Thread rules: any thread; takes the store's lock for the bindings.

#include <memory>

#include "tests/sim/api/json.h"
#include "tests/sim/api/status.h"
#include "tests/sim/core.h"

namespace fedra::sim {

// The user with what bindings allow at this moment.
std::shared_ptr<const User> Bound(Core& core, const std::shared_ptr<const User>& user);

// With the UID and an extra of the user that a right answer to a SubjectAccessReview depends on.
Outcome<Json> AnswerTokenReview(Core& core, Json review);

// Nothing is allowed to a user who is not named in full: with the groups, the UID and the extra
// of the TokenReview.
Outcome<Json> AnswerSubjectReview(Core& core, Json review);

}  // namespace fedra::sim
