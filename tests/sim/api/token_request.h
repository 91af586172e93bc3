#pragma once
//
// Tokens of service accounts: POST .../serviceaccounts/NAME/token.
//
// Thread rules: any thread; takes the store's lock itself.

#include "base/types.h"
#include "tests/sim/api/status.h"
#include "tests/sim/core.h"

namespace fedra::sim {

// The TokenRequest with its status. The account is a user from then on, with the rights of its
// bindings.
Outcome<Json> AnswerTokenRequest(Core& core, const ObjectKey& account, Json request);

// The account is gone: no user is known by its tokens.
void RevokeTokens(Core& core, const ObjectKey& account);

}  // namespace fedra::sim
