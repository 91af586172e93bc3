#include "manager/cli/membership/account_token.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/cli/membership/worker_rights.h"

namespace fedra::cli {
namespace {

std::string TokenRequestOf(std::chrono::seconds lifetime) {
  return nlohmann::json{{"apiVersion", "authentication.k8s.io/v1"},
                        {"kind", "TokenRequest"},
                        {"spec", {{"expirationSeconds", lifetime.count()}}}}
      .dump();
}

// The answer is not part of an error: it may hold a token.
Result<AccountToken> ReadTokenAnswer(const std::string& answer) {
  const auto document = nlohmann::json::parse(answer, nullptr, /*allow_exceptions=*/false);
  const auto text = [&](const char* field) -> std::string {
    const auto pointer = nlohmann::json::json_pointer(fmt::format("/status/{}", field));
    if (!document.is_object() || !document.contains(pointer)) return {};
    const nlohmann::json& value = document.at(pointer);
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  AccountToken token{text("token"), {}};
  const Result<WallTime> ends = ParseRfc3339(text("expirationTimestamp"));
  if (token.token.empty() || !ends)
    return Fail(ErrorCode::kBadResponse, "the answer to a TokenRequest has no token");
  token.ends = *ends;
  return token;
}

}  // namespace

const kube::Resource kAccounts{"", "v1", "serviceaccounts", "ServiceAccount", true};

Result<AccountToken> RequestAccountToken(Cluster& worker, std::chrono::seconds lifetime) {
  FEDRA_ASSIGN_OR_RETURN(const std::string answer,
                         worker.Create(kAccounts, kAccountNamespace, TokenRequestOf(lifetime),
                                       {.subresource = fmt::format("{}/token", kAccountName)}));
  return ReadTokenAnswer(answer);
}

}  // namespace fedra::cli
