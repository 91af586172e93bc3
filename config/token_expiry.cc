#include "config/token_expiry.h"

#include <charconv>
#include <string>

#include "base/base64.h"
#include "config/yaml_tree.h"

namespace fedra::config {
namespace {

// Tokens of service accounts have about 1 KiB.
constexpr size_t kMaxTokenBytes = size_t{64} << 10;
// The year 9999: a later time is a mistake.
constexpr double kLatest = 253402300799.0;

// The second of three parts, decoded from base64 for URLs without padding.
std::optional<std::string> Payload(std::string_view token) {
  const size_t first = token.find('.');
  const size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos)
    return std::nullopt;
  std::string text(token.substr(first + 1, second - first - 1));
  for (char& c : text) {
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  while (text.size() % 4 != 0) text += '=';
  return Base64Decode(text);
}

// NumericDate: seconds, perhaps with a fraction.
std::optional<WallTime> Time(const YamlNode& claims, std::string_view name) {
  const YamlNode* node = claims.Find(name);
  if (node == nullptr || node->kind != YamlNode::Kind::kScalar || !node->plain) return std::nullopt;
  double date = 0;
  const char* const end = node->scalar.data() + node->scalar.size();
  const auto [rest, error] = std::from_chars(node->scalar.data(), end, date);
  if (error != std::errc() || rest != end || !(date >= 0) || date > kLatest) return std::nullopt;
  return WallTime(std::chrono::seconds(static_cast<int64_t>(date)));
}

}  // namespace

std::optional<CredentialTimes> ReadTokenTimes(std::string_view token) {
  if (token.size() > kMaxTokenBytes) return std::nullopt;
  const std::optional<std::string> payload = Payload(token);
  if (!payload || !payload->starts_with('{')) return std::nullopt;
  const auto claims = ParseYaml(*payload, "", YamlLimits{.bytes = kMaxTokenBytes, .nodes = 10'000});
  if (!claims || claims->size() != 1) return std::nullopt;
  const auto expires = Time(claims->front(), "exp");
  if (!expires) return std::nullopt;
  return CredentialTimes{*expires, Time(claims->front(), "iat")};
}

}  // namespace fedra::config
