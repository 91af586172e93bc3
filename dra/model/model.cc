#include "dra/model/model.h"

#include <algorithm>

namespace fedra::dra {
namespace {

const AttributeValue* FindIn(const AttributeList& list, std::string_view name) {
  const auto at = std::lower_bound(
      list.begin(), list.end(), name,
      [](const Attribute& attribute, std::string_view key) { return attribute.name.view() < key; });
  return at != list.end() && at->name == name ? &at->value : nullptr;
}

// Binary search in a list of pairs that ascends by its first element.
template <class Value>
const Value* FindPair(const std::vector<std::pair<Symbol, Value>>& list, std::string_view key) {
  const auto at = std::lower_bound(list.begin(), list.end(), key,
                                   [](const std::pair<Symbol, Value>& entry, std::string_view k) {
                                     return entry.first.view() < k;
                                   });
  return at != list.end() && at->first == key ? &at->second : nullptr;
}

}  // namespace

bool SameValue(const AttributeValue& a, const AttributeValue& b) {
  const auto* list_a = std::get_if<ListPointer>(&a);
  const auto* list_b = std::get_if<ListPointer>(&b);
  if (list_a && list_b) return **list_a == **list_b;
  return a == b;
}

bool NodeReach::operator==(const NodeReach& other) const {
  if (node_name != other.node_name || all_nodes != other.all_nodes) return false;
  if (!selector || !other.selector) return selector == other.selector;
  return *selector == *other.selector;
}

const AttributeValue* Device::Find(std::string_view published_name) const {
  if (const AttributeValue* value = FindIn(own, published_name)) return value;
  return common ? FindIn(*common, published_name) : nullptr;
}

const AttributeValue* Device::FindQualified(std::string_view qualified,
                                            std::string_view driver) const {
  if (const AttributeValue* value = Find(qualified)) return value;
  const size_t slash = qualified.find('/');
  if (slash == std::string_view::npos || qualified.substr(0, slash) != driver) return nullptr;
  return Find(qualified.substr(slash + 1));
}

const Symbol* Node::Label(std::string_view key) const { return FindPair(labels, key); }

const Quantity* Node::Allocatable(std::string_view resource) const {
  return FindPair(allocatable, resource);
}

}  // namespace fedra::dra
