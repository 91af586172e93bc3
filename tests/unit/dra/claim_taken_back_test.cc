// Allocated claims that kube-scheduler takes back (PostFilter of its plugin DynamicResources,
// Kubernetes v1.36.3, dynamicresources.go:937), at once and after pods could not be bound.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::claim_taken_back_test {
namespace {

using verdict::Outcome;

constexpr const char* kOwnFirst = R"({"spec": {"resourceClaims": [
    {"name": "own", "resourceClaimTemplateName": "one"},
    {"name": "shared", "resourceClaimName": "shared"}]}})";
constexpr const char* kSharedFirst = R"({"spec": {"resourceClaims": [
    {"name": "shared", "resourceClaimName": "shared"},
    {"name": "own", "resourceClaimTemplateName": "one"}]}})";

// Holds gpu-0 of n1 for pods on n1, without allocationTimestamp.
json OldClaim(const json& request, bool reserved) {
  json claim = Claim("shared", {request});
  claim["status"] = json::parse(R"({"allocation": {
      "nodeSelector": {"nodeSelectorTerms": [{"matchFields":
          [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]},
      "devices": {"results": [
          {"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}]}}})");
  if (reserved) claim["status"]["reservedFor"] = json::array({{{"uid", "u"}}});
  return claim;
}

struct FailureRow {
  const char* what;
  const char* pod;
  bool reserved;
  int on_n1, on_n2;  // devices
  int pods;
  int fitting;
  ReasonCode code;
};

TEST_CASE("pods that cannot be bound keep their own devices, until one fits nowhere") {
  const std::vector<FailureRow> rows = {
      // PreBind allocates the pod's own claim, then fails (dynamicresources.go:1627); Unreserve
      // leaves the allocation (:1313). The third pod finds none on n1 and has the claim taken back.
      {"taken back", kOwnFirst, false, 3, 3, 6, 2, ReasonCode::kPodsDoNotFit},
      {"taken back for the last pod", kOwnFirst, false, 3, 3, 3, 2, ReasonCode::kPodsDoNotFit},
      {"room for all, none is ever bound", kOwnFirst, false, 3, 3, 2, 0, ReasonCode::kClaimMissing},
      // PreBind fails before it has allocated anything (:1367).
      {"nothing is kept", kSharedFirst, false, 3, 3, 6, 0, ReasonCode::kClaimMissing},
      {"others use it (:966)", kOwnFirst, true, 3, 3, 6, 0, ReasonCode::kClaimMissing},
      // Filter ends with "cannot allocate all claims" before it notes the claim (:879).
      {"no devices elsewhere", kOwnFirst, false, 3, 0, 6, 0, ReasonCode::kClaimMissing},
      // n2 would hold both, but the first pod's device is on n1 now.
      {"no Yes by chance", kOwnFirst, false, 2, 4, 2, 0, ReasonCode::kClaimMissing},
  };
  for (const FailureRow& row : rows) {
    INFO(row.what);
    Worker worker(dra::FeaturesOf(cel::KubernetesRelease::k136));
    worker.Node("n1").Node("n2").On("n1", Devices(row.on_n1));
    if (row.on_n2 > 0) worker.On("n2", Devices(row.on_n2));
    worker.Template("one", {Request("r")}).Add(OldClaim(Request("r"), row.reserved));
    const auto judgement = worker.Judge({worker.Parse(row.pod, row.pods)});
    CHECK(judgement.verdict.outcome == Outcome::kNo);
    CHECK(judgement.verdict.pods_fitting == row.fitting);
    CHECK(Code(judgement) == row.code);
  }
}

TEST_CASE("what pods keep that cannot be bound is gone for later pod sets") {
  for (const bool own_first : {true, false}) {
    Worker worker(dra::FeaturesOf(cel::KubernetesRelease::k136));
    worker.Node("n1").On("n1", Devices(2)).Template("one", {Request("r")});
    worker.Add(OldClaim(Request("r"), true));
    const auto judgement = worker.Judge(
        {worker.Parse(own_first ? kOwnFirst : kSharedFirst),
         worker.Parse(
             R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "one"}]}})")});
    CHECK(judgement.pod_sets[0].fitting == 0);
    CHECK(judgement.pod_sets[1].fitting == (own_first ? 0 : 1));
  }
}

TEST_CASE("a claim is only taken back for a node that has the pod's other devices") {
  for (const bool on_n2 : {true, false}) {
    Worker worker(dra::FeaturesOf(cel::KubernetesRelease::k136));
    worker.AddClass(Class("any", {})).Template("one", {Request("r")});
    worker.Node("n1").Node("n2").On("n1", Devices(1));
    worker.On("n1", {Device("nic-0")}, {{"driver", "nic.example.com"}});
    if (on_n2) worker.On("n2", Devices(1));
    json claim = OldClaim(Request("r", 1, {{"deviceClassName", "any"}}), false);
    claim["status"]["allocation"]["allocationTimestamp"] = "2026-01-01T00:00:00Z";
    worker.Add(claim);
    const auto judgement = worker.Judge({worker.Parse(kOwnFirst)});
    CHECK(judgement.verdict.outcome == (on_n2 ? Outcome::kYes : Outcome::kNo));
  }
}

}  // namespace
}  // namespace fedra::test::claim_taken_back_test
