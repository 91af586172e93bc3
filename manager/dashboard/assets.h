#pragma once
//
// The files of assets/, as they are in the source. Plain values.

#include <span>
#include <string_view>

namespace fedra::dashboard {

struct Asset {
  std::string_view name;  // "app.js"
  std::string_view text;
};

std::span<const Asset> Assets();

}  // namespace fedra::dashboard
