#pragma once
//
// A device's attributes and capacities as text, for people. Pure.

#include <string>
#include <utility>
#include <vector>

#include "dra/model/model.h"

namespace fedra::report {

// "model" -> "h100", "memory" -> "80Gi": names as published.
std::vector<std::pair<std::string, std::string>> TextsOf(const dra::Device& device);

}  // namespace fedra::report
