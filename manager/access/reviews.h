#pragma once
//
// The manager's API server as the one that knows which user has a token, and what users may.
//
// Thread rules: any thread but the io loop's; each call blocks until there is an answer.

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "cluster-clients/kube/resource.h"
#include "manager/access/user.h"

namespace fedra {
class Cluster;
}

namespace fedra::access {

// What is created there; nothing of it is kept.
inline const kube::Resource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews",
                                          "TokenReview", false};
inline const kube::Resource kAccessReviews{"authorization.k8s.io", "v1", "subjectaccessreviews",
                                           "SubjectAccessReview", false};

// An interface, for tests stand in here.
class Reviews {
 public:
  virtual ~Reviews() = default;
  // Nothing: the token is no user's. Errors never have any part of the token in them.
  virtual Result<std::optional<User>> WhoHas(const std::string& token) = 0;
  virtual Result<bool> May(const User& user, const Attributes& attributes) = 0;
};

// The cluster must outlive it.
std::unique_ptr<Reviews> ReviewsBy(Cluster& manager);

}  // namespace fedra::access
