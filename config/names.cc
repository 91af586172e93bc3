#include "config/names.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/ascii.h"

namespace fedra::config {
namespace {

// How many letters were left out, added, mistaken, or swapped with their neighbour ("optimal string
// alignment"), without regard to case, so that "warn" is next to "Warn".
size_t Distance(std::string_view a, std::string_view b) {
  const auto same = [&](size_t i, size_t j) { return ToLower(a[i - 1]) == ToLower(b[j - 1]); };
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

}  // namespace

std::string ClosestName(std::string_view text, const std::vector<std::string>& candidates) {
  if (text.size() < 2 || text.size() > 64) return "";
  std::string best;
  size_t best_distance = std::max<size_t>(1, text.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // What is longer by so much cannot be as near: of many names most are passed over.
    if (std::max(candidate.size(), text.size()) - std::min(candidate.size(), text.size()) >=
        best_distance)
      continue;
    const size_t distance = Distance(text, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace fedra::config
