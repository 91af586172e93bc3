#pragma once
//
// How many random histories a test plays.

#include <algorithm>
#include <cstdlib>

namespace fedra {

// `usual`, or FEDRA_HISTORIES percent of it, at least one: less under a sanitizer, more by hand
// (FEDRA_HISTORIES=1000 plays ten times as many). Anything but a number counts as 0.
inline unsigned Histories(unsigned usual) {
  const char* const percent = std::getenv("FEDRA_HISTORIES");
  if (percent == nullptr) return usual;
  return std::max(1u, static_cast<unsigned>(std::strtoul(percent, nullptr, 10) * usual / 100));
}

}  // namespace fedra
