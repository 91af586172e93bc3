#include "manager/tracking/shared_queue.h"

#include <nlohmann/json.hpp>

#include "base/quantity.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

std::optional<double> Weight(const json& value) {
  const auto parsed = value.is_string() ? Quantity::Parse(value.get_ref<const std::string&>())
                      : value.is_number_integer() ? Quantity::Parse(value.dump())
                                                  : Fail(ErrorCode::kBadResponse, "no quantity");
  if (!parsed || parsed->Sign() < 0) return std::nullopt;
  return parsed->AsApproximateDouble();
}

}  // namespace

Result<SharedQueue> ParseSharedQueue(const json& object) {
  const json& metadata = Member(object, "metadata");
  SharedQueue queue{.name = Text(metadata, "name"),
                    .order = Text(Member(metadata, "annotations"), kOrderAnnotation),
                    .weight = Weight(Path(object, {"spec", "fairSharing", "weight"}))};
  if (queue.name.empty()) return Fail(ErrorCode::kBadResponse, "a ClusterQueue without name");
  return queue;
}

}  // namespace fedra::tracking
