#include "store/tables/job_groups.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "store/tables/reasons_text.h"

namespace fedra::store {
namespace {

// Takes no value that it does not name.
std::string NameOf(JobGrouping grouping, const JobSelection& selection,
                   const JobSelection::Part& part, Values& values) {
  switch (grouping) {
    case JobGrouping::kState:
      return selection.State(part, values);
    case JobGrouping::kReason:
      return "reasons";
    case JobGrouping::kWorker:
      return "worker";
    case JobGrouping::kQueue:
      return "job_ns || '/' || queue";
    case JobGrouping::kNamespace:
      break;
  }
  return "job_ns";
}

// One more job, a row of: state_since, job_ns, job_name.
class GroupCounter final {
 public:
  void Count(std::string_view name, WallTime since, std::string_view ns, std::string_view job) {
    auto found = groups_.find(name);
    if (found == groups_.end()) {
      found = groups_.emplace(name, JobGroup{std::string(name), 0, since, {}}).first;
      found->second.longest = {std::string(ns), std::string(job)};
    }
    JobGroup& group = found->second;
    ++group.jobs;
    const std::pair key(std::string_view(group.longest.ns), std::string_view(group.longest.name));
    if (std::tie(since, ns, job) >= std::tie(group.since, key.first, key.second)) return;
    group.since = since;
    group.longest = {std::string(ns), std::string(job)};
  }

  std::vector<JobGroup> Take() {
    std::vector<JobGroup> sorted;
    for (auto& [name, group] : groups_) sorted.push_back(std::move(group));
    std::ranges::sort(sorted, [](const JobGroup& a, const JobGroup& b) {
      return std::tie(b.jobs, a.name) < std::tie(a.jobs, b.name);
    });
    return sorted;
  }

 private:
  std::unordered_map<std::string, JobGroup, TextHash, std::equal_to<>> groups_;
};

}  // namespace

// Grouped here: SQLite would sort all jobs for it, and has no least of several columns.
Result<std::vector<JobGroup>> LoadJobGroups(Connection& db, const JobQuery& query,
                                            JobGrouping grouping, const ShownNamespaces& shown) {
  JobSelection selection(db, query, shown);
  FEDRA_RETURN_IF_ERROR(selection.Prepare());
  GroupCounter groups;
  const auto count = [&](Row& row) {
    const WallTime since = row.Time();
    const std::string_view ns = row.View();
    const std::string_view job = row.View();
    const std::string_view name = row.View();
    if (grouping != JobGrouping::kReason) return groups.Count(name, since, ns, job);
    ForEachReason(name, [&](std::string_view reason) { groups.Count(reason, since, ns, job); });
  };
  for (const JobSelection::Part& part : selection.Parts()) {
    Values values;
    const std::string name = NameOf(grouping, selection, part, values);
    const std::string from = selection.From(part, values);
    const std::string sql = fmt::format("SELECT {}, job_ns, job_name, {}{} AND {}",
                                        part.is_deleted ? "removed_at" : "state_since", name, from,
                                        selection.Listed(part, values));
    FEDRA_RETURN_IF_ERROR(db.QueryOnce(sql, values.all(), count));
  }
  return groups.Take();
}

}  // namespace fedra::store
