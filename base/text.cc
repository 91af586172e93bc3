#include "base/text.h"

#include <algorithm>

namespace fedra {

std::string Cut(std::string_view text, size_t limit) {
  constexpr std::string_view kMark = "...";
  if (text.size() <= limit) return std::string(text);
  size_t end = limit > kMark.size() ? limit - kMark.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + std::string(kMark);
}

bool Contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace fedra
