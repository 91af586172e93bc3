#include "manager/verify/reason_order.h"

#include "tests/support/catch.h"

namespace fedra::verify::reason_order_test {
namespace {

using enum verdict::ReasonCode;

TEST_CASE("what somebody must change comes before what passes, and a count is no cause") {
  verdict::Verdict verdict;
  for (const verdict::ReasonCode code :
       {kPodsDoNotFit, kDevicesAllocated, kQueueMissing, kNodeResources, kTemplateMissing})
    verdict.reasons.push_back({code, "", {}});
  OrderReasons(verdict);
  std::vector<verdict::ReasonCode> codes;
  for (const verdict::Reason& reason : verdict.reasons) codes.push_back(reason.code);
  CHECK(codes == std::vector{kQueueMissing, kTemplateMissing, kDevicesAllocated, kNodeResources,
                             kPodsDoNotFit});
  CHECK(verdict::Headline(verdict) == "QueueMissing");
}

TEST_CASE("busy nodes are worth waiting for, small ones are not") {
  const auto prospect = [](std::vector<verdict::ReasonCode> codes) { return ProspectOf(codes); };
  CHECK(prospect({kNodeResources}) == Prospect::kWaits);
  CHECK(prospect({kNodeResources, kDevicesAllocated}) == Prospect::kWaits);
  CHECK(prospect({kNodesTooSmall, kDevicesAllocated}) == Prospect::kNever);
  CHECK(prospect({kResourceMissing}) == Prospect::kNever);
}

TEST_CASE("waiting for a worker that may not be used does not help") {
  for (const verdict::ReasonCode code : {kExcluded, kWorkerRemoved}) {
    CHECK(ProspectOf(std::vector{code}) == Prospect::kNever);
    CHECK(ProspectOf(std::vector{kDevicesAllocated, code}) == Prospect::kNever);
  }
}

}  // namespace
}  // namespace fedra::verify::reason_order_test
