#include "cluster-clients/kube/resource_version.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace fedra::kube {
namespace {

std::optional<uint64_t> Number(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

bool IsNotOlder(const ResourceVersion& a, const ResourceVersion& b) {
  const std::optional<uint64_t> left = Number(a.value);
  const std::optional<uint64_t> right = Number(b.value);
  return !left || !right || *left >= *right;
}

}  // namespace fedra::kube
