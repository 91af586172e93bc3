#include "manager/verify/named_claims.h"

#include "manager/verify/worker_objects.h"
#include "tests/support/catch.h"

namespace fedra::verify::named_claims_test {
namespace {

const ClusterName kEast("east"), kWest("west");

TEST_CASE("where a job's claim can never be, it does not wait for devices") {
  const WorkerObjects objects({}, {});
  tracking::Requirement requirement;
  requirement.ns = "ml";
  requirement.pod_sets.resize(1);
  requirement.pod_sets[0].claims.push_back(
      {.pod_claim = "gpu", .template_name = "", .claim_name = "shared"});
  verdict::Verdict east, west;
  west.outcome = verdict::Outcome::kNo;
  west.fits_when_free = true;
  west.reasons.push_back({verdict::ReasonCode::kDevicesAllocated, "", verdict::Sentence{"full"}});
  west.reasons.push_back({verdict::ReasonCode::kPodsDoNotFit, "", verdict::Sentence{"1 of 2"}});
  std::vector<ClaimCandidate> candidates(2);
  candidates[0] = {.worker = kEast, .objects = &objects, .usable = true, .verdict = &east};
  candidates[1] = {.worker = kWest, .objects = &objects, .usable = true, .verdict = &west};
  const ClaimUsers users = [](const ObjectKey&) {
    return std::map<ObjectKey, std::set<ClusterName>>{{{"ml", "other"}, {kEast}}};
  };
  for (int i = 0; i < 2; ++i)  // a second claim there says it once more
    KeepClaimsTogether(requirement, candidates, users, SharedClaims::kRequireTogether);
  CHECK_FALSE(west.fits_when_free);
  REQUIRE(west.reasons.size() == 3);
  CHECK(west.reasons[1].code == verdict::ReasonCode::kClaimElsewhere);
  CHECK(west.reasons[2].code == verdict::ReasonCode::kPodsDoNotFit);  // the details are last
  CHECK(candidates[0].claims_in_use == 2);
}

}  // namespace
}  // namespace fedra::verify::named_claims_test
