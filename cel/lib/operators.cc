#include "cel/library.h"

namespace fedra::cel {
namespace {

constexpr Type kOptionalListOfA{TypeKind::kOpaque, "optional_type", &kListOfA};
constexpr Type kOptionalMapOfAB{TypeKind::kOpaque, "optional_type", &kMapOfAB};
constexpr Type kOptionalOfB{TypeKind::kOpaque, "optional_type", &kParamB};

// Operators are carried out by the interpreter; these rows are their types and prices.
constexpr Overload Operator(std::string_view function, std::string_view id, const Type& left,
                            const Type& right, const Type& result, Price price = Price::kOne) {
  return Global(function, id, {&left, &right}, result, nullptr, price);
}
constexpr Overload Arithmetic(std::string_view function, std::string_view id, const Type& type,
                              Price price = Price::kOne) {
  return Operator(function, id, type, type, type, price);
}
constexpr Overload Relation(std::string_view function, std::string_view id, const Type& left,
                            const Type& right, Price price = Price::kOne) {
  return Operator(function, id, left, right, kBoolType, price);
}

#define FEDRA_CEL_RELATIONS(op)                                                          \
  Relation(op, "bool", kBoolType, kBoolType), Relation(op, "int64", kIntType, kIntType), \
      Relation(op, "int64_double", kIntType, kDoubleType),                               \
      Relation(op, "int64_uint64", kIntType, kUintType),                                 \
      Relation(op, "uint64", kUintType, kUintType),                                      \
      Relation(op, "uint64_double", kUintType, kDoubleType),                             \
      Relation(op, "uint64_int64", kUintType, kIntType),                                 \
      Relation(op, "double", kDoubleType, kDoubleType),                                  \
      Relation(op, "double_int64", kDoubleType, kIntType),                               \
      Relation(op, "double_uint64", kDoubleType, kUintType),                             \
      Relation(op, "string", kStringType, kStringType, Price::kTraverseSmaller),         \
      Relation(op, "bytes", kBytesType, kBytesType, Price::kTraverseSmaller),            \
      Relation(op, "timestamp", kTimestampType, kTimestampType),                         \
      Relation(op, "duration", kDurationType, kDurationType)

constexpr Overload kOperatorOverloads[] = {
    Global(op::kConditional, "conditional", {&kBoolType, &kParamA, &kParamA}, kParamA, nullptr),
    Operator(op::kAnd, "logical_and", kBoolType, kBoolType, kBoolType),
    Operator(op::kOr, "logical_or", kBoolType, kBoolType, kBoolType),
    Global(op::kNot, "logical_not", {&kBoolType}, kBoolType, nullptr),
    Global(op::kNegate, "negate_double", {&kDoubleType}, kDoubleType, nullptr),
    Global(op::kNegate, "negate_int64", {&kIntType}, kIntType, nullptr),
    Operator(op::kEquals, "equals", kParamA, kParamA, kBoolType),
    Operator(op::kNotEquals, "not_equals", kParamA, kParamA, kBoolType),
    Arithmetic(op::kAdd, "add_bytes", kBytesType, Price::kTraverseBoth),
    Arithmetic(op::kAdd, "add_double", kDoubleType),
    Arithmetic(op::kAdd, "add_duration_duration", kDurationType),
    Operator(op::kAdd, "add_duration_timestamp", kDurationType, kTimestampType, kTimestampType),
    Operator(op::kAdd, "add_timestamp_duration", kTimestampType, kDurationType, kTimestampType),
    Arithmetic(op::kAdd, "add_int64", kIntType),
    Arithmetic(op::kAdd, "add_list", kListOfA),
    Arithmetic(op::kAdd, "add_string", kStringType, Price::kTraverseBoth),
    Arithmetic(op::kAdd, "add_uint64", kUintType),
    Arithmetic(op::kSubtract, "subtract_double", kDoubleType),
    Arithmetic(op::kSubtract, "subtract_duration_duration", kDurationType),
    Arithmetic(op::kSubtract, "subtract_int64", kIntType),
    Operator(op::kSubtract, "subtract_timestamp_duration", kTimestampType, kDurationType,
             kTimestampType),
    Operator(op::kSubtract, "subtract_timestamp_timestamp", kTimestampType, kTimestampType,
             kDurationType),
    Arithmetic(op::kSubtract, "subtract_uint64", kUintType),
    Arithmetic(op::kMultiply, "multiply_double", kDoubleType),
    Arithmetic(op::kMultiply, "multiply_int64", kIntType),
    Arithmetic(op::kMultiply, "multiply_uint64", kUintType),
    Arithmetic(op::kDivide, "divide_double", kDoubleType),
    Arithmetic(op::kDivide, "divide_int64", kIntType),
    Arithmetic(op::kDivide, "divide_uint64", kUintType),
    Arithmetic(op::kModulo, "modulo_int64", kIntType),
    Arithmetic(op::kModulo, "modulo_uint64", kUintType),
    FEDRA_CEL_RELATIONS(op::kLess),
    FEDRA_CEL_RELATIONS(op::kLessEquals),
    FEDRA_CEL_RELATIONS(op::kGreater),
    FEDRA_CEL_RELATIONS(op::kGreaterEquals),
    Operator(op::kIn, "in_list", kParamA, kListOfA, kBoolType, Price::kSizeOfSecond),
    Operator(op::kIn, "in_map", kParamA, kMapOfAB, kBoolType),
    Operator(op::kIndex, "index_list", kListOfA, kIntType, kParamA),
    Operator(op::kIndex, "index_map", kMapOfAB, kParamA, kParamB),
    Operator(op::kIndex, "optional_list_index_int", kOptionalListOfA, kIntType, kOptionalOfA),
    Operator(op::kIndex, "optional_map_index_value", kOptionalMapOfAB, kParamA, kOptionalOfB),
    Operator(op::kOptIndex, "list_optindex_optional_int", kListOfA, kIntType, kOptionalOfA),
    Operator(op::kOptIndex, "optional_list_optindex_optional_int", kOptionalListOfA, kIntType,
             kOptionalOfA),
    Operator(op::kOptIndex, "map_optindex_optional_value", kMapOfAB, kParamA, kOptionalOfB),
    Operator(op::kOptIndex, "optional_map_optindex_optional_value", kOptionalMapOfAB, kParamA,
             kOptionalOfB),
};

#undef FEDRA_CEL_RELATIONS

}  // namespace

std::span<const Overload> OperatorLibrary() { return kOperatorOverloads; }

}  // namespace fedra::cel
