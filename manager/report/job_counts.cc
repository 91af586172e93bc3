#include "manager/report/job_counts.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "manager/report/document.h"
#include "manager/report/row_facts.h"
#include "manager/report/row_json.h"
#include "manager/report/status_document.h"

namespace fedra::report {
namespace {

using store::WorkloadRow;

using ReasonsByUid = std::map<std::string, std::set<std::string>>;

// The same as --reason chooses by.
ReasonsByUid AllReasons(const std::vector<store::VerdictRow>& verdicts) {
  ReasonsByUid reasons;
  for (const store::VerdictRow& verdict : verdicts)
    for (const verify::KeptReason& reason : ReasonsOf(verdict))
      reasons[verdict.uid].insert(reason.code);
  return reasons;
}

// The groups that a job is in.
std::set<std::string> NamesOf(const WorkloadRow& row, const std::string& by,
                              const ReasonsByUid& reasons) {
  if (by == "state") return {row.state};
  if (by == "worker") return {row.worker.value};
  if (by == "queue") return {row.job.ns + "/" + row.queue};
  if (by == "namespace") return {row.job.ns};
  const auto found = reasons.find(row.uid);
  return found == reasons.end() ? std::set<std::string>() : found->second;
}

}  // namespace

std::vector<JobGroup> GroupsOf(const StatusData& data, const Query& query) {
  Query all = query;
  all.jobs.limit = 0;
  all.jobs.after.reset();
  const std::string& by = query.jobs.group_by;
  const ReasonsByUid reasons = by == "reason" ? AllReasons(data.verdicts) : ReasonsByUid();
  std::map<std::string, JobGroup> groups;
  for (const WorkloadRow& row : JobsOf(data, all).shown) {
    for (const std::string& name : NamesOf(row, by, reasons)) {
      JobGroup& group = groups[name];
      if (group.jobs++ > 0 &&
          std::tie(group.since, group.longest) <= std::tie(row.state_since, row.job))
        continue;
      group.name = name;
      group.since = row.state_since;
      group.longest = row.job;
    }
  }
  std::vector<JobGroup> sorted;
  for (auto& [name, group] : groups) sorted.push_back(std::move(group));
  std::ranges::stable_sort(sorted, std::greater<>(), &JobGroup::jobs);
  return sorted;
}

nlohmann::ordered_json JobCountsDocument(const StatusData& data, const Query& query) {
  nlohmann::ordered_json document = Document("JobCounts", data.daemon, data.manager, query.now);
  document["groupBy"] = query.jobs.group_by;
  nlohmann::ordered_json& groups = document["groups"] = nlohmann::ordered_json::array();
  for (const JobGroup& group : GroupsOf(data, query)) {
    nlohmann::ordered_json& item = groups.emplace_back();
    item["name"] = group.name;
    item["jobs"] = group.jobs;
    PutTime(item, "longestSince", group.since);
    item["longest"] = {{"namespace", group.longest.ns}, {"name", group.longest.name}};
    if (query.jobs.group_by == "reason") item["remedy"] = RemedyOf(group.name);
  }
  return document;
}

}  // namespace fedra::report
