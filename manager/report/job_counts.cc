#include "manager/report/job_counts.h"

#include <nlohmann/json.hpp>

#include "manager/report/document.h"
#include "manager/report/row_facts.h"
#include "manager/report/row_json.h"

namespace fedra::report {
nlohmann::ordered_json JobCountsDocument(const StatusData& data, const Query& query) {
  nlohmann::ordered_json document = Document("JobCounts", data.daemon, data.manager, query.now);
  document["groupBy"] = ToString(query.jobs.grouping.value());
  nlohmann::ordered_json& groups = document["groups"] = nlohmann::ordered_json::array();
  for (const store::JobGroup& group : data.groups) {
    nlohmann::ordered_json& item = groups.emplace_back();
    item["name"] = group.name;
    item["jobs"] = group.jobs;
    PutTime(item, "longestSince", group.since);
    item["longest"] = {{"namespace", group.longest.ns}, {"name", group.longest.name}};
    if (query.jobs.grouping == store::JobGrouping::kReason) item["remedy"] = RemedyOf(group.name);
  }
  return document;
}

}  // namespace fedra::report
