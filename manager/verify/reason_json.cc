#include "manager/verify/reason_json.h"

#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "cluster-clients/kube/json_fields.h"
#include "manager/verify/facts_json.h"
#include "verdict/reason_facts.h"
#include "verdict/reason_text.h"

namespace fedra::verify {
namespace {

using nlohmann::ordered_json;

// Of facts that only a later release knows: what the catalogue says of the code.
verdict::Facts InGeneral(const std::string& name) {
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue())
    if (entry.name == name) return verdict::Sentence{std::string(entry.summary)};
  return verdict::Sentence{};
}

KeptReason ParseKept(const ordered_json& object) {
  KeptReason kept{.code = kube::Text(object, "code"), .reason = {}};
  verdict::Reason& reason = kept.reason;
  reason.code = verdict::ParseReasonCode(kept.code).value_or(verdict::ReasonCode::kStaleData);
  reason.object = kube::Text(object, "object");
  const auto facts = object.find("facts");
  auto parsed = facts == object.end() ? std::nullopt : ParseFacts(*facts);
  const bool fits =
      parsed && (std::holds_alternative<verdict::Sentence>(*parsed) ||
                 !verdict::ParseReasonCode(kept.code) || verdict::AreOf(*parsed, reason.code));
  reason.facts = fits ? *std::move(parsed) : InGeneral(kept.code);
  const auto nodes = object.find("newNodes");
  if (nodes != object.end()) reason.new_nodes = ParseNewNodes(*nodes);
  return kept;
}

void PutFacts(const verdict::Reason& reason, ordered_json& object) {
  object["facts"] = FactsJson(reason.facts);
  if (reason.new_nodes) object["newNodes"] = NewNodesJson(*reason.new_nodes);
}

}  // namespace

ordered_json ReasonJson(std::string_view code, const verdict::Reason& reason) {
  ordered_json object = {
      {"code", code}, {"object", reason.object}, {"message", verdict::MessageOf(reason)}};
  PutFacts(reason, object);
  return object;
}

ordered_json ReasonJson(const verdict::Reason& reason) {
  return ReasonJson(ToString(reason.code), reason);
}

ordered_json KeptJson(const verdict::Reason& reason) {
  ordered_json object = {{"code", ToString(reason.code)}};
  if (!reason.object.empty()) object["object"] = reason.object;
  PutFacts(reason, object);
  return object;
}

std::string KeptReasons(const std::vector<verdict::Reason>& reasons) {
  ordered_json list = ordered_json::array();
  for (const verdict::Reason& reason : reasons) list.push_back(KeptJson(reason));
  // What is quoted may be no UTF-8.
  return list.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::vector<std::string> ParseKeptCodes(const std::string& text) {
  using Event = nlohmann::json::parse_event_t;
  const auto is_kept = [](int depth, Event event, const nlohmann::json& parsed) {
    return depth != 2 || event != Event::key || parsed == "code";
  };
  std::vector<std::string> codes;
  const auto parsed = nlohmann::json::parse(text, is_kept, /*allow_exceptions=*/false);
  if (!parsed.is_array()) return codes;
  for (const auto& object : parsed)
    if (object.is_object()) codes.push_back(kube::Text(object, "code"));
  return codes;
}

std::vector<KeptReason> ParseKeptReasons(const std::string& text) {
  std::vector<KeptReason> reasons;
  const ordered_json parsed = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_array()) return reasons;
  for (const ordered_json& object : parsed)
    if (object.is_object()) reasons.push_back(ParseKept(object));
  return reasons;
}

}  // namespace fedra::verify
