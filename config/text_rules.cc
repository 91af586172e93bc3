#include "config/text_rules.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/field_path.h"
#include "base/field_rules.h"
#include "base/label_selector.h"
#include "base/object_names.h"
#include "config/exec_access.h"
#include "config/names.h"
#include "config/url.h"

namespace fedra::config {
namespace {

constexpr std::string_view kDnsHint =
    "lower-case letters, digits and \"-\", starting and ending with a letter or digit";

bool IsIpAddress(std::string_view text) {
  unsigned char bytes[sizeof(in6_addr)];
  if (text.starts_with('[') && text.ends_with(']')) {
    const std::string inner(text.substr(1, text.size() - 2));
    return ::inet_pton(AF_INET6, inner.c_str(), bytes) == 1;
  }
  return ::inet_pton(AF_INET, std::string(text).c_str(), bytes) == 1;
}

std::optional<BadValue> CheckAddress(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) {
    return BadValue{fmt::format("\"{}\" has no port", text),
                    "write IP:port, such as 127.0.0.1:9480"};
  }
  if (!ParsePort(text.substr(colon + 1))) {
    return BadValue{fmt::format("\"{}\" is no port", text.substr(colon + 1)),
                    "a number from 1 to 65535"};
  }
  if (IsIpAddress(text.substr(0, colon))) return std::nullopt;
  return BadValue{fmt::format("\"{}\" does not start with an IP address", text),
                  "127.0.0.1 for this machine only, 0.0.0.0 or [::] for every interface"};
}

std::optional<BadValue> CheckControllerName(std::string_view text) {
  if (text == "kueue.x-k8s.io/multikueue") {
    return BadValue{"is Kueue's own MultiKueue controller",
                    "use a name of your own, such as fedra.dev/federation"};
  }
  if (IsQualifiedName(text) && text.find('/') != std::string_view::npos) return std::nullopt;
  return BadValue{fmt::format("\"{}\" is not a controller name", text), "write domain/name"};
}

std::optional<BadValue> CheckPath(std::string_view text) {
  if (text.empty()) return BadValue{"must not be empty", ""};
  if (text.find('\0') != std::string_view::npos) return BadValue{"contains a zero byte", ""};
  if (text == "~" || text.starts_with("~/")) {
    return BadValue{"\"~\" is not expanded", "write the whole path"};
  }
  return std::nullopt;
}

std::optional<BadValue> CheckSocketPath(std::string_view text) {
  constexpr size_t kMost = sizeof(sockaddr_un::sun_path) - 1;
  if (auto bad = CheckPath(text)) return bad;
  if (text.size() <= kMost) return std::nullopt;
  return BadValue{fmt::format("is {} bytes long, a socket's path at most {}", text.size(), kMost),
                  "such as /run/fedra/fedra.sock"};
}

std::optional<BadValue> CheckGroupVersion(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos && IsDnsSubdomain(text.substr(0, slash)) &&
      IsDnsLabel(text.substr(slash + 1)))
    return std::nullopt;
  return BadValue{fmt::format("\"{}\" is not a group with its version", text),
                  "such as example.com/v1"};
}

bool IsTypeName(std::string_view text) {
  return !text.empty() && text.size() <= 63 && text.front() >= 'A' && text.front() <= 'Z' &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsAlphanumeric(c); });
}

// What has been read is of no interest here.
template <class Read>
std::optional<BadValue> CheckReadable(const Result<Read>& read, std::string_view hint) {
  if (read) return std::nullopt;
  return BadValue{read.error().message, std::string(hint)};
}

std::optional<BadValue> CheckPlainFieldPath(std::string_view text) {
  const auto path = FieldPath::Parse(text);
  if (!path) return BadValue{path.error().message, "such as spec.managedBy"};
  if (path->IsPlain() && path->steps().front().key == "spec" && path->steps().size() > 1)
    return std::nullopt;
  return BadValue{fmt::format("\"{}\" does not name one field of the spec", text),
                  "such as spec.managedBy, without brackets"};
}

std::optional<BadValue> CheckFieldTest(std::string_view text) {
  const auto tests = ParseTests(text);
  if (tests && tests->size() > 1)
    return BadValue{fmt::format("\"{}\" is more than one test", text), "write them as a list"};
  return CheckReadable(tests, "");
}

}  // namespace

std::optional<BadValue> CheckTextRule(std::string_view text, TextRule rule) {
  switch (rule) {
    case TextRule::kAny:
    case TextRule::kSecret:
      return std::nullopt;
    case TextRule::kLabelSelector:
      return CheckReadable(LabelSelector::Parse(text), "as of kubectl -l, such as env=prod,gpu");
    case TextRule::kVariableName:
      if (IsVariableName(std::string(text))) return std::nullopt;
      return BadValue{"must be the name of an environment variable", ""};
    case TextRule::kDnsLabel:
      if (IsDnsLabel(text)) return std::nullopt;
      return BadValue{fmt::format("\"{}\" is not a DNS-1123 label", text),
                      fmt::format("{}; at most 63", kDnsHint)};
    case TextRule::kDnsSubdomain:
      if (IsDnsSubdomain(text)) return std::nullopt;
      return BadValue{fmt::format("\"{}\" is not a DNS-1123 name", text), std::string(kDnsHint)};
    case TextRule::kControllerName:
      return CheckControllerName(text);
    case TextRule::kCommand:
    case TextRule::kPath:
      return CheckPath(text);
    case TextRule::kSocketPath:
      return CheckSocketPath(text);
    case TextRule::kAddress:
      return CheckAddress(text);
    case TextRule::kGroupVersion:
      return CheckGroupVersion(text);
    case TextRule::kKind:
    case TextRule::kConditionType:
      if (IsTypeName(text)) return std::nullopt;
      return BadValue{fmt::format("\"{}\" is not the name of a type", text),
                      "letters and digits, the first an upper-case letter"};
    case TextRule::kQualifiedName:
      if (IsQualifiedName(text)) return std::nullopt;
      return BadValue{fmt::format("\"{}\" is not a label key", text), "such as example.com/run"};
    case TextRule::kFieldPath:
      return CheckReadable(FieldPath::Parse(text), "such as spec.roles[*].template");
    case TextRule::kPlainFieldPath:
      return CheckPlainFieldPath(text);
    case TextRule::kFieldTests:
      return CheckReadable(ParseTests(text), "");
    case TextRule::kFieldTest:
      return CheckFieldTest(text);
    case TextRule::kPodCount:
      return CheckReadable(ParseCount(text), "such as replicas x min(parallelism, completions?)");
  }
  return std::nullopt;
}

std::string ResolvePath(const std::string& path, const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code failed;  // without a current folder the path stays relative and fails when opened
  const fs::path base = fs::absolute(fs::path(file), failed).parent_path();
  return (base / path).lexically_normal().string();
}

}  // namespace fedra::config
