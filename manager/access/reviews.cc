#include "manager/access/reviews.h"

#include <utility>

#include "cluster-clients/cluster.h"
#include "manager/access/review_json.h"

namespace fedra::access {
namespace {

// A server may quote what it was sent.
Error WithoutToken(Error error, const std::string& token) {
  if (error.message.find(token) != std::string::npos)
    error.message = "the answer is withheld: it quotes a token";
  return error;
}

class ManagerReviews final : public Reviews {
 public:
  explicit ManagerReviews(Cluster& manager) : manager_(manager) {}

  Result<std::optional<User>> WhoHas(const std::string& token) override {
    const Result<std::string> answer = manager_.Review(kTokenReviews, TokenReviewOf(token));
    if (!answer) return Fail(WithoutToken(answer.error(), token));
    return UserIn(*answer);
  }

  Result<bool> May(const User& user, const Attributes& attributes) override {
    FEDRA_ASSIGN_OR_RETURN(const std::string answer,
                           manager_.Review(kAccessReviews, AccessReviewOf(user, attributes)));
    return AllowedIn(answer);
  }

 private:
  Cluster& manager_;
};

}  // namespace

std::unique_ptr<Reviews> ReviewsBy(Cluster& manager) {
  return std::make_unique<ManagerReviews>(manager);
}

}  // namespace fedra::access
