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
  CHECK(codes == std::vector{kQueueMissing, kTemplateMissing, kNodeResources, kDevicesAllocated,
                             kPodsDoNotFit});
  CHECK(dra::Headline(verdict) == "QueueMissing");
}

}  // namespace
}  // namespace fedra::verify
