#include "manager/verify/queue_quota.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"

namespace fedra::verify {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Text;

// Device requests that are written as extended resources, by the name of the class.
constexpr std::string_view kClassPrefix = "deviceclass.resource.kubernetes.io/";

// In the API's JSON a quantity may be a number, too.
std::optional<Quantity> Amount(const json& value) {
  if (value.is_number_integer()) return Quantity(value.get<int64_t>());
  if (!value.is_string()) return std::nullopt;
  const auto parsed = Quantity::Parse(value.get_ref<const std::string&>());
  return parsed ? std::optional(*parsed) : std::nullopt;
}

// Of one flavor. Absent: only its cohort bounds it, or it cannot be read.
std::optional<Quantity> Most(const json& quota, bool in_cohort) {
  const auto nominal = Amount(Member(quota, "nominalQuota"));
  if (!nominal || !in_cohort) return nominal;
  const auto limit = Amount(Member(quota, "borrowingLimit"));
  return limit ? nominal->Add(*limit) : std::nullopt;
}

void AddFlavor(const json& flavor, bool in_cohort, ClusterQueue& queue,
               std::set<std::string>& unbounded) {
  const json& resources = Member(flavor, "resources");
  if (!resources.is_array()) return;
  for (const json& quota : resources) {
    const std::string name = Text(quota, "name");
    const auto most = Most(quota, in_cohort);
    if (!most) unbounded.insert(name);
    std::optional<Quantity>& so_far = queue.most[name];
    if (most && (!so_far || *so_far < *most)) so_far = most;
  }
}

// Whether so many pods want more than that in all.
bool IsMore(const Quantity& each, int count, const Quantity& most) {
  return count > 0 && each.MilliValue() > most.MilliValue() / count;
}

dra::Reason Refusal(const ClusterQueue& queue, std::string what) {
  return {dra::ReasonCode::kQueueCannotHold, "ClusterQueue " + queue.name, std::move(what)};
}

}  // namespace

Result<ClusterQueue> ParseClusterQueue(const json& object) {
  ClusterQueue queue{.name = Text(Member(object, "metadata"), "name"), .most = {}};
  if (queue.name.empty()) return Fail(ErrorCode::kBadResponse, "a ClusterQueue without name");
  const json& spec = Member(object, "spec");
  // v1beta2 calls it cohortName, v1beta1 cohort.
  const bool in_cohort = !Text(spec, "cohortName").empty() || !Text(spec, "cohort").empty();
  std::set<std::string> unbounded;
  const json& groups = Member(spec, "resourceGroups");
  if (!groups.is_array()) return queue;
  for (const json& group : groups) {
    const json& flavors = Member(group, "flavors");
    if (!flavors.is_array()) continue;
    for (const json& flavor : flavors) AddFlavor(flavor, in_cohort, queue, unbounded);
  }
  for (const std::string& name : unbounded) queue.most[name].reset();
  return queue;
}

std::optional<dra::Reason> WhyCannotHold(const ClusterQueue& queue,
                                         std::span<const dra::PodDemand> demands,
                                         const std::set<std::string>& devices) {
  for (const dra::PodDemand& demand : demands) {
    const int count = demand.least > 0 ? std::min(demand.least, demand.count) : demand.count;
    for (const auto& [resource, each] : demand.requests) {
      const std::string& name = resource.str();
      if (count == 0 || each.Sign() <= 0 || name.starts_with(kClassPrefix) ||
          devices.contains(name))
        continue;
      const auto covered = queue.most.find(name);
      if (covered == queue.most.end()) {
        return Refusal(queue, fmt::format("the pods ask for {}, and no resource group of "
                                          "ClusterQueue {} covers it: Kueue never admits them",
                                          name, queue.name));
      }
      if (covered->second && IsMore(each, count, *covered->second)) {
        return Refusal(
            queue, fmt::format("{} pod{} of set {} ask{} for {} of {} each, and ClusterQueue {} "
                               "has quota for at most {} in one flavor: Kueue never admits them",
                               count, count == 1 ? "" : "s", demand.name, count == 1 ? "s" : "",
                               each.ToString(), name, queue.name, covered->second->ToString()));
      }
    }
  }
  return std::nullopt;
}

}  // namespace fedra::verify
