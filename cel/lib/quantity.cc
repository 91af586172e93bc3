#include "base/quantity.h"

#include "cel/library.h"

namespace fedra::cel {
namespace {

Value Parsed(Evaluation& evaluation, const Value* args) {
  const auto quantity = Quantity::Parse(args[0].AsText());
  if (!quantity) return evaluation.Error(quantity.error().message);
  const auto* copy = evaluation.arena().New<Quantity>(*quantity);
  return copy == nullptr ? evaluation.OutOfMemory() : Value::Quantity(copy);
}

Value IsQuantity(Evaluation&, const Value* args) {
  return Value::Bool(Quantity::Parse(args[0].AsText()).has_value());
}

Value Sign(Evaluation&, const Value* args) { return Value::Int(args[0].AsQuantity().Sign()); }

Value IsGreaterQuantity(Evaluation&, const Value* args) {
  return Value::Bool(args[0].AsQuantity() > args[1].AsQuantity());
}
Value IsLessQuantity(Evaluation&, const Value* args) {
  return Value::Bool(args[0].AsQuantity() < args[1].AsQuantity());
}
Value CompareQuantities(Evaluation&, const Value* args) {
  const auto order = args[0].AsQuantity() <=> args[1].AsQuantity();
  return Value::Int(order < 0 ? -1 : order > 0 ? 1 : 0);
}

Value AsApproximateFloat(Evaluation&, const Value* args) {
  return Value::Double(args[0].AsQuantity().AsApproximateDouble());
}
Value AsInteger(Evaluation&, const Value* args) {
  const auto value = args[0].AsQuantity().AsInt64();
  return value ? Value::Int(*value) : Value::Error("cannot convert value to integer");
}
Value IsInteger(Evaluation&, const Value* args) {
  return Value::Bool(args[0].AsQuantity().AsInt64().has_value());
}

Value Computed(Evaluation& evaluation, const std::optional<Quantity>& quantity) {
  if (!quantity) return Value::Error("quantity of more than 38 digits");
  const auto* copy = evaluation.arena().New<Quantity>(*quantity);
  return copy == nullptr ? evaluation.OutOfMemory() : Value::ComputedQuantity(copy);
}

Value Plus(Evaluation& evaluation, const Value* args) {
  return Computed(evaluation, args[0].AsQuantity().Add(args[1].AsQuantity()));
}
Value PlusInt(Evaluation& evaluation, const Value* args) {
  return Computed(evaluation, args[0].AsQuantity().Add(Quantity(args[1].AsInt())));
}
Value Minus(Evaluation& evaluation, const Value* args) {
  return Computed(evaluation, args[0].AsQuantity().Sub(args[1].AsQuantity()));
}
Value MinusInt(Evaluation& evaluation, const Value* args) {
  return Computed(evaluation, args[0].AsQuantity().Sub(Quantity(args[1].AsInt())));
}

constexpr std::array<const Type*, 4> kOneQuantity = {&kQuantityType};
constexpr std::array<const Type*, 4> kTwoQuantities = {&kQuantityType, &kQuantityType};
constexpr std::array<const Type*, 4> kWithInt = {&kQuantityType, &kIntType};

constexpr Overload kQuantityOverloads[] = {
    Global("quantity", "string_to_quantity", {&kStringType}, kQuantityType, Parsed,
           Price::kTraverse),
    Global("isQuantity", "is_quantity_string", {&kStringType}, kBoolType, IsQuantity,
           Price::kTraverse),
    Global("sign", "quantity_sign", kOneQuantity, kIntType, Sign),
    Member("isGreaterThan", "quantity_is_greater_than", kTwoQuantities, kBoolType,
           IsGreaterQuantity),
    Member("isLessThan", "quantity_is_less_than", kTwoQuantities, kBoolType, IsLessQuantity),
    Member("compareTo", "quantity_compare_to", kTwoQuantities, kIntType, CompareQuantities),
    Member("asApproximateFloat", "quantity_get_float", kOneQuantity, kDoubleType,
           AsApproximateFloat),
    Member("asInteger", "quantity_get_int", kOneQuantity, kIntType, AsInteger),
    Member("isInteger", "quantity_is_integer", kOneQuantity, kBoolType, IsInteger),
    Member("add", "quantity_add", kTwoQuantities, kQuantityType, Plus),
    Member("add", "quantity_add_int", kWithInt, kQuantityType, PlusInt),
    Member("sub", "quantity_sub", kTwoQuantities, kQuantityType, Minus),
    Member("sub", "quantity_sub_int", kWithInt, kQuantityType, MinusInt),
};

}  // namespace

std::span<const Overload> QuantityLibrary() { return kQuantityOverloads; }

}  // namespace fedra::cel
