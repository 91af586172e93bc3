#include "manager/report/status_document.h"

#include <map>

#include <nlohmann/json.hpp>

#include "manager/report/document.h"
#include "manager/report/freshness.h"
#include "manager/report/line.h"
#include "manager/report/row_facts.h"
#include "manager/report/row_json.h"
#include "manager/report/row_states.h"
#include "manager/verify/capabilities.h"

namespace fedra::report {
namespace {

using nlohmann::ordered_json;
using store::ClusterRow;
using store::WorkloadRow;

std::string_view KindOf(Parts parts) {
  switch (parts) {
    case Parts::kWorkers:
      return "WorkerReport";
    case Parts::kJobs:
      return "JobReport";
    case Parts::kBoth:
      break;
  }
  return "StatusReport";
}

ordered_json WorkerJson(const ClusterRow& row, const StatusData& data) {
  ordered_json object = {{"name", row.name.value}, {"state", row.phase}};
  if (row.is_removed) object["removed"] = true;
  if (!row.cordon.empty()) object["cordon"] = row.cordon;
  PutTime(object, "since", row.phase_since);
  object["why"] = row.why;
  PutTime(object, "lostSince", row.lost_since);
  PutTime(object, "lastContact", row.last_contact);
  object["kubernetesVersion"] = row.kubernetes_version;
  object["draVersion"] = row.dra_version;
  if (const auto capabilities = verify::ParseCapabilities(row.capabilities_json))
    object["capabilities"] = verify::ToJson(*capabilities);
  verify::PutCapacity(object, CapacityOf(row));
  const auto on = [&](const std::map<ClusterName, size_t>& counts) {
    const auto found = counts.find(row.name);
    return found == counts.end() ? size_t{0} : found->second;
  };
  if (KnowsJobs(data)) {
    object["jobs"] = on(data.jobs_on);
    object["jobsLeftBehind"] = on(data.left_on);
  }
  object["note"] = row.note;
  return object;
}

using VerdictsByJob = std::map<std::string, std::vector<store::VerdictRow>>;

VerdictsByJob ByJob(const std::vector<store::VerdictRow>& verdicts) {
  VerdictsByJob of_job;
  for (const store::VerdictRow& verdict : verdicts) of_job[verdict.uid].push_back(verdict);
  return of_job;
}

// With its place in line, and of a blocked job the first reason of each worker, counted, and the
// workers that it waits for.
ordered_json JobJson(const WorkloadRow& row, const VerdictsByJob& verdicts,
                     const PlacesByUid& places, const FindJob& first) {
  ordered_json object = ToJson(row);
  if (const auto in_line = places.find(row.uid); in_line != places.end())
    object["line"] = LineJson(in_line->second, first);
  const auto known = verdicts.find(row.uid);
  if (PhaseOf(row) != placement::Phase::kBlocked || known == verdicts.end()) return object;
  ordered_json& list = object["reasons"] = ordered_json::array();
  for (const ReasonCount& count : CountCodes(known->second))
    list.push_back({{"code", count.code}, {"workers", count.workers}});
  if (const std::vector<std::string> busy = BusyWorkers(known->second); !busy.empty())
    object["waitsForWorkers"] = busy;
  return object;
}

}  // namespace

PlacesByUid InLine(const StatusData& data) {
  PlacesByUid places;
  for (const store::PlaceRow& row : data.places) places[row.uid].push_back(row);
  return places;
}

ordered_json StatusDocument(Parts parts, const StatusData& data, const Query& query) {
  ordered_json document = Document(KindOf(parts), data.daemon, data.manager, query.now);
  if (HasWorkers(parts)) {
    document["workers"] = ordered_json::array();
    for (const ClusterRow& row : data.clusters)
      document["workers"].push_back(WorkerJson(row, data));
  }
  if (HasJobs(parts)) {
    document["jobs"] = ordered_json::array();
    const ChosenJobs& jobs = data.jobs;
    const VerdictsByJob verdicts = ByJob(data.verdicts);
    const PlacesByUid places = InLine(data);
    const FindJob first = [&](const std::string& key) -> const WorkloadRow* {
      const auto found = data.first.find(key);
      return found == data.first.end() ? nullptr : &found->second;
    };
    for (const WorkloadRow& row : jobs.shown)
      document["jobs"].push_back(JobJson(row, verdicts, places, first));
    document["remaining"] = jobs.beyond_limit;
    if (!jobs.go_on.empty()) document["continue"] = jobs.go_on;
    document["ended"] = jobs.ended;
  }
  return document;
}

}  // namespace fedra::report
