#pragma once
//
// TokenReview and SubjectAccessReview, as they are sent and answered. Pure.
//
// Source: authentication.k8s.io/v1 and authorization.k8s.io/v1 of Kubernetes 1.36.

#include <optional>
#include <string>

#include "base/result.h"
#include "manager/access/user.h"

namespace fedra::access {

std::string TokenReviewOf(const std::string& token);
// Nothing: the token is no user's; system:anonymous counts as no user.
// kBadResponse: it is no answer.
Result<std::optional<User>> UserIn(const std::string& answer);

std::string AccessReviewOf(const User& user, const Attributes& attributes);
// kBadResponse: it is no answer.
Result<bool> AllowedIn(const std::string& answer);

}  // namespace fedra::access
