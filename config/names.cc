#include "config/names.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace fedra::config {
namespace {

bool IsLower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsAlphanumeric(char c) { return IsLower(c) || (c >= 'A' && c <= 'Z'); }

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// How many letters were left out, added, mistaken, or swapped with their neighbour ("optimal string
// alignment"), without regard to case, so that "warn" is next to "Warn".
size_t Distance(std::string_view a, std::string_view b) {
  const auto same = [&](size_t i, size_t j) { return Lower(a[i - 1]) == Lower(b[j - 1]); };
  std::vector<size_t> two_above(b.size() + 1);
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(two_above, above);
    std::swap(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same(i, j) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j))
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row[b.size()];
}

bool IsDnsPart(std::string_view text) {
  return !text.empty() && IsLower(text.front()) && IsLower(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLower(c) || c == '-'; });
}

}  // namespace

bool IsDnsLabel(std::string_view text) { return text.size() <= 63 && IsDnsPart(text); }

bool IsDnsSubdomain(std::string_view text) {
  if (text.size() > 253) return false;
  while (true) {
    const size_t dot = text.find('.');
    if (!IsDnsPart(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsLabelValue(std::string_view text) {
  if (text.empty()) return true;
  return text.size() <= 63 && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsQualifiedName(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return !text.empty() && IsLabelValue(text);
  const std::string_view name = text.substr(slash + 1);
  return IsDnsSubdomain(text.substr(0, slash)) && !name.empty() && IsLabelValue(name);
}

std::string ClosestName(std::string_view text, const std::vector<std::string>& candidates) {
  if (text.size() < 3 || text.size() > 64) return "";
  std::string best;
  size_t best_distance = std::max<size_t>(1, text.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = Distance(text, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace fedra::config
