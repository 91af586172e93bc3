#include "manager/text/line_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/report/line.h"

namespace fedra::text {
namespace {

constexpr size_t kMostNamesAtPlace = 3;  // at one place

std::string NamesText(const std::vector<std::string>& names) {
  if (names.size() <= kMostNamesAtPlace) return fmt::format("{}", fmt::join(names, ", "));
  const std::vector<std::string> few(names.begin(), names.begin() + kMostNamesAtPlace);
  return fmt::format("{} and {} more", fmt::join(few, ", "), names.size() - kMostNamesAtPlace);
}

std::string TimesText(int times) {
  return times == 1 ? "once" : times == 2 ? "twice" : fmt::format("{} times", times);
}

// "3rd on gpu-east, gpu-west, 5th on gpu-south", with `more` behind the first place.
std::string InOrder(std::span<const store::PlaceRow> places, std::string_view more) {
  std::vector<std::pair<int, std::vector<std::string>>> workers;  // by place
  for (const store::PlaceRow& row : places) {
    auto same = std::ranges::find(workers, row.place, [](const auto& each) { return each.first; });
    if (same == workers.end()) same = workers.insert(workers.end(), {row.place, {}});
    same->second.push_back(row.cluster.value);
  }
  std::string text;
  for (const auto& [place, names] : workers) {
    text += fmt::format("{}{}{} on {}", text.empty() ? "" : ", ", report::PlaceText(place),
                        text.empty() ? more : "", NamesText(names));
  }
  return text;
}

}  // namespace

std::string LineText(std::span<const store::PlaceRow> places,
                     const std::set<std::string>& classes) {
  const std::string wanted =
      classes.empty() ? "" : fmt::format(" for {}", fmt::join(classes, ", "));
  std::string text = InOrder(places, " in line" + wanted);
  if (text.empty()) return text;
  if (places.front().passes > 0)
    text += fmt::format("; passed {} by {}", TimesText(places.front().passes),
                        places.front().passes == 1 ? "another job" : "other jobs");
  if (std::ranges::any_of(places, &store::PlaceRow::is_bound_reached))
    text += "; no other job passes it any more: the bound of its order is reached";
  for (const store::PlaceRow& row : places)
    if (row.is_kept)
      text += fmt::format("; devices of {} are kept for it as they become free", row.cluster.value);
  return text;
}

std::string PlacesText(std::span<const store::PlaceRow> places) {
  const std::string text = InOrder(places, "");
  return text.empty() ? "-" : text;
}

}  // namespace fedra::text
