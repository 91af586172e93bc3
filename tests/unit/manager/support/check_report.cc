#include "tests/unit/manager/support/check_report.h"

#include <nlohmann/json.hpp>

#include "manager/report/as_of.h"
#include "manager/report/document.h"
#include "tests/unit/manager/report/rows.h"

namespace fedra::testing {
namespace {

dra::RequestReport FullRequest() {
  dra::RequestReport request;
  request.claim = "gpu";
  request.request = "one";
  request.device_class = "gpu";
  request.wanted = 1;
  request.devices = 4;
  request.taints = {
      {.rule = verdict::Rule::kTaint, .devices = 1, .detail = "NoSchedule maintenance"}};
  request.allocated = 1;
  request.claims = {{"ml", "held"}};
  request.all_claims = 1;
  request.holders = {{true, {"ml", "serve"}}};
  request.capacity = 1;
  verdict::CapacityNeed& need = request.shortage.emplace();
  need.capacity = "memory";
  need.device = "gpu-0";
  request.free = 1;
  request.most_on_one_node = 1;
  return request;
}

dra::PodSetReport FullPodSet() {
  dra::PodSetReport pods;
  pods.name = "main";
  pods.wanted = 2;
  pods.fitting = 1;
  pods.nodes = {"node-a"};
  pods.nearest = "node-b";
  pods.requests = {FullRequest(), FullRequest()};
  pods.requests.back().all = true;
  pods.obstacle = verdict::JointShortage{};
  pods.new_nodes = verdict::NewNodes{.nodes = 1, .devices = {{"gpu", 8}}, .labels = {{"a", "b"}}};
  return pods;
}

}  // namespace

report::JobReport FullJobReport() {
  report::JobVerdict item;
  item.worker = ClusterName("east");
  item.verdict.outcome = verdict::Outcome::kYes;
  item.verdict.pods_wanted = 2;
  item.verdict.pods_fitting = 1;
  item.notes = {{"Job ml/train", "a message", "a remedy"}};
  item.devices_judged = true;
  item.pod_sets = {FullPodSet()};
  item.alternatives = {{"main", "gpu", "one", "large", 0, 2}};
  return {.kind = "Job",
          .job = {"ml", "train"},
          .verdicts = {std::move(item)},
          .note = "it is there already"};
}

nlohmann::ordered_json FullCheckReport() {
  store::HeartbeatRow standby = report::Beat(std::chrono::seconds(1));
  standby.role = store::kStandbyRole;
  standby.identity = "fedra-1";
  const report::AsOf as_of{report::kNow, {}, standby};
  nlohmann::ordered_json document = report::Document("CheckReport", as_of);
  report::PutTime(document["lines"], "asOf", report::kNow);
  document["lines"]["current"] = true;
  document["note"] = "1 of 2 jobs can run";
  document["findings"] = {{{"severity", "warning"},
                           {"file", "job.yaml"},
                           {"document", 1},
                           {"line", 2},
                           {"column", 3},
                           {"object", "Job ml/train"},
                           {"path", "spec"},
                           {"message", "is odd"},
                           {"hint", "leave it out"}}};
  document["skipped"] = {"job.yaml: ConfigMap ml/a"};
  document["items"] = nlohmann::ordered_json::array({report::ToJson(FullJobReport())});
  return document;
}

}  // namespace fedra::testing
