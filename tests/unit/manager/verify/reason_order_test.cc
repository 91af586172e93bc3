#include "manager/verify/reason_order.h"

#include "tests/support/catch.h"

namespace fedra::verify {
namespace {

using enum dra::ReasonCode;

TEST_CASE("what somebody must change comes before what passes, and a count is no cause") {
  dra::Verdict verdict;
  for (const dra::ReasonCode code :
       {kPodsDoNotFit, kDevicesAllocated, kQueueMissing, kNodeResources, kTemplateMissing})
    verdict.reasons.push_back({code, "", ""});
  OrderReasons(verdict);
  std::vector<dra::ReasonCode> codes;
  for (const dra::Reason& reason : verdict.reasons) codes.push_back(reason.code);
  CHECK(codes == std::vector{kQueueMissing, kTemplateMissing, kDevicesAllocated, kNodeResources,
                             kPodsDoNotFit});
  CHECK(dra::Headline(verdict) == "QueueMissing");
}

TEST_CASE("busy nodes are worth waiting for, small ones are not") {
  const auto prospect = [](std::vector<dra::ReasonCode> codes) { return ProspectOf(codes); };
  CHECK(prospect({kNodeResources}) == Prospect::kWaits);
  CHECK(prospect({kNodeResources, kDevicesAllocated}) == Prospect::kWaits);
  CHECK(prospect({kNodesTooSmall, kDevicesAllocated}) == Prospect::kNever);
  CHECK(prospect({kResourceMissing}) == Prospect::kNever);
}

}  // namespace
}  // namespace fedra::verify
