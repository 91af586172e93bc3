#include "base/natural_order.h"

#include <algorithm>

namespace fedra {

std::string InNaturalOrder(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  std::string text;
  for (size_t at = 0; at < name.size();) {
    const size_t number = std::min(name.find_first_of(kDigits, at), name.size());
    const size_t end = std::min(name.find_first_not_of(kDigits, number), name.size());
    const size_t significant = std::min(name.find_first_not_of('0', number), end);
    text += name.substr(at, number - at);
    if (number < end) text += static_cast<char>('0' + std::min<size_t>(end - significant, 9));
    text += name.substr(significant, end - significant);
    at = end;
  }
  return text;
}

}  // namespace fedra
