#pragma once
//
// The libraries of functions, one file each in cel/lib, and the set of them that a release has.
//
// Thread rules: constant tables; FunctionSet is immutable after construction.

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/function.h"
#include "cel/parser.h"

namespace fedra::cel {

// Each is the whole content of one file of cel/lib.
std::span<const Overload> OperatorLibrary();
std::span<const Overload> StandardLibrary();
std::span<const Overload> ConversionLibrary();
std::span<const Overload> TimeLibrary();
std::span<const Overload> StringsLibrary();
std::span<const Overload> SetsLibrary();
std::span<const Overload> KubernetesListsLibrary();
std::span<const Overload> ListsLibrary();
std::span<const Overload> IncludesLibrary();          // 1.36: only in device selectors, lists of 48
std::span<const Overload> IncludesAnywhereLibrary();  // from 1.37
std::span<const Overload> RegexLibrary();
std::span<const Overload> UrlLibrary();
std::span<const Overload> QuantityLibrary();
std::span<const Overload> SemverLibrary();
std::span<const Overload> SemverNormalizeLibrary();
std::span<const Overload> IpLibrary();
std::span<const Overload> CidrLibrary();
std::span<const Overload> FormatLibrary();
std::span<const Overload> OptionalLibrary();
std::span<const Overload> OptionalListLibrary();
std::span<const Overload> AuthorizerLibrary();

// All overloads of one name, in the order in which cel-go would try them.
struct FunctionDeclaration {
  std::string_view name;
  std::vector<const Overload*> overloads;
};

class FunctionSet final {
 public:
  explicit FunctionSet(KubernetesRelease release);
  const FunctionDeclaration* Find(std::string_view name) const;

 private:
  std::map<std::string_view, FunctionDeclaration, std::less<>> functions_;
};

// Built once per release, never freed.
const FunctionSet& FunctionsOf(KubernetesRelease release);

struct VariableDeclaration {
  std::string name;
  const Type* type;
};

// What an expression may refer to.
struct Environment {
  const FunctionSet* functions = nullptr;
  std::vector<VariableDeclaration> variables;
  ParserOptions parser;
  // Gate DRAListTypeAttributes: the values of device.attributes are dyn.
  bool list_attributes = false;
  // Kubernetes: elements of a list or map literal must be of one type.
  bool homogeneous_literals = true;
  // False: type errors become run-time errors (conformance tests of unchecked expressions only).
  bool check = true;
};

// The environment of device selectors: the variable is `device`.
Environment DeviceEnvironment(KubernetesRelease release, bool list_attributes);

// CEL as cel-spec has it, with all libraries: for the conformance vectors.
Environment PlainEnvironment();

// The static type of a field of `device`; nullptr if it has none of this name. With
// `list_attributes` attribute values are dyn, without any.
const Type* DeviceField(std::string_view name, bool list_attributes);

// The type that an identifier names ("int", "google.protobuf.Timestamp"); nullptr if it names none.
const Type* NamedType(std::string_view name);

}  // namespace fedra::cel
