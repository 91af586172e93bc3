#include "manager/report/cel_slices.h"

#include <nlohmann/json.hpp>

#include "dra/allocator/cel_device.h"
#include "dra/model/parse.h"
#include "manager/tracking/json_fields.h"

namespace fedra::report {
namespace {

using nlohmann::json;
using tracking::Member;

// Of whatever kind it says it is: the items of a List may leave that out.
bool IsSlice(const json& document) {
  return Member(Member(document, "spec"), "devices").is_array();
}

Result<void> AddDevices(const json& document, const std::string& driver,
                        std::vector<CelCandidate>& candidates) {
  dra::ParseContext context;
  FEDRA_ASSIGN_OR_RETURN(const dra::Slice slice, dra::ParseSlice(document, context));
  if (!driver.empty() && slice.pool.driver.view() != driver) return {};
  for (const dra::Device& device : slice.devices) {
    candidates.push_back({slice.name.str(), slice.pool.driver.str(), slice.pool.pool.str(),
                          device.name.str(), dra::ToCel(device, slice.pool.driver)});
  }
  return {};
}

Result<void> Collect(const json& document, const std::string& driver,
                     std::vector<CelCandidate>& candidates) {
  const json& items = document.is_array() ? document : Member(document, "items");
  if (!items.is_array())
    return IsSlice(document) ? AddDevices(document, driver, candidates) : Result<void>();
  for (const json& item : items) {
    if (auto added = Collect(item, driver, candidates); !added) return added;
  }
  return {};
}

}  // namespace

Result<std::vector<CelCandidate>> CelCandidatesOf(const json& document, const std::string& driver) {
  std::vector<CelCandidate> candidates;
  if (auto collected = Collect(document, driver, candidates); !collected)
    return Fail(collected.error());
  return candidates;
}

}  // namespace fedra::report
