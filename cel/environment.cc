#include "cel/environment.h"

#include <array>
#include <charconv>
#include <set>

#include "cel/library.h"

namespace fedra::cel {
namespace {

using enum KubernetesRelease;

// The table: what exists in which release.
struct LibraryEntry {
  std::string_view name;
  std::span<const Overload> (*overloads)();
  KubernetesRelease since = kOldestRelease;
  std::optional<KubernetesRelease> until = {};
};

constexpr LibraryEntry kLibraries[] = {
    {"operators", OperatorLibrary},
    {"CEL standard functions", StandardLibrary},
    {"CEL conversions", ConversionLibrary},
    {"CEL timestamps and durations", TimeLibrary},
    {"CEL optional values", OptionalLibrary},
    {"cel-go strings v2", StringsLibrary},
    {"cel-go sets", SetsLibrary},
    {"Kubernetes lists", KubernetesListsLibrary},
    {"Kubernetes regex", RegexLibrary},
    {"Kubernetes URLs", UrlLibrary},
    {"Kubernetes authorizer (declared, no variable of its types)", AuthorizerLibrary},
    {"Kubernetes quantity", QuantityLibrary},
    {"Kubernetes IP", IpLibrary},
    {"Kubernetes CIDR", CidrLibrary},
    {"Kubernetes format", FormatLibrary},
    {"Kubernetes semver v0", SemverLibrary},
    {"Kubernetes semver v1: normalize", SemverNormalizeLibrary},
    {"cel-go lists v3", ListsLibrary},
    {"CEL optional values v2", OptionalListLibrary},
    {"includes (lists up to 48 values)", IncludesLibrary, k136, k136},
    {"includes", IncludesAnywhereLibrary, k137},
};

struct NamedTypeEntry {
  std::string_view name;
  const Type* type;
};

constexpr Type kTypeType{TypeKind::kType, "type"};
constexpr Type kListType{TypeKind::kList, "list", &kDynType};
constexpr Type kMapType{TypeKind::kMap, "map", &kDynType, &kDynType};
constexpr Type kOptionalType{TypeKind::kOpaque, "optional_type", &kDynType};
constexpr NamedTypeEntry kNamedTypes[] = {{"bool", &kBoolType},
                                          {"bytes", &kBytesType},
                                          {"double", &kDoubleType},
                                          {"google.protobuf.Duration", &kDurationType},
                                          {"int", &kIntType},
                                          {"list", &kListType},
                                          {"map", &kMapType},
                                          {"null_type", &kNullType},
                                          {"string", &kStringType},
                                          {"google.protobuf.Timestamp", &kTimestampType},
                                          {"type", &kTypeType},
                                          {"uint", &kUintType},
                                          {"net.IP", &kIpType},
                                          {"net.CIDR", &kCidrType},
                                          {"optional_type", &kOptionalType}};

constexpr Type kAttributesOfDomain{TypeKind::kMap, "map", &kStringType, &kAnyType};
constexpr Type kAttributes{TypeKind::kMap, "map", &kStringType, &kAttributesOfDomain};
constexpr Type kListAttributesOfDomain{TypeKind::kMap, "map", &kStringType, &kDynType};
constexpr Type kListAttributes{TypeKind::kMap, "map", &kStringType, &kListAttributesOfDomain};
constexpr Type kCapacityOfDomain{TypeKind::kMap, "map", &kStringType, &kQuantityType};
constexpr Type kCapacity{TypeKind::kMap, "map", &kStringType, &kCapacityOfDomain};

std::string FunctionNames(std::span<const Overload> overloads) {
  std::set<std::string_view> seen;
  std::string text;
  for (const Overload& overload : overloads) {
    if (!seen.insert(overload.function).second) continue;
    if (!text.empty()) text += " ";
    text += overload.function;
  }
  return text;
}

}  // namespace

Result<KubernetesRelease> ParseRelease(std::string_view text) {
  const std::string_view original = text;
  if (!text.empty() && text[0] == 'v') text.remove_prefix(1);
  int minor = 0;
  if (text.substr(0, 2) == "1.") {
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), minor);
    const std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
    const bool ends = rest.empty() || rest[0] == '.' || rest[0] == '+' || rest[0] == '-';
    if (error != std::errc() || !ends) minor = 0;
  }
  if (minor < static_cast<int>(kOldestRelease)) {
    return Fail(ErrorCode::kInvalidArgument, "\"" + std::string(original) +
                                                 "\" is not a Kubernetes release from " +
                                                 std::string(ToString(kOldestRelease)) + " on");
  }
  return static_cast<KubernetesRelease>(std::min(minor, static_cast<int>(kNewestRelease)));
}

std::string_view ToString(KubernetesRelease release) {
  static constexpr std::string_view kNames[] = {"1.34", "1.35", "1.36", "1.37"};
  return kNames[static_cast<size_t>(release) - static_cast<size_t>(kOldestRelease)];
}

std::vector<EnvironmentFeature> EnvironmentTable() {
  std::vector<EnvironmentFeature> table = {
      {"device.driver", kOldestRelease, {}, "string"},
      {"device.attributes",
       kOldestRelease,
       {},
       "map(string, map(string, any)); dyn instead of any with the gate DRAListTypeAttributes"},
      {"device.capacity", kOldestRelease, {}, "map(string, map(string, kubernetes.Quantity))"},
      {"device.allowMultipleAllocations", kOldestRelease, {}, "bool"},
      {"macros",
       kOldestRelease,
       {},
       "has all exists exists_one map filter optMap optFlatMap cel.bind"},
      {"two-variable macros",
       kOldestRelease,
       {},
       "all exists existsOne exists_one transformList transformMap transformMapEntry"},
      {"macro sortBy", kOldestRelease, {}, "sortBy"}};
  for (const LibraryEntry& entry : kLibraries) {
    table.push_back({entry.name, entry.since, entry.until, FunctionNames(entry.overloads())});
  }
  return table;
}

FunctionSet::FunctionSet(KubernetesRelease release) {
  for (const LibraryEntry& entry : kLibraries) {
    if (release < entry.since || (entry.until && *entry.until < release)) continue;
    for (const Overload& overload : entry.overloads()) {
      FunctionDeclaration& function = functions_[overload.function];
      function.name = overload.function;
      function.overloads.push_back(&overload);
    }
  }
}

const FunctionDeclaration* FunctionSet::Find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

const FunctionSet& FunctionsOf(KubernetesRelease release) {
  static const auto* const by_release = [] {
    auto* sets = new std::vector<FunctionSet>;
    for (auto i = static_cast<int>(kOldestRelease); i <= static_cast<int>(kNewestRelease); ++i) {
      sets->emplace_back(static_cast<KubernetesRelease>(i));
    }
    return sets;
  }();
  return (*by_release)[static_cast<size_t>(release) - static_cast<size_t>(kOldestRelease)];
}

Environment DeviceEnvironment(KubernetesRelease release, bool list_attributes) {
  Environment environment;
  environment.list_attributes = list_attributes;
  environment.functions = &FunctionsOf(release);
  environment.variables = {{"device", &kDeviceType}};
  return environment;
}

Environment PlainEnvironment() {
  Environment environment;
  environment.functions = &FunctionsOf(kNewestRelease);
  environment.homogeneous_literals = false;
  return environment;
}

const Type* DeviceField(std::string_view name, bool list_attributes) {
  if (name == "driver") return &kStringType;
  if (name == "attributes") return list_attributes ? &kListAttributes : &kAttributes;
  if (name == "capacity") return &kCapacity;
  if (name == "allowMultipleAllocations") return &kBoolType;
  return nullptr;
}

const Type* NamedType(std::string_view name) {
  for (const NamedTypeEntry& entry : kNamedTypes) {
    if (entry.name == name) return entry.type;
  }
  return nullptr;
}

}  // namespace fedra::cel
