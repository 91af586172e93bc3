#include "cel/library.h"

namespace fedra::cel {
namespace {

Value Size(Evaluation&, const Value* args) {
  return Value::Int(static_cast<int64_t>(CostSize(args[0])));
}

Value Contains(Evaluation&, const Value* args) {
  return Value::Bool(args[0].AsText().find(args[1].AsText()) != std::string_view::npos);
}
Value StartsWith(Evaluation&, const Value* args) {
  return Value::Bool(args[0].AsText().starts_with(args[1].AsText()));
}
Value EndsWith(Evaluation&, const Value* args) {
  return Value::Bool(args[0].AsText().ends_with(args[1].AsText()));
}

constexpr Overload kStandardOverloads[] = {
    Global("size", "size_bytes", {&kBytesType}, kIntType, Size),
    Member("size", "bytes_size", {&kBytesType}, kIntType, Size),
    Global("size", "size_list", {&kListOfA}, kIntType, Size),
    Member("size", "list_size", {&kListOfA}, kIntType, Size),
    Global("size", "size_map", {&kMapOfAB}, kIntType, Size),
    Member("size", "map_size", {&kMapOfAB}, kIntType, Size),
    Global("size", "size_string", {&kStringType}, kIntType, Size),
    Member("size", "string_size", {&kStringType}, kIntType, Size),
    Member("contains", "contains_string", kTwoStrings, kBoolType, Contains, Price::kSearch),
    Member("startsWith", "starts_with_string", kTwoStrings, kBoolType, StartsWith,
           Price::kTraverse),
    Member("endsWith", "ends_with_string", kTwoStrings, kBoolType, EndsWith, Price::kTraverse),
};

// Declared so that the checker knows the names: no variable of a device selector has these types.
constexpr Type kAuthorizer{TypeKind::kObject, "kubernetes.authorization.Authorizer"};
constexpr Type kPathCheck{TypeKind::kObject, "kubernetes.authorization.PathCheck"};
constexpr Type kGroupCheck{TypeKind::kObject, "kubernetes.authorization.GroupCheck"};
constexpr Type kResourceCheck{TypeKind::kObject, "kubernetes.authorization.ResourceCheck"};
constexpr Type kDecision{TypeKind::kObject, "kubernetes.authorization.Decision"};
constexpr Overload kAuthorizerOverloads[] = {
    Member("path", "authorizer_path", {&kAuthorizer, &kStringType}, kPathCheck, nullptr),
    Member("group", "authorizer_group", {&kAuthorizer, &kStringType}, kGroupCheck, nullptr),
    Member("serviceAccount", "authorizer_serviceaccount",
           {&kAuthorizer, &kStringType, &kStringType}, kAuthorizer, nullptr),
    Member("resource", "groupcheck_resource", {&kGroupCheck, &kStringType}, kResourceCheck,
           nullptr),
    Member("subresource", "resourcecheck_subresource", {&kResourceCheck, &kStringType},
           kResourceCheck, nullptr),
    Member("namespace", "resourcecheck_namespace", {&kResourceCheck, &kStringType}, kResourceCheck,
           nullptr),
    Member("name", "resourcecheck_name", {&kResourceCheck, &kStringType}, kResourceCheck, nullptr),
    Member("fieldSelector", "authorizer_fieldselector", {&kResourceCheck, &kStringType},
           kResourceCheck, nullptr),
    Member("labelSelector", "authorizer_labelselector", {&kResourceCheck, &kStringType},
           kResourceCheck, nullptr),
    Member("check", "pathcheck_check", {&kPathCheck, &kStringType}, kDecision, nullptr),
    Member("check", "resourcecheck_check", {&kResourceCheck, &kStringType}, kDecision, nullptr),
    Member("errored", "decision_errored", {&kDecision}, kBoolType, nullptr),
    Member("error", "decision_error", {&kDecision}, kStringType, nullptr),
    Member("allowed", "decision_allowed", {&kDecision}, kBoolType, nullptr),
    Member("reason", "decision_reason", {&kDecision}, kStringType, nullptr),
};

}  // namespace

std::span<const Overload> StandardLibrary() { return kStandardOverloads; }
std::span<const Overload> AuthorizerLibrary() { return kAuthorizerOverloads; }

}  // namespace fedra::cel
