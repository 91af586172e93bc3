#pragma once
//
// Answers that no API server gives: monstrous or endless, made part by part as they are taken.
//
// Thread rules: an answer is used by one thread.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/api/api.h"
#include "tests/sim/http/message.h"

namespace fedra::sim {

struct HostileAnswer {
  // Not after the last part, which many never come to.
  std::function<AnswerPart()> next;
  std::chrono::milliseconds pause{0};  // before each of them
};

// The names that MakeHostileAnswer knows, "endless-list" for one.
std::vector<std::string> HostileAnswers();
// `next` is empty for an unknown name. Elements fit DeviceClasses, ResourceSlices and ConfigMaps.
HostileAnswer MakeHostileAnswer(std::string_view name, const ApiRequest& request);

}  // namespace fedra::sim
