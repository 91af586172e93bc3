// The tests of cel-spec that do not apply, each with its reason.

#include <algorithm>

#include "tests/tools/conformance/runner.h"

namespace fedra::conformance {
namespace {

struct Exclusion {
  std::string_view file;
  std::string_view section;  // "*": every section
  std::string_view test;     // "*": every test
  std::string_view reason;
};

constexpr std::string_view kMessages = "protobuf messages: Kubernetes declares no message type";
constexpr std::string_view kBackticks = "identifiers in backticks: not switched on in Kubernetes";

constexpr std::string_view kMapKeys =
    "cel-go makes maps of any hashable key and lets later entries win";
constexpr std::string_view kFolding =
    "a constant key that is no selector: Kubernetes folds constants and refuses the expression";
constexpr std::string_view kMapped =
    "IPv4-mapped IPv6 addresses: refused by the Kubernetes library";
constexpr std::string_view kPresence =
    "ErrorOnBadPresenceTest: not switched on in Kubernetes, selecting in a scalar is absent";
constexpr std::string_view kMilliseconds = "cel-go returns the whole duration in milliseconds";

constexpr Exclusion kExclusions[] = {
    {"fields", "quoted_map_fields", "*", kBackticks},
    {"fields", "map_fields", "map_bad_key_type_or_true", kFolding},
    {"fields", "map_fields", "map_bad_key_type_and_false", kFolding},
    {"fields", "qualified_identifier_resolution", "map_key_float", kMapKeys},
    {"fields", "qualified_identifier_resolution", "map_value_repeat_key", kMapKeys},
    {"fields", "qualified_identifier_resolution", "map_value_repeat_key_heterogeneous", kMapKeys},
    {"network_ext", "ipv4", "ipv4_equals_ipv6", kMapped},
    {"network_ext", "ipv4", "ipv4_not_equals_ipv6", kMapped},
    {"optionals", "optionals", "map_null_entry_no_such_key", kPresence},
    {"optionals", "optionals", "map_present_key_invalid_field", kPresence},
    {"optionals", "optionals",
     "has_optional_ofNonZeroValue_struct_optional_ofNonZeroValue_map_optindex_field", kMessages},
    {"optionals", "optionals",
     "optional_ofNonZeroValue_struct_optional_ofNonZeroValue_map_optindex_field", kMessages},
    {"optionals", "optionals", "struct_map_optindex_field", kMessages},
    {"optionals", "optionals", "struct_optional_ofNonZeroValue_map_optindex_field", kMessages},
    {"optionals", "optionals", "struct_map_optindex_field_nested", kMessages},
    {"optionals", "optionals", "struct_list_optindex_field", kMessages},
    {"optionals", "optionals", "empty_struct_optindex_hasValue", kMessages},
    {"optionals", "optionals", "optional_empty_struct_optindex_hasValue", kMessages},
    {"optionals", "optionals", "struct_optindex_value", kMessages},
    {"optionals", "optionals", "optional_struct_optindex_value", kMessages},
    {"optionals", "optionals", "optional_struct_optindex_index_value", kMessages},
    {"parse", "nest", "message_literal", kMessages},
    {"parse", "repeat", "select", kMessages},
    {"parse", "repeat", "message_literal", kMessages},
    {"parse", "whitespace", "*", kMessages},
    {"parse", "comments", "*", kMessages},
    {"parse", "struct_field_names", "*", kMessages},
    {"timestamps", "duration_converters", "get_milliseconds", kMilliseconds},
};

bool Matches(std::string_view pattern, std::string_view text) {
  return pattern == "*" || pattern == text;
}

}  // namespace

std::string_view ExclusionReason(std::string_view file, std::string_view section,
                                 std::string_view test) {
  for (const Exclusion& exclusion : kExclusions) {
    if (exclusion.file == file && Matches(exclusion.section, section) &&
        Matches(exclusion.test, test)) {
      return exclusion.reason;
    }
  }
  return "";
}

std::vector<std::string> UnusedExclusions(const std::vector<FileReport>& reports) {
  std::vector<std::string> unused;
  for (const Exclusion& exclusion : kExclusions) {
    for (const FileReport& report : reports) {
      if (report.name != exclusion.file) continue;
      const bool used = std::any_of(report.exclusions.begin(), report.exclusions.end(),
                                    [&](const ExcludedTest& excluded) {
                                      return Matches(exclusion.section, excluded.section) &&
                                             Matches(exclusion.test, excluded.test);
                                    });
      if (used) continue;
      unused.push_back(report.name + "/" + std::string(exclusion.section) + "/" +
                       std::string(exclusion.test));
    }
  }
  return unused;
}

}  // namespace fedra::conformance
