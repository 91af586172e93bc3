// Where pods are placed when it matters: claims that they share, and alternatives.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"
#include "verdict/reason_text.h"

namespace fedra::test::placing_test {
namespace {

using verdict::Outcome;

const char* const kSharing =
    R"({"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}],
        "resourceClaims": [{"name": "d", "resourceClaimName": "shared"}]}})";

json Cpu(const char* amount) {
  return {{"status", {{"allocatable", {{"cpu", amount}, {"pods", "1000"}}}}}};
}

// ---- claims that pods share

struct SharedRow {
  const char* why;
  std::vector<std::pair<const char*, const char*>> nodes;  // name, cpu; each has one device
  int pods;
  Outcome outcome;
  int fitting;
};

TEST_CASE("a shared claim is allocated where all pods find room, whatever the nodes are called") {
  const std::vector<SharedRow> rows = {
      {"the first has room", {{"a1", "16"}, {"b1", "1"}}, 5, Outcome::kYes, 5},
      {"the last has room", {{"a1", "1"}, {"b1", "16"}}, 5, Outcome::kYes, 5},
      {"one in between", {{"a1", "1"}, {"b1", "4"}, {"c1", "5"}, {"d1", "2"}}, 5, Outcome::kYes, 5},
      {"none: the most that fit", {{"a1", "1"}, {"b1", "4"}, {"c1", "3"}}, 5, Outcome::kNo, 4},
      {"none, equal ones", {{"a1", "2"}, {"b1", "2"}}, 3, Outcome::kNo, 2},
      {"nowhere at all", {{"a1", "0"}, {"b1", "0"}}, 2, Outcome::kNo, 0},
  };
  for (const SharedRow& row : rows) {
    INFO(row.why);
    Worker worker;
    for (const auto& [name, cpu] : row.nodes)
      worker.Node(name, json::object(), Cpu(cpu)).On(name, Devices(1));
    worker.Add(Claim("shared", {Request("r")}));
    const auto judgement = worker.Judge({worker.Parse(kSharing, row.pods)});
    CHECK(judgement.verdict.outcome == row.outcome);
    CHECK(judgement.verdict.pods_fitting == row.fitting);
    const auto& nodes = judgement.pod_sets[0].nodes;
    CHECK(std::set<std::string>(nodes.begin(), nodes.end()).size() == (row.fitting > 0 ? 1 : 0));
    if (row.outcome == Outcome::kYes) CHECK(judgement.verdict.reasons.empty());
    if (row.outcome == Outcome::kNo) CHECK_FALSE(judgement.verdict.reasons.empty());
  }
}

TEST_CASE("a claim that pod sets share goes where the larger of them fits, too") {
  Worker worker;
  worker.Node("a1", json::object(), Cpu("2")).On("a1", Devices(1));
  worker.Node("b1", json::object(), Cpu("4")).On("b1", Devices(1));
  worker.Add(Claim("shared", {Request("r")}));
  const auto leader = worker.Parse(kSharing);
  auto judgement = worker.Judge({leader, worker.Parse(kSharing, 3)});
  CHECK(judgement.verdict.outcome == Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"b1"});
  judgement = worker.Judge({leader, worker.Parse(kSharing, 4)});
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK(judgement.verdict.pods_fitting == 4);
}

TEST_CASE("two shared claims: every pair of nodes is tried") {
  Worker worker;
  for (const auto& [name, cpu] : {std::pair("a1", "1"), {"b1", "3"}, {"c1", "2"}, {"d1", "4"}})
    worker.Node(name, json::object(), Cpu(cpu)).On(name, Devices(1));
  worker.Add(Claim("shared", {Request("r")})).Add(Claim("other", {Request("r")}));
  const auto first = worker.Parse(kSharing, 4);
  auto second = worker.Parse(kSharing, 3);
  second.claims[0].claim_name = "other";
  const auto judgement = worker.Judge({first, second});
  CHECK(judgement.verdict.outcome == Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes.front() == "d1");
  CHECK(judgement.pod_sets[1].nodes.front() == "b1");
}

TEST_CASE("assumed pods keep their place beside a shared claim") {
  Worker worker;
  worker.Node("a1", json::object(), Cpu("2")).On("a1", Devices(1));
  worker.Node("b1", json::object(), Cpu("3")).On("b1", Devices(1));
  worker.Add(Claim("shared", {Request("r")}));
  const auto demand = std::make_shared<const dra::PodDemand>(worker.Parse(kSharing));
  dra::JudgeOptions options;
  options.assumed = Assumed(demand, 1);
  CHECK(worker.Judge({worker.Parse(kSharing, 2)}, options).verdict.outcome == Outcome::kYes);
  CHECK(worker.Judge({worker.Parse(kSharing, 3)}, options).verdict.outcome == Outcome::kNo);
}

TEST_CASE("nodes for a shared claim are tried as long as there are steps, then it is Unknown") {
  Worker worker;
  for (int i = 0; i < 300; ++i)
    worker.Node("n" + std::to_string(i), json::object(), Cpu("1"))
        .On("n" + std::to_string(i), Devices(1));
  worker.Add(Claim("shared", {Request("r")}));
  const auto pods = worker.Parse(kSharing, 2);
  CHECK(worker.Judge({pods}).verdict.outcome == Outcome::kNo);
  dra::JudgeOptions options;
  options.limits.max_steps = 200;
  const auto judgement = worker.Judge({pods}, options);
  CHECK(judgement.verdict.outcome == Outcome::kUnknown);
  CHECK(Code(judgement) == ReasonCode::kBudgetExceeded);
  CHECK_THAT(First(judgement), ContainsSubstring("not every node was tried for ResourceClaim"));
  // Nothing about the claim's node could change this one.
  auto other = worker.Parse(kSharing);
  other.claims[0].claim_name = "missing";
  CHECK(worker.Judge({pods, other}, options).verdict.outcome == Outcome::kNo);
}

// ---- consumers of a claim

struct ConsumerRow {
  int reserved, assumed, pods, fitting;
  const char* text;
};

TEST_CASE("no more than 256 pods use a claim, those of the job and in flight included") {
  const std::vector<ConsumerRow> rows = {
      {0, 0, 256, 256, ""},
      {0, 0, 300, 256, "can have no more than 256 consumers"},
      {250, 0, 6, 6, ""},
      {250, 0, 20, 6, "can have no more than 256 consumers, and has 250 of them already"},
      {250, 3, 4, 3, "can have no more than 256 consumers"},
      {256, 0, 1, 0, "has 256 consumers already"},
  };
  for (const ConsumerRow& row : rows) {
    INFO(row.reserved << " reserved, " << row.assumed << " assumed, " << row.pods << " pods");
    Worker worker;
    worker.Node("n1", json::object(), Cpu("1000")).On("n1", Devices(1));
    json claim = Claim("shared", {Request("r")});
    if (row.reserved > 0) {
      claim["status"] = Holding("shared", "gpu-0", {{"pool", "n1"}})["status"];
      claim["status"]["allocation"]["allocationTimestamp"] = "2026-01-01T00:00:00Z";
      claim["status"]["reservedFor"] = json::array();
      for (int i = 0; i < row.reserved; ++i)
        claim["status"]["reservedFor"].push_back({{"uid", "u" + std::to_string(i)}});
    }
    worker.Add(claim);
    dra::JudgeOptions options;
    if (row.assumed > 0) {
      options.assumed =
          Assumed(std::make_shared<const dra::PodDemand>(worker.Parse(kSharing)), row.assumed);
    }
    const auto judgement = worker.Judge({worker.Parse(kSharing, row.pods)}, options);
    CHECK(judgement.verdict.pods_fitting == row.fitting);
    CHECK(judgement.verdict.outcome == (row.fitting == row.pods ? Outcome::kYes : Outcome::kNo));
    if (*row.text == 0) continue;
    const verdict::Reason& last = judgement.verdict.reasons.back();
    CHECK(last.code == ReasonCode::kCapacityExhausted);
    CHECK(last.object == "ResourceClaim ml/shared");
    CHECK_THAT(verdict::MessageOf(last), ContainsSubstring(row.text));
  }
}

// ---- alternatives

struct AlternativeRow {
  const char* why;
  std::vector<std::pair<const char*, std::vector<const char*>>> nodes;  // name, kinds of devices
  int pods;
  std::vector<std::string> placed;
  std::vector<int> alternatives;
};

TEST_CASE("nodes come by the alternatives that they give, then by name") {
  const std::vector<AlternativeRow> rows = {
      {"first alternative later by name", {{"a1", {"old"}}, {"b1", {"new"}}}, 1, {"b1"}, {0}},
      {"first alternative first by name", {{"a1", {"new"}}, {"b1", {"old"}}}, 1, {"a1"}, {0}},
      {"as long as there are first ones",
       {{"a1", {"old", "old"}}, {"b1", {"new"}}, {"c1", {"new"}}},
       3,
       {"b1", "c1", "a1"},
       {1}},
      {"the worst of them is told", {{"a1", {"old"}}, {"b1", {"new"}}}, 2, {"b1", "a1"}, {1}},
      {"a node falls behind when its first ones are gone",
       {{"a1", {"new", "old"}}, {"b1", {"new"}}},
       3,
       {"a1", "b1", "a1"},
       {1}},
      {"equal alternatives go by name",
       {{"a1", {"odd"}}, {"b1", {"old"}}, {"c1", {"old"}}},
       2,
       {"b1", "c1"},
       {1}},
  };
  for (const AlternativeRow& row : rows) {
    INFO(row.why);
    Worker worker;
    for (const auto& [name, kinds] : row.nodes) {
      std::vector<json> devices;
      for (const char* value : kinds)
        devices.push_back(Device("d" + std::to_string(devices.size()), {{"kind", value}}));
      worker.Node(name).On(name, devices);
    }
    worker.Template("t",
                    {FirstAvailable("gpu", {RequestOfKind("a", "new"), RequestOfKind("b", "old"),
                                            RequestOfKind("c", "odd")})});
    const auto judgement = worker.Pods(row.pods, "t");
    CHECK(judgement.verdict.outcome == Outcome::kYes);
    CHECK(judgement.pod_sets[0].nodes == row.placed);
    CHECK(judgement.verdict.alternatives == row.alternatives);
  }
}

TEST_CASE("the sum over all requests counts, as kube-scheduler's score") {
  // a1: first and third alternative, b1: second and second... of equal sum; c1: first and second.
  Worker worker;
  worker.Node("a1").On("a1", {Device("x", {{"kind", "x1"}}), Device("y", {{"kind", "y3"}})});
  worker.Node("b1").On("b1", {Device("x", {{"kind", "x2"}}), Device("y", {{"kind", "y2"}})});
  worker.Node("c1").On("c1", {Device("x", {{"kind", "x1"}}), Device("y", {{"kind", "y2"}})});
  worker.Template("t", {FirstAvailable("x", {RequestOfKind("a", "x1"), RequestOfKind("b", "x2")}),
                        FirstAvailable("y", {RequestOfKind("a", "y1"), RequestOfKind("b", "y2"),
                                             RequestOfKind("c", "y3")})});
  CHECK(worker.Pods(3, "t").pod_sets[0].nodes == std::vector<std::string>{"c1", "a1", "b1"});
}

}  // namespace
}  // namespace fedra::test::placing_test
