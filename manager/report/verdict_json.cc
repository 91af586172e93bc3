// A JobReport for programs: everything that the text says, and the counts behind it.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/report/job_report.h"
#include "manager/verify/facts_json.h"
#include "manager/verify/reason_json.h"
#include "verdict/reason_text.h"

namespace fedra::report {
namespace {

using nlohmann::ordered_json;
using verdict::Outcome;

ordered_json AsJson(const dra::RequestReport& request) {
  ordered_json object = {{"claim", request.claim},
                         {"request", request.request},
                         {"deviceClass", request.device_class}};
  if (request.all) {
    object["all"] = true;
  } else {
    object["count"] = request.wanted;
  }
  object["devices"] = request.devices;
  object["free"] = request.free;
  object["mostOnOneNode"] = request.most_on_one_node;
  ordered_json& holders = object["holders"] = ordered_json::array();
  for (const verdict::Holder& holder : request.holders) holders.push_back(verdict::NameOf(holder));
  const verdict::DeviceCounts counts = request.Counts();
  object["counts"] = verify::CountsJson(counts.parts);
  object["text"] = verdict::CountsText(counts);
  return object;
}

ordered_json AsJson(const dra::PodSetReport& pod_set) {
  ordered_json requests = ordered_json::array();
  for (const dra::RequestReport& request : pod_set.requests) requests.push_back(AsJson(request));
  ordered_json object = {{"name", pod_set.name},
                         {"podsWanted", pod_set.wanted},
                         {"podsFitting", pod_set.fitting},
                         {"nodes", pod_set.nodes},
                         {"nearestNode", pod_set.nearest}};
  if (pod_set.obstacle) {
    object["obstacle"] = {{"message", verdict::MessageOf(*pod_set.obstacle)},
                          {"facts", verify::FactsJson(*pod_set.obstacle)}};
  }
  if (pod_set.new_nodes) object["newNodes"] = verify::NewNodesJson(*pod_set.new_nodes);
  object["requests"] = std::move(requests);
  return object;
}

ordered_json AsJson(const NamedAlternative& chosen) {
  ordered_json object = {{"number", chosen.index + 1}};
  if (chosen.request.empty()) return object;
  object["podSet"] = chosen.pod_set;
  object["claim"] = chosen.claim;
  object["request"] = chosen.request;
  object["name"] = chosen.name;
  return object;
}

ordered_json AsJson(const std::vector<VerdictNote>& notes) {
  ordered_json list = ordered_json::array();
  for (const VerdictNote& note : notes) {
    list.push_back({{"object", note.object}, {"message", note.message}, {"remedy", note.remedy}});
  }
  return list;
}

ordered_json AsJson(const JobVerdict& item) {
  ordered_json reasons = ordered_json::array();
  for (const verdict::Reason& reason : item.verdict.reasons)
    reasons.push_back(verify::ReasonJson(reason));
  ordered_json object = {{"name", item.worker.value},
                         {"verdict", verdict::ToString(item.verdict.outcome)},
                         {"reasons", std::move(reasons)}};
  if (!item.notes.empty()) object["notes"] = AsJson(item.notes);
  if (!item.devices_judged) return object;
  object["podsWanted"] = item.verdict.pods_wanted;
  object["podsFitting"] = item.verdict.pods_fitting;
  object["headroom"] = item.verdict.headroom;
  ordered_json alternatives = ordered_json::array();
  for (const NamedAlternative& chosen : item.alternatives) alternatives.push_back(AsJson(chosen));
  object["alternatives"] = std::move(alternatives);
  ordered_json pod_sets = ordered_json::array();
  for (const dra::PodSetReport& pod_set : item.pod_sets) pod_sets.push_back(AsJson(pod_set));
  object["podSets"] = std::move(pod_sets);
  return object;
}

std::string_view ResultOf(const JobReport& report) {
  if (!report.judged) return "NotJudged";
  const Outcome best = BestOutcome(report);
  if (best == Outcome::kYes || best == Outcome::kMayScale) return "Placeable";
  return best == Outcome::kNo ? "Nowhere" : "Unknown";
}

}  // namespace

ordered_json ToJson(const JobReport& report) {
  ordered_json workers = ordered_json::array();
  for (const JobVerdict& item : report.verdicts) workers.push_back(AsJson(item));
  ordered_json preferred = ordered_json::array();
  for (const ClusterName& worker : PreferredWorkers(report)) preferred.push_back(worker.value);
  ordered_json object = {
      {"job", {{"kind", report.kind}, {"namespace", report.job.ns}, {"name", report.job.name}}},
      {"result", ResultOf(report)}};
  if (!report.note.empty()) object["note"] = report.note;
  object["preferredWorkers"] = std::move(preferred);
  object["workers"] = std::move(workers);
  return object;
}

}  // namespace fedra::report
