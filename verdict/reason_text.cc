#include "verdict/reason_text.h"

#include <variant>

#include "verdict/fact_text.h"

namespace fedra::verdict {

std::string MessageOf(const Facts& facts, const Rendering& rendering) {
  return std::visit([&](const auto& each) { return TextOf(each, rendering); }, facts);
}

std::string MessageOf(const Reason& reason, const Rendering& rendering) {
  std::string text = MessageOf(reason.facts, rendering);
  if (reason.new_nodes) text.append("; ").append(MessageOf(*reason.new_nodes));
  return text;
}

std::string MessageOf(const JointShortage& shortage) { return TextOf(shortage, {}); }

std::string WithoutCounts(const Reason& reason, const Rendering& rendering) {
  std::string text;
  if (const auto* counts = std::get_if<DeviceCounts>(&reason.facts))
    text = RequestText(*counts);
  else if (const auto* alternatives = std::get_if<AlternativeCounts>(&reason.facts))
    text = RequestText(*alternatives);
  else
    return MessageOf(reason, rendering);
  if (reason.new_nodes) text.append("; ").append(MessageOf(*reason.new_nodes));
  return text;
}

TwoLines InTwoLines(const Reason& reason, const Rendering& rendering) {
  const auto* counts = std::get_if<DeviceCounts>(&reason.facts);
  if (counts == nullptr) return {MessageOf(reason, rendering), {}};
  return {WithoutCounts(reason, rendering), CountsText(*counts, rendering)};
}

}  // namespace fedra::verdict
