#pragma once
//
// A workload's places in line, for programs. Pure.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "store/rows.h"

namespace fedra::report {

// "1st", "2nd", "11th"; from 1.
std::string PlaceText(int place);

// The places in the order of these verdicts' workers, which is the configuration's; those on others
// behind.
std::vector<store::PlaceRow> InOrderOf(std::span<const store::VerdictRow> verdicts,
                                       std::vector<store::PlaceRow> places);

// The jobs that are first in lines, by PlaceRow::first; null: not known any more.
using FindJob = std::function<const store::WorkloadRow*(const std::string& first)>;

// {"order": "Backfill", "places": [{"worker": "gpu-east", "place": 3, "first": {"namespace",
// "name", "priority"}}], "passes": 2, "boundReached": false, "keptWorker": "gpu-east"}
nlohmann::ordered_json LineJson(std::span<const store::PlaceRow> places, const FindJob& find);

}  // namespace fedra::report
