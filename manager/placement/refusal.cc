#include "manager/placement/refusal.h"

#include <utility>

#include "manager/placement/note_reasons.h"

namespace fedra::placement {

RefusalRecord RefusalOf(const ClusterName& cluster, verdict::ReasonCode reason, std::string message,
                        WallTime now) {
  using verdict::ReasonCode;
  RefusalRecord refusal;
  refusal.failure.failure = {cluster, reason, now, message, /*refused=*/true};
  // Of the other reasons the code says more than that it was refused.
  if (reason == ReasonCode::kRecentlyFailed) refusal.failure.end = AttemptEnd::kRefused;
  const auto& note =
      reason == ReasonCode::kNameConflict ? notes::kNameConflict : notes::kDispatchFailed;
  refusal.note = {note.name, cluster, std::move(message)};
  return refusal;
}

}  // namespace fedra::placement
