#include "base/text.h"

#include <algorithm>

#include "base/utf8.h"

namespace fedra {

std::string Cut(std::string_view text, size_t limit) {
  constexpr std::string_view kMark = "...";
  if (text.size() <= limit) return std::string(text);
  const size_t end = CharacterBoundary(text, limit > kMark.size() ? limit - kMark.size() : 0);
  return std::string(text.substr(0, end)) + std::string(kMark);
}

bool Contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace fedra
