#include "cel/lib/format.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/object_names.h"
#include "cel/lib/time.h"
#include "cel/lib/url.h"
#include "cel/library.h"

namespace fedra::cel {
namespace {

using Problems = std::vector<std::string>;

std::string TooLong(size_t limit) {
  return "must be no more than " + std::to_string(limit) + " characters";
}

// A prefix of a generated name may end with a dash: the suffix follows.
std::string WithoutTrailingDash(std::string_view text) {
  if (text.size() > 1 && text.back() == '-')
    return std::string(text.substr(0, text.size() - 2)) + "a";
  return std::string(text);
}

Problems Dns1123Label(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxDnsLabel) problems.push_back(TooLong(kMaxDnsLabel));
  if (!IsDnsPart(text)) {
    problems.push_back(IsDottedDnsParts(text)
                           ? "must not contain dots"
                           : "a lowercase RFC 1123 label must consist of lower case "
                             "alphanumeric characters or '-', and must "
                             "start and end with an alphanumeric character (e.g. "
                             "'my-name',  or '123-abc', regex used for "
                             "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  }
  return problems;
}

Problems Dns1123Subdomain(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxDnsSubdomain) problems.push_back(TooLong(kMaxDnsSubdomain));
  if (!IsDottedDnsParts(text)) {
    problems.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must "
        "start and end with an alphanumeric character (e.g. 'example.com', regex used for "
        "validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  }
  return problems;
}

Problems Dns1035Label(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxDnsLabel) problems.push_back(TooLong(kMaxDnsLabel));
  if (!IsDnsPart(text) || !IsLower(text.front())) {
    problems.emplace_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic "
        "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex "
        "used for "
        "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  return problems;
}

Problems Dns1123LabelPrefix(std::string_view text) {
  return Dns1123Label(WithoutTrailingDash(text));
}
Problems Dns1123SubdomainPrefix(std::string_view text) {
  return Dns1123Subdomain(WithoutTrailingDash(text));
}
Problems Dns1035LabelPrefix(std::string_view text) {
  return Dns1035Label(WithoutTrailingDash(text));
}

constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

Problems QualifiedName(std::string_view text) {
  Problems problems;
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos && text.find('/', slash + 1) != std::string_view::npos) {
    return {"a valid label key " + std::string(kNameRule) +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  if (slash == 0) problems.emplace_back("prefix part must be non-empty");
  if (slash != std::string_view::npos && slash > 0) {
    for (const std::string& problem : Dns1123Subdomain(text.substr(0, slash))) {
      problems.push_back("prefix part " + problem);
    }
  }
  const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  if (name.empty()) problems.emplace_back("name part must be non-empty");
  if (name.size() > kMaxDnsLabel) problems.push_back("name part " + TooLong(kMaxDnsLabel));
  if (!IsLabelPart(name)) problems.push_back("name part " + std::string(kNameRule));
  return problems;
}

Problems LabelValue(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxDnsLabel) problems.push_back(TooLong(kMaxDnsLabel));
  if (!text.empty() && !IsLabelPart(text)) {
    problems.emplace_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must "
        "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
        "'12345', regex used "
        "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
  }
  return problems;
}

Problems Uri(std::string_view text) {
  const auto url = ParseUrl(text);
  if (url) return {};
  return {"parse \"" + std::string(text) + "\": " + url.error().message};
}

// 8-4-4-4-12 hexadecimal digits; each dash may be missing.
Problems Uuid(std::string_view text) {
  static constexpr size_t kGroups[] = {8, 4, 4, 4, 12};
  for (size_t group = 0; group < std::size(kGroups); ++group) {
    if (group > 0 && !text.empty() && text[0] == '-') text.remove_prefix(1);
    const std::string_view digits = text.substr(0, kGroups[group]);
    if (digits.size() < kGroups[group] || !std::all_of(digits.begin(), digits.end(), IsHexDigit)) {
      return {"does not match the UUID format"};
    }
    text.remove_prefix(digits.size());
  }
  return text.empty() ? Problems{} : Problems{"does not match the UUID format"};
}

Problems Base64(std::string_view text) {
  const size_t padding = text.size() - std::min(text.find_last_not_of('=') + 1, text.size());
  const bool valid = !text.empty() && text.size() % 4 == 0 && padding <= 2 &&
                     std::all_of(text.begin(), text.end() - static_cast<ptrdiff_t>(padding),
                                 [](char c) { return IsAlphanumeric(c) || c == '+' || c == '/'; });
  return valid ? Problems{} : Problems{"invalid base64"};
}

bool IsDate(std::string_view text) {
  return text.size() == 10 && ParseTimestamp(std::string(text) + "T00:00:00Z").has_value();
}

Problems Date(std::string_view text) {
  return IsDate(text) ? Problems{} : Problems{"invalid date"};
}

Problems DateTime(std::string_view text) {
  const bool has_time =
      text.size() > 11 && (text[10] == 'T' || text[10] == 't') && IsDate(text.substr(0, 10));
  std::string upper(text);
  if (has_time) upper[10] = 'T';
  if (has_time && upper.back() == 'z') upper.back() = 'Z';
  return has_time && ParseTimestamp(upper) ? Problems{} : Problems{"invalid datetime"};
}

constexpr NamedFormat kFormats[] = {
    {"dns1123Label", "DNS1123Label", 30, Dns1123Label},
    {"dns1123Subdomain", "DNS1123Subdomain", 60, Dns1123Subdomain},
    {"dns1035Label", "DNS1035Label", 30, Dns1035Label},
    {"qualifiedName", "QualifiedName", 60, QualifiedName},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", 30, Dns1123LabelPrefix},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, Dns1123SubdomainPrefix},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", 30, Dns1035LabelPrefix},
    {"labelValue", "LabelValue", 40, LabelValue},
    {"uri", "URI", 1103, Uri},
    {"uuid", "uuid", 71, Uuid},
    {"byte", "byte", 84, Base64},
    {"date", "date", 72, Date},
    {"datetime", "datetime", 72, DateTime},
};

template <size_t Number>
Value Constant(Evaluation&, const Value*) {
  return Value::Format(&kFormats[Number]);
}

Value Named(Evaluation& evaluation, const Value* args) {
  for (const NamedFormat& format : kFormats) {
    if (format.function == args[0].AsText()) return evaluation.Optional(Value::Format(&format));
  }
  return Value::Optional(nullptr);
}

Value Validate(Evaluation& evaluation, const Value* args) {
  const Problems problems = args[0].AsFormat().validate(args[1].AsText());
  if (problems.empty()) return Value::Optional(nullptr);
  ListBuilder list(evaluation);
  for (const std::string& problem : problems) list.Add(evaluation.String(problem));
  const Value result = list.Finish();
  return result.is_error() ? result : evaluation.Optional(result);
}

constexpr Type kOptionalFormat{TypeKind::kOpaque, "optional_type", &kFormatType};
constexpr Type kOptionalStrings{TypeKind::kOpaque, "optional_type", &kListOfString};

constexpr Overload kFormatOverloads[] = {
    Global("format.named", "format-named", {&kStringType}, kOptionalFormat, Named),
    Member("validate", "format-validate", {&kFormatType, &kStringType}, kOptionalStrings, Validate,
           Price::kFormat),
    Global("format.dns1123Label", "format.dns1123Label", {}, kFormatType, Constant<0>),
    Global("format.dns1123Subdomain", "format.dns1123Subdomain", {}, kFormatType, Constant<1>),
    Global("format.dns1035Label", "format.dns1035Label", {}, kFormatType, Constant<2>),
    Global("format.qualifiedName", "format.qualifiedName", {}, kFormatType, Constant<3>),
    Global("format.dns1123LabelPrefix", "format.dns1123LabelPrefix", {}, kFormatType, Constant<4>),
    Global("format.dns1123SubdomainPrefix", "format.dns1123SubdomainPrefix", {}, kFormatType,
           Constant<5>),
    Global("format.dns1035LabelPrefix", "format.dns1035LabelPrefix", {}, kFormatType, Constant<6>),
    Global("format.labelValue", "format.labelValue", {}, kFormatType, Constant<7>),
    Global("format.uri", "format.uri", {}, kFormatType, Constant<8>),
    Global("format.uuid", "format.uuid", {}, kFormatType, Constant<9>),
    Global("format.byte", "format.byte", {}, kFormatType, Constant<10>),
    Global("format.date", "format.date", {}, kFormatType, Constant<11>),
    Global("format.datetime", "format.datetime", {}, kFormatType, Constant<12>),
};

}  // namespace

std::span<const Overload> FormatLibrary() { return kFormatOverloads; }

}  // namespace fedra::cel
