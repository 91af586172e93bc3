#include "dra/model/node_match.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/object_names.h"

namespace fedra::dra {
namespace {

std::optional<int64_t> ToInt(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);  // Go's ParseInt accepts it
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

tl::unexpected<Error> Unparsable(const NodeRequirement& requirement) {
  return Fail(ErrorCode::kInvalidArgument, "failed to parse node selector: requirement on \"" +
                                               requirement.key.str() + "\" with operator \"" +
                                               requirement.op.str() + "\"");
}

bool ValidLabelRequirement(const NodeRequirement& requirement) {
  const std::string_view op = requirement.op.view();
  const auto& values = requirement.values;
  if (!IsQualifiedName(requirement.key.view())) return false;
  if (op == "In" || op == "NotIn") {
    if (values.empty()) return false;
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) return false;
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1 || !ToInt(values[0].view())) return false;
  } else {
    return false;
  }
  return std::all_of(values.begin(), values.end(), [](const Symbol& value) {
    return value.empty() || IsLabelPart(value.view());
  });
}

bool Contains(const std::vector<Symbol>& values, const Symbol& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool MatchesLabels(const NodeRequirement& requirement, const Node& node) {
  const std::string_view op = requirement.op.view();
  const Symbol* value = node.Label(requirement.key.view());
  if (op == "In") return value && Contains(requirement.values, *value);
  if (op == "NotIn") return !value || !Contains(requirement.values, *value);
  if (op == "Exists") return value != nullptr;
  if (op == "DoesNotExist") return value == nullptr;
  if (value == nullptr) return false;
  const auto number = ToInt(value->view());
  const auto limit = ToInt(requirement.values[0].view());
  if (!number || !limit) return false;
  return op == "Gt" ? *number > *limit : *number < *limit;
}

bool ValidFieldRequirement(const NodeRequirement& requirement) {
  return (requirement.op == "In" || requirement.op == "NotIn") && requirement.values.size() == 1;
}

bool MatchesField(const NodeRequirement& requirement, const Node& node) {
  const std::string_view value =
      requirement.key == "metadata.name" ? node.name.view() : std::string_view();
  return (requirement.values[0] == value) == (requirement.op == "In");
}

Result<void> Check(const NodeSelectorTerm& term) {
  for (const NodeRequirement& requirement : term.expressions)
    if (!ValidLabelRequirement(requirement)) return Unparsable(requirement);
  for (const NodeRequirement& requirement : term.fields)
    if (!ValidFieldRequirement(requirement)) return Unparsable(requirement);
  return {};
}

// A term without any requirement selects nothing.
bool MatchesTerm(const NodeSelectorTerm& term, const Node& node) {
  if (term.expressions.empty() && term.fields.empty()) return false;
  for (const NodeRequirement& requirement : term.expressions)
    if (!MatchesLabels(requirement, node)) return false;
  if (node.name.empty()) return true;  // a node without fields: the requirements are skipped
  return std::all_of(
      term.fields.begin(), term.fields.end(),
      [&](const NodeRequirement& requirement) { return MatchesField(requirement, node); });
}

}  // namespace

Result<bool> Matches(const NodeSelector& selector, const Node& node) {
  for (const NodeSelectorTerm& term : selector.terms) FEDRA_RETURN_IF_ERROR(Check(term));
  return std::any_of(selector.terms.begin(), selector.terms.end(),
                     [&](const NodeSelectorTerm& term) { return MatchesTerm(term, node); });
}

Result<bool> MatchesLazily(const NodeSelector& selector, const Node& node) {
  std::optional<Error> first;
  for (const NodeSelectorTerm& term : selector.terms) {
    if (auto valid = Check(term); !valid) {
      if (!first) first = valid.error();
    } else if (MatchesTerm(term, node)) {
      return true;
    }
  }
  if (first) return Fail(*first);
  return false;
}

Result<bool> Reaches(const NodeReach& reach, const Node& node) {
  if (!reach.node_name.empty()) return reach.node_name == node.name;
  if (reach.all_nodes) return true;
  if (reach.selector) return Matches(*reach.selector, node);
  return false;
}

}  // namespace fedra::dra
