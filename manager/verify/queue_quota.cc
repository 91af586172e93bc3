#include "manager/verify/queue_quota.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "manager/tracking/json_fields.h"

namespace fedra::verify {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Path;
using tracking::ReadQuantity;
using tracking::Text;

using Flavors = std::map<std::string, FlavorQuota>;

// Device requests that are written as extended resources, by the name of the class.
constexpr std::string_view kClassPrefix = "deviceclass.resource.kubernetes.io/";

FlavorQuota ReadQuota(const json& quota, int place, bool in_cohort) {
  FlavorQuota read{.place = place,
                   .nominal = ReadQuantity(Member(quota, "nominalQuota")),
                   .most = {},
                   .reserved = {}};
  if (!read.nominal || !in_cohort) {
    read.most = read.nominal;
  } else if (const auto limit = ReadQuantity(Member(quota, "borrowingLimit"))) {
    read.most = read.nominal->Add(*limit);
  }
  return read;
}

// Calls `visit` with every object of a list of flavors that each hold a list of resources, which is
// the shape of spec.resourceGroups[].flavors and of status.flavorsReservation.
template <class Visit>
void ForEachResource(const json& flavors, const Visit& visit) {
  if (!flavors.is_array()) return;
  for (const json& flavor : flavors) {
    const json& resources = Member(flavor, "resources");
    if (!resources.is_array()) continue;
    for (const json& resource : resources)
      visit(Text(resource, "name"), Text(flavor, "name"), resource);
  }
}

// So many pods of one set, and what each of them asks for.
struct Wanted {
  const dra::PodDemand& set;
  int pods;
  const std::string& resource;
  const Quantity& each;

  verdict::Quota Against(const ClusterQueue& queue, verdict::Quota::Limit limit) const {
    return {.queue = queue.name,
            .limit = limit,
            .resource = resource,
            .pod_set = set.name,
            .pods = pods,
            .asked = each};
  }
  bool IsMoreThan(int64_t milli) const { return each.MilliValue() > milli / pods; }
  bool IsMoreThan(const Quantity& amount) const { return IsMoreThan(amount.MilliValue()); }
};

// The first finding about anything that Kueue counts by its plain rules.
template <class Find>
std::optional<verdict::Reason> FindFirst(std::span<const dra::PodDemand> demands,
                                         const IsDevice& is_device, const Find& find) {
  for (const dra::PodDemand& demand : demands) {
    const int pods = demand.least > 0 ? std::min(demand.least, demand.count) : demand.count;
    for (const auto& [resource, each] : demand.requests) {
      const std::string& name = resource.str();
      if (pods == 0 || each.Sign() <= 0 || name.starts_with(kClassPrefix)) continue;
      std::optional<verdict::Reason> reason = find(Wanted{demand, pods, name, each});
      // Asked last: to know it all classes are looked at.
      if (reason && !is_device(name)) return reason;
    }
  }
  return std::nullopt;
}

verdict::Reason About(verdict::ReasonCode code, verdict::Quota quota) {
  std::string object = "ClusterQueue " + quota.queue;
  return {code, std::move(object), std::move(quota)};
}

// The most that any flavor may hold; nothing: some flavor is not bounded.
std::optional<Quantity> Largest(const Flavors& flavors) {
  std::optional<Quantity> largest;
  for (const auto& [name, quota] : flavors) {
    if (!quota.most) return std::nullopt;
    if (!largest || *largest < *quota.most) largest = quota.most;
  }
  return largest;
}

struct Room {
  const FlavorQuota* flavor = nullptr;  // null: there is none, or one of them cannot be read
  int64_t left = 0;                     // of its nominal quota, in thousandths; negative: borrowed
};

// Of the flavors whose nominal quota could hold this the one with the most left when others have
// taken `dispatched`, which is in thousandths.
Room Freest(const Flavors& flavors, const Wanted& wanted, int64_t dispatched) {
  std::vector<const FlavorQuota*> order;
  for (const auto& [name, quota] : flavors) {
    if (!quota.nominal) return {};
    order.push_back(&quota);
  }
  std::ranges::stable_sort(order, {}, &FlavorQuota::place);
  Room freest;
  for (const FlavorQuota* quota : order) {
    int64_t left = quota->nominal->MilliValue() - quota->reserved.MilliValue();
    const int64_t taken = std::clamp<int64_t>(left, 0, dispatched);
    left -= taken;
    dispatched -= taken;
    if (wanted.IsMoreThan(*quota->nominal)) continue;
    if (freest.flavor == nullptr || left > freest.left) freest = {quota, left};
  }
  return freest;
}

Quantity OfMilli(int64_t milli) {
  return Quantity::Parse(std::to_string(milli) + "m").value_or(Quantity());
}

}  // namespace

StopPolicy ReadStopPolicy(const json& spec) {
  const std::string text = Text(spec, "stopPolicy");
  if (text == "HoldAndDrain") return StopPolicy::kHoldAndDrain;
  return text == "Hold" ? StopPolicy::kHold : StopPolicy::kNone;
}

Result<ClusterQueue> ParseClusterQueue(const json& object) {
  const json& spec = Member(object, "spec");
  ClusterQueue queue{.name = Text(Member(object, "metadata"), "name"),
                     .stop = ReadStopPolicy(spec),
                     .resources = {}};
  if (queue.name.empty()) return Fail(ErrorCode::kBadResponse, "a ClusterQueue without name");
  // v1beta2 calls it cohortName, v1beta1 cohort.
  const bool in_cohort = !Text(spec, "cohortName").empty() || !Text(spec, "cohort").empty();
  const json& groups = Member(spec, "resourceGroups");
  if (!groups.is_array()) return queue;
  for (const json& group : groups) {
    ForEachResource(Member(group, "flavors"),
                    [&](const auto& resource, const auto& flavor, const json& quota) {
                      auto& flavors = queue.resources[resource];
                      const int place = static_cast<int>(flavors.size());
                      flavors[flavor] = ReadQuota(quota, place, in_cohort);
                    });
  }
  ForEachResource(Path(object, {"status", "flavorsReservation"}),
                  [&](const auto& resource, const auto& flavor, const json& usage) {
                    const auto flavors = queue.resources.find(resource);
                    if (flavors == queue.resources.end()) return;
                    const auto quota = flavors->second.find(flavor);
                    if (quota == flavors->second.end()) return;
                    quota->second.reserved =
                        ReadQuantity(Member(usage, "total")).value_or(Quantity());
                  });
  return queue;
}

bool SameLimits(const ClusterQueue& a, const ClusterQueue& b) {
  const auto same_quota = [](const auto& one, const auto& other) {
    return one.first == other.first && one.second.nominal == other.second.nominal &&
           one.second.most == other.second.most;
  };
  const auto same_flavors = [&](const auto& one, const auto& other) {
    return one.first == other.first && std::ranges::equal(one.second, other.second, same_quota);
  };
  return a.name == b.name && a.stop == b.stop &&
         std::ranges::equal(a.resources, b.resources, same_flavors);
}

std::optional<verdict::Reason> WhyCannotHold(const ClusterQueue& queue,
                                             std::span<const dra::PodDemand> demands,
                                             const IsDevice& is_device) {
  const auto find = [&](const Wanted& wanted) -> std::optional<verdict::Reason> {
    const auto flavors = queue.resources.find(wanted.resource);
    if (flavors == queue.resources.end())
      return About(verdict::ReasonCode::kQueueCannotHold,
                   wanted.Against(queue, verdict::Quota::Limit::kNotCovered));
    const auto most = Largest(flavors->second);
    if (!most || !wanted.IsMoreThan(*most)) return std::nullopt;
    verdict::Quota quota = wanted.Against(queue, verdict::Quota::Limit::kTooSmall);
    quota.most = *most;
    return About(verdict::ReasonCode::kQueueCannotHold, std::move(quota));
  };
  return FindFirst(demands, is_device, find);
}

std::optional<verdict::Reason> WhyFull(const ClusterQueue& queue,
                                       std::span<const dra::PodDemand> demands,
                                       const IsDevice& is_device, const QuotaAmounts& dispatched) {
  const auto find = [&](const Wanted& wanted) -> std::optional<verdict::Reason> {
    const auto flavors = queue.resources.find(wanted.resource);
    if (flavors == queue.resources.end()) return std::nullopt;
    const int64_t coming = dispatched.MilliOf(wanted.resource);
    const Room room = Freest(flavors->second, wanted, coming);
    if (room.flavor == nullptr || !wanted.IsMoreThan(room.left)) return std::nullopt;
    verdict::Quota quota = wanted.Against(queue, verdict::Quota::Limit::kReserved);
    quota.most = *room.flavor->nominal;
    quota.reserved = room.flavor->reserved;
    if (coming > 0) quota.dispatched = OfMilli(coming);
    return About(verdict::ReasonCode::kQueueFull, std::move(quota));
  };
  return FindFirst(demands, is_device, find);
}

}  // namespace fedra::verify
