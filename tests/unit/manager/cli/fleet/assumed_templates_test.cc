// Manifests of the input beside what the workers have.

#include "manager/cli/fleet/assumed_templates.h"

#include "manager/cli/fleet/fleet_facts.h"
#include "manager/report/job_verdict.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/cli/manifests/manifest_text.h"
#include "tests/unit/manager/cli/raw_cluster.h"
#include "verdict/reason_text.h"

namespace fedra::cli::assumed_templates_test {
namespace {

TEST_CASE("what the workers lack is a warning where a job is judged: the verdict decides") {
  const std::string lacking =
      "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\n"
      "metadata: {name: mine, namespace: ml}\n"
      "spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}], "
      "constraints: [{requests: [gpu], matchAttribute: gpu.example.com/nothing}]}}}\n";
  FleetWorkers workers;
  workers.push_back(MakeWorker(MakeCluster(), WorkerNamed("east")));
  for (const bool judged : {true, false}) {
    auto input = Read(judged ? kJob + lacking : lacking);
    REQUIRE(input.has_value());
    REQUIRE(input->findings.empty());
    CheckAgainstWorkers(FactsOf(workers), "", *input);
    REQUIRE(input->findings.size() == 1);
    CHECK(input->findings[0].severity == (judged ? Severity::kWarning : Severity::kNowhere));
  }
}

TEST_CASE("templates of the file count when they are assumed, and the report says so") {
  const TempFolder folder;
  const std::string file = folder.Write("job.yaml", kJob + kMine);
  const auto input = ReadCheckInput({file}, *tracking::BuiltInKinds(), "");
  REQUIRE(input.has_value());
  FleetWorkers workers;
  workers.push_back(MakeWorker(MakeCluster(), WorkerNamed("east")));
  const tracking::SubmittedJob& job = input->jobs[0].submitted.value();
  CHECK(JudgeEverywhere(job, workers)[0].verdict.outcome == verdict::Outcome::kNo);
  const AssumedTemplates assumed(*input, "", ObjectForm::kWhole, workers);
  report::JobVerdict verdict = JudgeEverywhere(job, workers)[0];
  CHECK(verdict.verdict.outcome == verdict::Outcome::kYes);
  assumed.Note(job, verdict);
  REQUIRE(verdict.verdict.reasons.size() == 1);
  CHECK(verdict::MessageOf(verdict.verdict.reasons[0]) ==
        "ResourceClaimTemplate ml/mine does not exist there; judged as if " + file +
            " (document 2) were created");
}

TEST_CASE("a template with a mistake is never assumed, nor is the job judged that names it") {
  std::string wrong = kMine;
  wrong.replace(wrong.find("deviceClassName"), 15, "deviceClas");
  const auto input = Read(kJob + wrong);
  REQUIRE(input.has_value());
  CHECK(ObjectsWithErrors(*input).contains("ResourceClaimTemplate ml/mine"));
  CHECK_FALSE(input->jobs[0].submitted.has_value());
  FleetWorkers workers;
  workers.push_back(MakeWorker(MakeCluster(), WorkerNamed("east")));
  const AssumedTemplates assumed(*input, "", ObjectForm::kWhole, workers);
  const auto alone = Read(kJob);
  REQUIRE(alone.has_value());
  REQUIRE(alone->jobs[0].submitted.has_value());
  CHECK(JudgeEverywhere(*alone->jobs[0].submitted, workers)[0].verdict.outcome ==
        verdict::Outcome::kNo);
}

}  // namespace
}  // namespace fedra::cli::assumed_templates_test
