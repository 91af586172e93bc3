#include "manager/verify/rules.h"

namespace fedra::verify {

std::string_view ToString(SharedClaims rule) {
  return rule == SharedClaims::kRequireTogether ? "RequireTogether" : "PreferTogether";
}

std::optional<SharedClaims> ParseSharedClaims(std::string_view text) {
  for (const SharedClaims rule : {SharedClaims::kPreferTogether, SharedClaims::kRequireTogether})
    if (text == ToString(rule)) return rule;
  return std::nullopt;
}

}  // namespace fedra::verify
