#include "manager/report/line.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fedra::report {

std::string PlaceText(int place) {
  const int tens = place / 10 % 10;
  const char* const ending = tens == 1         ? "th"
                             : place % 10 == 1 ? "st"
                             : place % 10 == 2 ? "nd"
                             : place % 10 == 3 ? "rd"
                                               : "th";
  return fmt::format("{}{}", place, ending);
}

std::vector<store::PlaceRow> InOrderOf(std::span<const store::VerdictRow> verdicts,
                                       std::vector<store::PlaceRow> places) {
  std::ranges::stable_sort(places, {}, [&](const store::PlaceRow& place) {
    return std::ranges::find(verdicts, place.cluster, &store::VerdictRow::cluster) -
           verdicts.begin();
  });
  return places;
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
  line["boundReached"] = !places.empty() && places.front().is_bound_reached;
  for (const store::PlaceRow& row : places)
    if (row.is_kept) line["keptWorker"] = row.cluster.value;
  return line;
}

}  // namespace fedra::report
