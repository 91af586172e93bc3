#pragma once
//
// matchAttribute and distinctAttribute while devices are being chosen: a constraint accepts devices
// one by one and gives them back in reverse order.
//
// Source: structured/internal/incubating constraint.go and allocator_incubating.go, 1.36.3; lists
// after the experimental variant. Plain state, one search at a time.

#include <cstdint>
#include <utility>
#include <vector>

#include "dra/model/features.h"
#include "dra/model/model.h"

namespace fedra::dra {

class ConstraintState final {
 public:
  ConstraintState(const Constraint& constraint, const AllocatorFeatures& features);

  // Whether a device can join; the state does not change. `value` is what the device publishes
  // (null: nothing, which never satisfies).
  bool Accepts(const AttributeValue* value) const;
  // The device joins, for this main request. Only after Accepts().
  void Add(const Symbol& request, const AttributeValue* value);
  // The device that joined last, with this value, leaves.
  void Remove(const Symbol& request, const AttributeValue* value);

  const AttributeValue* Lookup(const Device& device, const Symbol& driver) const {
    return device.FindQualified(attribute_.view(), driver.view());
  }
  const Symbol& attribute() const { return attribute_; }
  bool is_match() const { return is_match_; }
  // The values that later devices are compared with, in the order in which they came.
  std::vector<const AttributeValue*> Values() const;

 private:
  bool AcceptsScalar(const AttributeValue& value) const;
  bool AcceptsList(const AttributeValue& value) const;

  Symbol attribute_;
  bool is_match_;
  bool lists_;       // AllocatorFeatures::list_attributes
  bool forgets_;     // AllocatorFeatures::distinct_forgets
  bool by_pointer_;  // AllocatorFeatures::distinct_by_pointer
  size_t count_ = 0;
  size_t held_lists_ = 0;  // of the devices that joined, whose values are lists
  // Match: the first value. Distinct: all of them, or one per request when it forgets.
  std::vector<std::pair<Symbol, const AttributeValue*>> values_;
  // Match with lists: the intersection after each device.
  std::vector<std::vector<ScalarValue>> common_;
};

// Scalars of one kind and of equal content. Lists and unknown kinds equal nothing.
bool EqualScalars(const AttributeValue& a, const AttributeValue& b);

}  // namespace fedra::dra
