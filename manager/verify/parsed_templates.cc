#include "manager/verify/parsed_templates.h"

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace fedra::verify {

using nlohmann::json;

std::shared_ptr<const dra::ClaimTemplate> ParsedTemplates::Parse(
    const ClaimSummary& original) const {
  json object = {{"metadata", {{"namespace", original.key.ns}, {"name", original.key.name}}}};
  json spec = json::parse(original.spec, nullptr, /*allow_exceptions=*/false);
  if (spec.is_discarded()) return nullptr;
  object["spec"] = std::move(spec);
  auto parsed = parsing_.With(
      [&](dra::ParseContext& context) { return dra::ParseClaimTemplate(object, context); });
  return parsed ? std::make_shared<const dra::ClaimTemplate>(*std::move(parsed)) : nullptr;
}

std::shared_ptr<const dra::ClaimTemplate> ParsedTemplates::Of(
    const std::shared_ptr<const ClaimSummary>& original) const {
  const auto known =
      parsed_.With([&](const ByOriginal& parsed) -> std::optional<ByOriginal::mapped_type> {
        const auto found = parsed.find(original);
        return found == parsed.end() ? std::nullopt : std::optional(found->second);
      });
  if (known) return *known;
  auto read = Parse(*original);
  return parsed_.With([&](ByOriginal& parsed) {
    std::erase_if(parsed, [](const auto& entry) { return entry.first.expired(); });
    return parsed.try_emplace(original, std::move(read)).first->second;  // or another thread's
  });
}

}  // namespace fedra::verify
