#include "tests/sim/api/token_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/time.h"

namespace fedra::sim {
namespace {

// MinTokenAgeSec of pkg/apis/authentication/validation; the default of v1.
constexpr int64_t kLeastSeconds = 600;
constexpr int64_t kUsualSeconds = 3600;

std::string UserName(const ObjectKey& account) {
  return fmt::format("system:serviceaccount:{}:{}", account.ns, account.name);
}

}  // namespace

Outcome<Json> AnswerTokenRequest(Core& core, const ObjectKey& account, Json request) {
  const ResourceType& accounts = core.registry.Get("serviceaccounts");
  Outcome<std::string> uid = core.store.With([&](Store& store) -> Outcome<std::string> {
    if (store.Find(accounts, account) == nullptr) return Refuse(NotFound(accounts, account.name));
    return store.NewUid();
  });
  if (!uid) return Refuse(uid.error());
  const Json* wanted = At(request, {"spec", "expirationSeconds"});
  const int64_t seconds =
      wanted != nullptr && wanted->is_number_integer() ? wanted->get<int64_t>() : kUsualSeconds;
  if (seconds < kLeastSeconds) {
    return Refuse(Failure{.code = 422,
                          .reason = "Invalid",
                          .message = fmt::format("TokenRequest.authentication.k8s.io \"{}\" is "
                                                 "invalid: spec.expirationSeconds: Invalid value: "
                                                 "{}: may not specify a duration less than 10 "
                                                 "minutes",
                                                 account.name, seconds)});
  }
  const std::string token = "sim-token-" + *uid;
  User user{.name = UserName(account),
            .groups = {"system:serviceaccounts", "system:authenticated"},
            .token = token,
            .allow = {},
            .deny = {},
            .account = account};
  core.users.With([&](std::vector<std::shared_ptr<const User>>& users) {
    users.push_back(std::make_shared<const User>(std::move(user)));
  });
  request["status"] = {
      {"token", token},
      {"expirationTimestamp", FormatRfc3339(SystemClock().Now() + std::chrono::seconds(seconds))}};
  return request;
}

void RevokeTokens(Core& core, const ObjectKey& account) {
  core.users.With([&](std::vector<std::shared_ptr<const User>>& users) {
    std::erase_if(users, [&](const auto& user) { return user->name == UserName(account); });
  });
}

}  // namespace fedra::sim
