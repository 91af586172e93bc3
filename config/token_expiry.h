#pragma once
//
// When a bearer token ends, as far as it says so itself: the service account tokens of Kubernetes
// are JSON Web Tokens (RFC 7519) with the claims exp and iat. Nothing is verified: that is the API
// server's business.
//
// Never shows a token. Thread rules: pure function.

#include <optional>
#include <string_view>

#include "config/credential_times.h"

namespace fedra::config {

// Nothing: it is no such token, or does not say when it ends.
std::optional<CredentialTimes> ReadTokenTimes(std::string_view token);

}  // namespace fedra::config
