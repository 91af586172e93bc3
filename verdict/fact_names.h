#pragma once
//
// The part of fact_fields.h about enumerations: the names of their values. Names are stable.

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "verdict/reason.h"

namespace fedra::verdict {

template <size_t Size>
using Names = std::array<std::string_view, Size>;

// The names of an enumeration's values, in their order.
constexpr Names<5> NamesOf(Unreadable::Cause) {
  return {"Forbidden", "NotServed", "Listing", "Failing", "Malformed"};
}
constexpr Names<7> NamesOf(Missing::Copy) {
  return {"None", "Unknown", "Nowhere", "Comes", "Assumed", "Forbidden", "Refused"};
}
constexpr Names<3> NamesOf(Quota::Limit) { return {"NotCovered", "TooSmall", "Reserved"}; }
constexpr Names<7> NamesOf(Connection::State) {
  return {"Failed",   "Connecting",    "Lost",          "NotReached",
          "NoAnswer", "KueueInactive", "NoKueueCluster"};
}
constexpr Names<7> NamesOf(ReleaseDoubt::Kind) {
  return {"Order", "Counts", "Refusals", "Rules", "Gates", "Counters", "Nearest"};
}
constexpr Names<13> NamesOf(Rule) {
  return {"UnusablePool", "OtherDriver", "ClassSelector", "RequestSelector", "SelectorError",
          "OtherNode",    "Taint",       "Allocated",     "Reserved",        "Taken",
          "Groups",       "Capacity",    "Free"};
}
constexpr Names<8> NamesOf(JointShortage::Cause) {
  return {"Constraints", "Counters",  "Groups", "Taints",
          "Capacity",    "Allocated", "Taken",  "NoNode"};
}
constexpr Names<3> NamesOf(NodeRoom::Cause) { return {"TooSmall", "TooSmallAll", "Busy"}; }
constexpr Names<4> NamesOf(NoSuchResource::Source) {
  return {"Nodes", "NoClass", "Implicit", "Release"};
}
constexpr Names<9> NamesOf(NodeRefusal::Why) {
  return {"Affinity",      "Selector",    "Claim",      "Taint",       "AffinityError",
          "Unschedulable", "UnusedClaim", "PodRequest", "ClaimOfOther"};
}
constexpr Names<5> NamesOf(SearchLimit::Kind) {
  return {"Spent", "SharedClaim", "OneNode", "Slow", "SlowNode"};
}

template <class T>
concept NamedEnum = requires(T value) { NamesOf(value); };

template <class T, class Of>
concept Like = std::same_as<std::remove_const_t<T>, Of>;

}  // namespace fedra::verdict
