#pragma once
//
// Functions: their signatures for the checker, their implementations and prices for the evaluator.
//
// A library is a table of overloads in one file of cel/lib; cel/environment.cc says which release
// has which library. Thread rules: constant tables.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "cel/evaluation.h"
#include "cel/type.h"

namespace fedra::cel {

// `args` holds as many values as the overload has parameters; the receiver comes first. The values
// match the parameter types at run time; errors never arrive here.
using Implementation = Value (*)(Evaluation& evaluation, const Value* args);

// The run-time cost of a call (cel-go interpreter/runtimecost.go and apiserver
// library/cost.go, 1.36). A "traversal" of a value is its size divided by ten, rounded up.
enum class Price : uint8_t {
  kOne,
  kFree,
  kTraverse,         // of the first argument
  kTraverseTwice,    // of the first argument
  kTraverseResult,   // twice of the result
  kTraverseBoth,     // both sizes together
  kTraverseSmaller,  // the smaller of both sizes
  kSearch,           // substring: product of both traversals
  kRegex,            // text and pattern
  kFormat,           // validation by a named format
  kElements,         // the first argument, element by element, texts in them by traversal
  kSizeOfSecond,     // list membership
  kNewList,          // the size of the result and of making a list
  kCidrContainsIp,
  kCidrContainsIpText,
  kCidrContainsCidr,
  kCidrContainsCidrText,
};

// Of going through a value of that size once.
constexpr uint64_t TraversalCost(uint64_t size) { return (size + 9) / 10; }

// Takes a step of the evaluation for each part of a value that it has to visit.
uint64_t CostOf(Evaluation& evaluation, Price price, const Value* args, const Value& result);

// No function of any library has more.
inline constexpr size_t kMaxArity = 4;

struct Overload {
  std::string_view function;
  std::string_view id;
  bool member = false;
  std::array<const Type*, kMaxArity> params{};  // as many as there are, then nullptr
  const Type* result = nullptr;
  Implementation implementation = nullptr;  // nullptr: the evaluator does it itself (operators)
  Price price = Price::kOne;
  bool unguarded = false;  // at run time any list will do for a list of lists (DisableTypeGuards)

  constexpr size_t arity() const {
    size_t count = 0;
    while (count < params.size() && params[count] != nullptr) ++count;
    return count;
  }
};

// Whether the overload takes these values: kinds, and for lists and maps their first element.
bool AcceptsAtRunTime(const Overload& overload, std::span<const Value> args);

inline constexpr std::array<const Type*, kMaxArity> kTwoStrings = {&kStringType, &kStringType};

// A global function and a receiver-style function, for the tables in cel/lib.
constexpr Overload Global(std::string_view function, std::string_view id,
                          std::array<const Type*, kMaxArity> params, const Type& result,
                          Implementation implementation, Price price = Price::kOne) {
  return {function, id, false, params, &result, implementation, price};
}
constexpr Overload Member(std::string_view function, std::string_view id,
                          std::array<const Type*, kMaxArity> params, const Type& result,
                          Implementation implementation, Price price = Price::kOne) {
  return {function, id, true, params, &result, implementation, price};
}

}  // namespace fedra::cel
