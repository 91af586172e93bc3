#pragma once
//
// Answers that no API server gives: monstrous or endless, made piece by piece as they are sent.
//
// Thread rules: an answer is used by one thread.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/api/api.h"

namespace fedra::sim {

// A piece of a chunked body; of nothing: its end.
std::string Chunk(std::string_view data);

struct HostileAnswer {
  // The next bytes as they go over the wire, the head among the first; empty: it is complete.
  std::function<std::string()> next;
  std::chrono::milliseconds pause{0};  // between two of them
};

// The names that MakeHostileAnswer knows, "endless-list" for one.
std::vector<std::string> HostileAnswers();
// `next` is empty for an unknown name. Elements fit DeviceClasses, ResourceSlices and ConfigMaps.
HostileAnswer MakeHostileAnswer(std::string_view name, const ApiRequest& request);

}  // namespace fedra::sim
