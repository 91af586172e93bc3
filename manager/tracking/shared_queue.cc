#include "manager/tracking/shared_queue.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// The other mode is NoAdmissionFairSharing.
constexpr std::string_view kLocalQueuesShare = "UsageBasedAdmissionFairSharing";

std::vector<std::string> ChecksOf(const json& queue) {
  std::vector<std::string> names;
  const json& rules = Path(queue, {"spec", "admissionChecksStrategy", "admissionChecks"});
  if (!rules.is_array()) return names;
  for (const json& rule : rules) {
    const json& flavors = Member(rule, "onFlavors");
    if (flavors.is_array() && !flavors.empty()) continue;
    if (std::string name = Text(rule, "name"); !name.empty()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::optional<double> FairSharingWeight(const json& queue) {
  const auto weight = ReadQuantity(Path(queue, {"spec", "fairSharing", "weight"}));
  if (!weight || weight->Sign() < 0) return std::nullopt;
  return weight->AsApproximateDouble();
}

Result<SharedQueue> ParseSharedQueue(const json& object) {
  const json& metadata = Member(object, "metadata");
  SharedQueue queue{.name = Text(metadata, "name"),
                    .order = Text(Member(metadata, "annotations"), kOrderAnnotation),
                    .weight = FairSharingWeight(object),
                    .local_queues_share = Text(Path(object, {"spec", "admissionScope"}),
                                               "admissionMode") == kLocalQueuesShare,
                    .why_inactive = {},
                    .checks = ChecksOf(object)};
  const json& active = ConditionOf(Member(object, "status"), kActive);
  if (Text(active, "status") == "False") queue.why_inactive = Text(active, "message");
  if (queue.name.empty()) return Fail(ErrorCode::kBadResponse, "a ClusterQueue without name");
  return queue;
}

}  // namespace fedra::tracking
