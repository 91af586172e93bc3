#include "tests/sim/actors/quantity.h"

#include <algorithm>
#include <cstdlib>

namespace fedra::sim {
namespace {

double Factor(std::string_view suffix) {
  constexpr std::pair<std::string_view, double> kFactors[] = {{"", 1e3},
                                                              {"m", 1},
                                                              {"k", 1e6},
                                                              {"M", 1e9},
                                                              {"G", 1e12},
                                                              {"T", 1e15},
                                                              {"Ki", 1024e3},
                                                              {"Mi", 1048576e3},
                                                              {"Gi", 1073741824e3},
                                                              {"Ti", 1099511627776e3}};
  for (const auto& [name, factor] : kFactors) {
    if (name == suffix) return factor;
  }
  return 0;
}

Amounts ContainerRequests(const Json& container) {
  Amounts amounts;
  // Limits stand in for requests that are not there.
  for (const std::string_view list : {"limits", "requests"}) {
    const Json* found = At(container, {"resources", list});
    if (found == nullptr || !found->is_object()) continue;
    for (const auto& entry : found->items()) amounts[entry.key()] = ParseMilli(entry.value());
  }
  return amounts;
}

}  // namespace

int64_t ParseMilli(const Json& quantity) {
  if (quantity.is_number()) return static_cast<int64_t>(quantity.get<double>() * 1e3);
  if (!quantity.is_string()) return 0;
  const std::string& text = quantity.get_ref<const std::string&>();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return static_cast<int64_t>(number * Factor(std::string_view(end)));
}

std::string FormatMilli(int64_t milli) {
  return milli % 1000 == 0 ? std::to_string(milli / 1000) : std::to_string(milli) + "m";
}

Amounts PodRequests(const Json& pod_spec) {
  Amounts sum;
  for (const Json& container : ArrayAt(pod_spec, {"containers"})) {
    for (const auto& [name, amount] : ContainerRequests(container)) sum[name] += amount;
  }
  for (const Json& container : ArrayAt(pod_spec, {"initContainers"})) {
    for (const auto& [name, amount] : ContainerRequests(container)) {
      sum[name] = std::max(sum[name], amount);
    }
  }
  return sum;
}

}  // namespace fedra::sim
