#pragma once
//
// Semver: versions as Kubernetes device attributes and CEL know them (github.com/blang/semver v4).
//
// Comparison ignores build metadata ("1.0.0+a" == "1.0.0+b"); a caller that needs the text to be
// equal (DRA's matchAttribute) compares texts.
//
// Thread rules: a plain value.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace fedra {

struct Semver {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  // Pre-release identifiers: numeric ones sort before and compare as numbers.
  std::vector<std::variant<uint64_t, std::string>> prerelease;
  std::vector<std::string> build;

  // Strict semver 2.0.0: three numbers, no leading zeros, no "v".
  static Result<Semver> Parse(std::string_view text);
  // Kubernetes' normalize=true: drops a leading "v", adds missing numbers, removes leading zeros.
  static Result<Semver> ParseNormalized(std::string_view text);

  std::strong_ordering operator<=>(const Semver& other) const;
  bool operator==(const Semver& other) const { return (*this <=> other) == 0; }

  std::string ToString() const;
};

}  // namespace fedra
