#pragma once
//
// A workload's place in line, for people and programs. Pure.

#include <functional>
#include <set>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "store/rows.h"

namespace fedra::cli {

// "1st", "2nd", "11th"; from 1.
std::string PlaceText(int place);

// "3rd in line for gpu.example.com on gpu-east, gpu-west, 5th on gpu-south; passed twice by other
// jobs; devices of gpu-east are kept for it". Empty: it stands in no line. `places`: of one
// workload, the first place first. `classes`: whose devices it waits for, as far as is known.
std::string LineText(std::span<const store::PlaceRow> places,
                     const std::set<std::string>& classes = {});

// "1st on gpu-west, 4th on gpu-east": for a table; "-": it stands in no line.
std::string PlacesText(std::span<const store::PlaceRow> places);

// The jobs that are first in lines, by PlaceRow::first; null: not known any more.
using FindJob = std::function<const store::WorkloadRow*(const std::string& first)>;

// {"order": "Backfill", "places": [{"worker": "gpu-east", "place": 3, "first": {"namespace",
// "name", "priority"}}], "passes": 2, "keptWorker": "gpu-east"}
nlohmann::ordered_json LineJson(std::span<const store::PlaceRow> places, const FindJob& find);

}  // namespace fedra::cli
