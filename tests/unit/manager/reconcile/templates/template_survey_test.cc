// What would be done about templates, for many workloads that wait for several AdmissionChecks.

#include "manager/reconcile/templates/template_survey.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::template_survey_test {

using nlohmann::json;

namespace {

json Template(const std::string& name) {
  const json request = {{"name", "gpu"}, {"exactly", {{"deviceClassName", "gpu.example.com"}}}};
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaimTemplate"},
          {"metadata", {{"name", name}, {"namespace", "ml"}}},
          {"spec", {{"spec", {{"devices", {{"requests", json::array({request})}}}}}}}};
}

json PodWith(const std::string& name) {
  return {
      {"resourceClaims", json::array({{{"name", "gpu"}, {"resourceClaimTemplateName", name}}})}};
}

// Another Workload like this one, which waits for the check.
void AddLike(sim::Objects& manager, const ObjectKey& first, const std::string& name,
             const std::string& check) {
  json workload = *manager.Get("workloads", first);
  json status = workload["status"];
  status["admissionChecks"][0]["name"] = check;
  workload["metadata"] = {{"name", name},
                          {"namespace", first.ns},
                          {"ownerReferences", workload["metadata"]["ownerReferences"]}};
  workload.erase("status");
  REQUIRE(manager.Create(workload));
  REQUIRE(manager.Patch("workloads", {first.ns, name}, {{"status", status}}, "status"));
}

// An AdmissionCheck of ours that means west only.
void AddWestOnly(sim::Objects& manager) {
  constexpr const char* kKueue = "kueue.x-k8s.io/v1beta2";
  REQUIRE(manager.Create({{"apiVersion", kKueue},
                          {"kind", "MultiKueueConfig"},
                          {"metadata", {{"name", "west"}}},
                          {"spec", {{"clusters", json::array({"west"})}}}}));
  REQUIRE(manager.Create(
      {{"apiVersion", kKueue},
       {"kind", "AdmissionCheck"},
       {"metadata", {{"name", "west-only"}}},
       {"spec",
        {{"controllerName", "fedra.dev/federation"},
         {"parameters",
          {{"apiGroup", "kueue.x-k8s.io"}, {"kind", "MultiKueueConfig"}, {"name", "west"}}}}}}));
}

std::vector<std::string> Lines(const templates::TemplateSurvey& survey) {
  std::vector<std::string> lines;
  for (const templates::TemplateStep& step : survey.steps) {
    lines.push_back(fmt::format("{} {} for {}", step.worker.value, step.key.name,
                                step.awaits ? step.awaits->name : "no workload"));
  }
  return lines;
}

}  // namespace

TEST_CASE("a template would come with the first of the workloads whose check allows the worker") {
  Connected fleet;
  sim::Objects& manager = fleet.manager_server().objects();
  REQUIRE(manager.Create(Template("two-gpus")));
  AddWestOnly(manager);
  const ObjectKey first{"ml", "job-m"};
  AddWaitingWorkload(fleet.manager_server(), first, PodWith("two-gpus"));
  AddLike(manager, first, "job-z", "fedra");
  AddLike(manager, first, "job-b", "west-only");
  AddLike(manager, first, "job-a", "of-another-controller");
  fleet.Start();

  CopyFailures failures;
  const Gatherer gatherer({.controller_name = "fedra.dev/federation", .us = {.origin = "fedra"}},
                          fleet.manager(), fleet.workers(), failures);
  const TemplateSettings settings{.mode = templates::SyncPolicy::kReconcile,
                                  .us = {.origin = "fedra"}};
  templates::TemplateSurvey survey;
  const auto is_whole = [&] {
    survey = SurveyTemplates(settings, fleet.manager(), fleet.workers(), gatherer);
    return survey.steps.size() == 2;
  };
  CHECK(fleet.WaitUntil(is_whole));
  CHECK(Lines(survey) ==
        std::vector<std::string>{"east two-gpus for job-m", "west two-gpus for job-b"});
}

}  // namespace fedra::reconcile::template_survey_test
