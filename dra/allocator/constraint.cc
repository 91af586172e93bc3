#include "dra/allocator/constraint.h"

#include <algorithm>

namespace fedra::dra {
namespace {

// A scalar counts as a list of one. Empty for an unknown kind.
std::vector<ScalarValue> ToList(const AttributeValue& value) {
  if (const auto* list = std::get_if<ListPointer>(&value)) return (*list)->items;
  if (const auto* number = std::get_if<int64_t>(&value)) return {*number};
  if (const auto* truth = std::get_if<bool>(&value)) return {*truth};
  if (const auto* text = std::get_if<Symbol>(&value)) return {*text};
  if (const auto* version = std::get_if<VersionName>(&value)) return {*version};
  return {};
}

std::vector<ScalarValue> Intersection(const std::vector<ScalarValue>& a,
                                      const std::vector<ScalarValue>& b) {
  std::vector<ScalarValue> common;
  for (const ScalarValue& value : a)
    if (std::find(b.begin(), b.end(), value) != b.end()) common.push_back(value);
  return common;
}

bool IsScalar(const AttributeValue& value) {
  return !std::holds_alternative<std::monostate>(value) &&
         !std::holds_alternative<ListPointer>(value);
}

}  // namespace

bool EqualScalars(const AttributeValue& a, const AttributeValue& b) {
  return IsScalar(a) && a == b;
}

ConstraintState::ConstraintState(const Constraint& constraint, const AllocatorFeatures& features)
    : attribute_(constraint.match_attribute.empty() ? constraint.distinct_attribute
                                                    : constraint.match_attribute),
      is_match_(!constraint.match_attribute.empty()),
      lists_(features.list_attributes),
      forgets_(features.distinct_forgets && constraint.match_attribute.empty()),
      by_pointer_(features.distinct_by_pointer) {}

bool ConstraintState::Accepts(const AttributeValue* value) const {
  if (value == nullptr) return false;
  // Where all are scalars, lists change nothing.
  if (lists_ && (held_lists_ > 0 || !IsScalar(*value))) return AcceptsList(*value);
  return count_ == 0 || AcceptsScalar(*value);
}

// The first device always joins, whatever the kind of its value.
bool ConstraintState::AcceptsScalar(const AttributeValue& value) const {
  if (is_match_) return EqualScalars(value, *values_.front().second);
  if (!IsScalar(value)) return values_.empty();
  if (by_pointer_) return true;
  return std::none_of(values_.begin(), values_.end(),
                      [&](const auto& entry) { return EqualScalars(value, *entry.second); });
}

bool ConstraintState::AcceptsList(const AttributeValue& value) const {
  const std::vector<ScalarValue> items = ToList(value);
  if (items.empty()) return false;
  if (is_match_) return common_.empty() || !Intersection(common_.back(), items).empty();
  return std::all_of(values_.begin(), values_.end(), [&](const auto& entry) {
    return Intersection(ToList(*entry.second), items).empty();
  });
}

void ConstraintState::Add(const Symbol& request, const AttributeValue* value) {
  ++count_;
  held_lists_ += std::holds_alternative<ListPointer>(*value) ? 1 : 0;
  if (is_match_) {
    if (values_.empty()) values_.emplace_back(request, value);
    if (lists_) {
      const auto items = ToList(*value);
      common_.push_back(common_.empty() ? items : Intersection(common_.back(), items));
    }
    return;
  }
  if (forgets_) std::erase_if(values_, [&](const auto& entry) { return entry.first == request; });
  values_.emplace_back(request, value);
}

void ConstraintState::Remove(const Symbol& request, const AttributeValue* value) {
  --count_;
  held_lists_ -= std::holds_alternative<ListPointer>(*value) ? 1 : 0;
  if (is_match_) {
    if (count_ == 0) values_.clear();
    if (lists_) common_.pop_back();
    return;
  }
  if (forgets_)
    std::erase_if(values_, [&](const auto& entry) { return entry.first == request; });
  else
    values_.pop_back();
}

std::vector<const AttributeValue*> ConstraintState::Values() const {
  std::vector<const AttributeValue*> values;
  for (const auto& [request, value] : values_) values.push_back(value);
  return values;
}

}  // namespace fedra::dra
