#pragma once
//
// Interpreter: evaluates the nodes of one program for one evaluation.
//
// What it does, and in which order, is cel-go's interpreter 0.26 as Kubernetes configures it; what
// it costs follows cel-go's runtimecost.go. Selection is in interpreter_select.cc, comprehensions
// are in interpreter_macros.cc.
//
// Thread rules: one object per evaluation.

#include <optional>
#include <span>

#include "cel/program.h"

namespace fedra::cel {

class Interpreter final {
 public:
  Interpreter(const Program& program, Evaluation& evaluation, const Value* variables,
              const DeviceData* device, Value* slots)
      : program_(program),
        evaluation_(evaluation),
        variables_(variables),
        device_(device),
        slots_(slots) {}

  Value Run(uint32_t node) { return Eval(program_.nodes[node]); }

  // The same, and which operand of an && chain at the node was false (0 if the node is no chain),
  // or -1.
  Value Run(uint32_t node, int& false_operand);

 private:
  Value Eval(const Node& node);
  Value EvalOther(const Node& node);
  const Node& Arg(const Node& node, size_t i) const {
    return program_.nodes[program_.args[node.first_arg + i]];
  }
  Value EvalArg(const Node& node, size_t i) { return Eval(Arg(node, i)); }

  Value EvalAttribute(const Node& node, const DomainTable& table);
  Value EvalSelect(const Node& node, const Value& key);
  Value SelectFromOptional(const Value& operand, const Value& key);
  Value EvalHas(const Node& node);
  Value EvalOptionalSelect(const Node& node, const Value& key);
  Value EvalIndex(const Node& node);
  Value EvalConditional(const Node& node);
  Value EvalChain(const Node& node, bool stop_at, int* stopped_by = nullptr);
  Value EvalNegate(const Node& node);
  Value EvalEquality(const Node& node);
  Value EvalEqualityWithText(const Node& node);
  Value EvalComparison(const Node& node);
  Value EvalMembership(const Node& node);
  Value EvalConstantMembership(const Node& node);
  Value EvalArithmetic(const Node& node);
  Value EvalCall(const Node& node);
  Value EvalRegexCall(const Node& node);
  Value EvalOptionalOr(const Node& node);
  Value EvalList(const Node& node);
  Value EvalMap(const Node& node);
  Value EvalMessage(const Node& node);
  // The value of an entry `key: value` or `?key: value`, which is argument `index`. `absent`: the
  // optional is empty.
  Value EvalEntry(const Node& node, size_t index, const Value& key, bool& absent);
  Value EvalLazySlot(const Node& node);

  template <class Visit>
  Value ForEach(const Node& node, Visit visit);
  Value EvalQuantifier(const Node& node, bool decisive, uint64_t condition_cost);
  // Whether what the loop is at passes the condition of the macro, its second argument. Nothing:
  // that is an error, which `error` has then.
  std::optional<bool> PassesFilter(const Node& node, Value& error);
  Value EvalAll(const Node& node);
  Value EvalExists(const Node& node);
  Value EvalExistsOne(const Node& node);
  Value EvalMapElements(const Node& node);
  Value EvalFilter(const Node& node);
  Value EvalTransformMap(const Node& node);
  Value Insert(const Node& node, MapBuilder& map, const Value& value);
  Value InsertInto(MapBuilder& map, const Value& key, const Value& value);
  Value EvalSortBy(const Node& node);
  Value EvalBind(const Node& node);
  Value EvalOptMap(const Node& node);

  const Program& program_;
  Evaluation& evaluation_;
  const Value* const variables_;
  const DeviceData* const device_;
  Value* const slots_;
};

// The value under `key` in a map or list, for selection and indexing.
struct Lookup {
  enum class Outcome : uint8_t { kFound, kMissing, kError } outcome;
  Value value;  // the value, or the error
};
Lookup Find(Evaluation& evaluation, const Value& operand, const Value& key);

// The operators on numbers, texts, lists and times: "_+_" and friends.
Value Add(Evaluation& evaluation, const Value& left, const Value& right);
Value Subtract(const Value& left, const Value& right);
Value Multiply(const Value& left, const Value& right);
Value Divide(const Value& left, const Value& right);
Value Modulo(const Value& left, const Value& right);
Value Negated(const Value& value);

// `list` in the order of `keys`, which is as long (sort, sortBy). An error if the keys do not
// compare.
Value SortedByKeys(Evaluation& evaluation, const Value& list, const Value& keys);

// Go's name of the type, as in "got 'types.Int', expected iterable type".
std::string_view GoTypeName(Kind kind);

// Whether cel-go can make a selector of the value: x[value].
bool IsSelectorKind(Kind kind);

// "no such key: model", in cel-go's words.
inline constexpr std::string_view kNoSuchKey = "no such key: ";
Value NoSuchKey(Evaluation& evaluation, const Value& key);

// "no such overload: f(int, string)".
Value NoOverload(Evaluation& evaluation, std::string_view function, std::span<const Value> args);

}  // namespace fedra::cel
