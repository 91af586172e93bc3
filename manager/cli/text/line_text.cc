#include "manager/cli/text/line_text.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace fedra::cli {
namespace {

constexpr size_t kMaxWorkersNamed = 3;  // at one place

std::string WorkersText(const std::vector<std::string>& names) {
  if (names.size() <= kMaxWorkersNamed) return fmt::format("{}", fmt::join(names, ", "));
  const std::vector<std::string> few(names.begin(), names.begin() + kMaxWorkersNamed);
  return fmt::format("{} and {} more", fmt::join(few, ", "), names.size() - kMaxWorkersNamed);
}

std::string TimesText(int times) {
  return times == 1 ? "once" : times == 2 ? "twice" : fmt::format("{} times", times);
}

// "3rd on gpu-east, gpu-west, 5th on gpu-south", with `more` behind the first place.
std::string InOrder(std::span<const store::PlaceRow> places, std::string_view more) {
  std::string text;
  for (size_t i = 0; i < places.size();) {
    std::vector<std::string> workers;
    const int place = places[i].place;
    for (; i < places.size() && places[i].place == place; ++i)
      workers.push_back(places[i].cluster.value);
    text += fmt::format("{}{}{} on {}", text.empty() ? "" : ", ", PlaceText(place),
                        text.empty() ? more : "", WorkersText(workers));
  }
  return text;
}

}  // namespace

std::string PlaceText(int place) {
  const int tens = place / 10 % 10;
  const char* const ending = tens == 1         ? "th"
                             : place % 10 == 1 ? "st"
                             : place % 10 == 2 ? "nd"
                             : place % 10 == 3 ? "rd"
                                               : "th";
  return fmt::format("{}{}", place, ending);
}

std::string LineText(std::span<const store::PlaceRow> places,
                     const std::set<std::string>& classes) {
  const std::string wanted =
      classes.empty() ? "" : fmt::format(" for {}", fmt::join(classes, ", "));
  std::string text = InOrder(places, " in line" + wanted);
  if (text.empty()) return text;
  if (places.front().passes > 0)
    text += fmt::format("; passed {} by other jobs", TimesText(places.front().passes));
  for (const store::PlaceRow& row : places)
    if (row.is_kept) text += fmt::format("; devices of {} are kept for it", row.cluster.value);
  return text;
}

std::string PlacesText(std::span<const store::PlaceRow> places) {
  const std::string text = InOrder(places, "");
  return text.empty() ? "-" : text;
}

nlohmann::ordered_json LineJson(std::span<const store::PlaceRow> places, const FindJob& find) {
  nlohmann::ordered_json line = {{"order", places.empty() ? "" : places.front().dispatch_order},
                                 {"places", nlohmann::ordered_json::array()}};
  for (const store::PlaceRow& row : places) {
    nlohmann::ordered_json& place = line["places"].emplace_back();
    place = {{"worker", row.cluster.value}, {"place", row.place}};
    const store::WorkloadRow* const first = row.first.empty() ? nullptr : find(row.first);
    if (first == nullptr) continue;
    place["first"] = {
        {"namespace", first->job.ns}, {"name", first->job.name}, {"priority", first->priority}};
  }
  line["passes"] = places.empty() ? 0 : places.front().passes;
  for (const store::PlaceRow& row : places)
    if (row.is_kept) line["keptWorker"] = row.cluster.value;
  return line;
}

}  // namespace fedra::cli
