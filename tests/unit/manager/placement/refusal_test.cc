// What it means that a worker will not take a workload.

#include "manager/placement/refusal.h"

#include "manager/placement/note_reasons.h"
#include "tests/support/catch.h"

namespace fedra::placement::refusal_test {

using verdict::ReasonCode;

TEST_CASE("a refusal leaves the worker alone for a while, and says why in the attempt's end") {
  const ClusterName east("east");
  for (const ReasonCode code :
       {ReasonCode::kRecentlyFailed, ReasonCode::kForbidden, ReasonCode::kNameConflict}) {
    const RefusalRecord refusal = RefusalOf(east, code, "a webhook said no", WallTime{});
    CHECK(refusal.failure.failure.refused);
    CHECK(refusal.failure.failure.reason == code);
    CHECK(refusal.failure.end.has_value() == (code == ReasonCode::kRecentlyFailed));
    CHECK(refusal.note.cluster == east);
    CHECK(refusal.note.message == "a webhook said no");
    const bool conflict = code == ReasonCode::kNameConflict;
    CHECK(refusal.note.reason == (conflict ? notes::kNameConflict : notes::kDispatchFailed).name);
  }
}

}  // namespace fedra::placement::refusal_test
