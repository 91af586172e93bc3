#include "base/semver.h"

#include <charconv>
#include <optional>

#include "base/ascii.h"

namespace fedra {
namespace {

tl::unexpected<Error> Invalid(std::string_view what, std::string_view part) {
  return Fail(ErrorCode::kInvalidArgument, std::string(what) + " \"" + std::string(part) + "\"");
}

bool IsIdentifierCharacter(char c) { return IsAlphanumeric(c) || c == '-'; }

template <class Predicate>
bool All(std::string_view text, Predicate predicate) {
  for (const char c : text) {
    if (!predicate(c)) return false;
  }
  return true;
}

Result<uint64_t> ParseNumber(std::string_view text, std::string_view which) {
  if (!All(text, IsDigit)) {
    return Invalid("Invalid character(s) found in " + std::string(which) + " number", text);
  }
  if (text.size() > 1 && text[0] == '0') {
    return Invalid(std::string(which) + " number must not contain leading zeroes", text);
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Invalid(std::string(which) + " number is not a 64-bit number", text);
  }
  return value;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// major, minor and all the rest, cut at the first two dots; fewer if there are fewer dots.
std::vector<std::string_view> SplitVersion(std::string_view text) {
  std::vector<std::string_view> parts;
  while (parts.size() < 2) {
    const size_t dot = text.find('.');
    if (dot == std::string_view::npos) break;
    parts.push_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.push_back(text);
  return parts;
}

Result<std::variant<uint64_t, std::string>> ParsePrerelease(std::string_view text) {
  if (text.empty()) return Fail(ErrorCode::kInvalidArgument, "Prerelease is empty");
  if (All(text, IsDigit)) {
    FEDRA_ASSIGN_OR_RETURN(const uint64_t number, ParseNumber(text, "Numeric PreRelease"));
    return std::variant<uint64_t, std::string>(number);
  }
  if (!All(text, IsIdentifierCharacter)) {
    return Invalid("Invalid character(s) found in prerelease", text);
  }
  return std::variant<uint64_t, std::string>(std::string(text));
}

Result<std::string> ParseBuild(std::string_view text) {
  if (text.empty()) return Fail(ErrorCode::kInvalidArgument, "Build meta data is empty");
  if (!All(text, IsIdentifierCharacter)) {
    return Invalid("Invalid character(s) found in build meta data", text);
  }
  return std::string(text);
}

// Cuts `text` at the first `separator` and returns what follows it.
std::optional<std::string_view> CutTail(std::string_view& text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view tail = text.substr(at + 1);
  text = text.substr(0, at);
  return tail;
}

// "007" -> "7", "00" -> "0", "0-rc" -> "0-rc".
std::string WithoutLeadingZeros(std::string_view part) {
  if (part.size() <= 1) return std::string(part);
  part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
  if (part.empty() || !IsDigit(part[0])) return "0" + std::string(part);
  return std::string(part);
}

}  // namespace

Result<Semver> Semver::Parse(std::string_view text) {
  if (text.empty()) return Fail(ErrorCode::kInvalidArgument, "Version string empty");
  const std::vector<std::string_view> parts = SplitVersion(text);
  if (parts.size() != 3) {
    return Fail(ErrorCode::kInvalidArgument, "No Major.Minor.Patch elements found");
  }
  Semver version;
  FEDRA_ASSIGN_OR_RETURN(version.major, ParseNumber(parts[0], "major"));
  FEDRA_ASSIGN_OR_RETURN(version.minor, ParseNumber(parts[1], "minor"));
  std::string_view patch = parts[2];
  const auto build = CutTail(patch, '+');
  const auto prerelease = CutTail(patch, '-');
  FEDRA_ASSIGN_OR_RETURN(version.patch, ParseNumber(patch, "patch"));
  if (prerelease) {
    for (const std::string_view part : Split(*prerelease, '.')) {
      FEDRA_ASSIGN_OR_RETURN(auto identifier, ParsePrerelease(part));
      version.prerelease.push_back(std::move(identifier));
    }
  }
  if (build) {
    for (const std::string_view part : Split(*build, '.')) {
      FEDRA_ASSIGN_OR_RETURN(auto identifier, ParseBuild(part));
      version.build.push_back(std::move(identifier));
    }
  }
  return version;
}

Result<Semver> Semver::ParseNormalized(std::string_view text) {
  if (!text.empty() && text[0] == 'v') text.remove_prefix(1);
  std::vector<std::string> parts;
  for (const std::string_view part : SplitVersion(text)) parts.push_back(WithoutLeadingZeros(part));
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) {
    return Fail(ErrorCode::kInvalidArgument,
                "short version cannot contain PreRelease/Build meta data");
  }
  while (parts.size() < 3) parts.emplace_back("0");
  return Parse(parts[0] + "." + parts[1] + "." + parts[2]);
}

std::strong_ordering Semver::operator<=>(const Semver& other) const {
  if (const auto order = major <=> other.major; order != 0) return order;
  if (const auto order = minor <=> other.minor; order != 0) return order;
  if (const auto order = patch <=> other.patch; order != 0) return order;
  // A version without pre-release comes after every one with.
  if (prerelease.empty() || other.prerelease.empty()) {
    return other.prerelease.size() <=> prerelease.size() == 0 ? std::strong_ordering::equal
           : prerelease.empty()                               ? std::strong_ordering::greater
                                                              : std::strong_ordering::less;
  }
  // The variant's own order is the one of semver: by kind (number first), then by value.
  return prerelease <=> other.prerelease;
}

std::string Semver::ToString() const {
  std::string text =
      std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  for (size_t i = 0; i < prerelease.size(); ++i) {
    text += i == 0 ? "-" : ".";
    const auto* number = std::get_if<uint64_t>(&prerelease[i]);
    text += number ? std::to_string(*number) : std::get<std::string>(prerelease[i]);
  }
  for (size_t i = 0; i < build.size(); ++i) (text += i == 0 ? "+" : ".") += build[i];
  return text;
}

}  // namespace fedra
