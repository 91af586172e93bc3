#include "store/tables/job_lists.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "store/tables/workloads.h"

namespace fedra::store {
namespace {

constexpr std::string_view kByName = "ns_order, name_order, created_at, uid";
// In the order of places: behind all of them.
constexpr uint64_t kNoPlace = uint64_t{1} << 32;

// What one query takes; lives as long as a call.
class JobList final {
 public:
  JobList(Connection& db, const JobQuery& query, const ShownNamespaces& shown)
      : db_(db), query_(query), selection_(db, query, shown) {}

  Result<JobPage> Page();

 private:
  using Part = JobSelection::Part;
  using Parts = std::vector<Part>;

  uint64_t RankOf(const std::string& state) const;
  uint64_t RankOf(const Part& part) const;
  // The parts again, those of living jobs by their states.
  Parts ByState() const;
  std::string InLine(const Part& part, Values& values) const;
  std::string LeadingKey(const Part& part, Values& values) const;
  std::string Behind(const Part& part, const JobKey& key, Values& values) const;

  Result<std::vector<JobKey>> KeysOf(const Part& part, const std::optional<JobKey>& after,
                                     size_t limit);
  Result<std::vector<JobKey>> Merged(const Parts& parts, const std::optional<JobKey>& after,
                                     size_t limit);
  Result<std::vector<JobKey>> KeysByState();
  Result<std::vector<JobKey>> Keys();
  // Adds up over the parts what is listed, and of that what is behind the page.
  struct Listed {
    size_t all = 0;
    size_t beyond = 0;
  };
  Result<void> Count(const Part& part, bool looks_behind, JobPage& page, Listed& listed);
  Result<void> Count(JobPage& page);

  Connection& db_;
  const JobQuery& query_;
  JobSelection selection_;
};

uint64_t JobList::RankOf(const std::string& state) const {
  const auto living = query_.states.find(state);
  return living == query_.states.end() ? query_.deleted->rank : living->second;
}

// Of one state, or of the first of several.
uint64_t JobList::RankOf(const Part& part) const {
  return part.is_deleted ? query_.deleted->rank : query_.states.at(part.states.front());
}

JobList::Parts JobList::ByState() const {
  Parts by_state;
  for (const Part& part : selection_.Parts()) {
    if (part.is_deleted) by_state.push_back(part);
    for (const std::string& state : part.states) by_state.push_back({.states = {state}});
  }
  return by_state;
}

// Of kLine: the best place of those that are in line.
std::string JobList::InLine(const Part& part, Values& values) const {
  const auto behind_all = [&](uint64_t rank) {
    return values.Add(static_cast<int64_t>(kNoPlace + std::min<uint64_t>(rank, kNoPlace)));
  };
  if (part.is_deleted) return behind_all(query_.deleted->rank);
  std::string rank =
      "coalesce((SELECT min(max(place, 0)) FROM places p WHERE p.uid = w.uid), CASE state";
  for (const std::string& state : part.states) {
    const std::string name = values.Add(state);
    rank += fmt::format(" WHEN {} THEN {}", name, behind_all(query_.states.at(state)));
  }
  return rank + " END)";
}

// What comes before the name in the key; empty: nothing, as far as one state goes.
std::string JobList::LeadingKey(const Part& part, Values& values) const {
  switch (query_.order) {
    case JobOrder::kLine:
      return InLine(part, values);
    case JobOrder::kAge:
      return "created_at";
    case JobOrder::kWorker:
      return "natural_order(worker)";
    case JobOrder::kQueue:
      return "natural_order(queue)";
    case JobOrder::kEnded:
      return part.is_deleted ? "-removed_at" : "-coalesce(finished_at, 0)";
    case JobOrder::kState:
      if (part.is_deleted) return "-removed_at";
      break;
    case JobOrder::kName:
      break;
  }
  return {};
}

// The job's place is behind the key's, of kState among those of the same rank.
std::string JobList::Behind(const Part& part, const JobKey& key, Values& values) const {
  std::string leading = LeadingKey(part, values);
  std::string of_key;
  if (!leading.empty()) {
    if (query_.order == JobOrder::kLine)
      of_key = values.Add(static_cast<int64_t>(key.rank));
    else if (query_.order == JobOrder::kWorker || query_.order == JobOrder::kQueue)
      of_key = values.Add(key.text);
    else
      of_key = values.Add(key.age);
    leading += ", ";
    of_key += ", ";
  }
  return fmt::format("({}{}) > ({}{}, {}, {}, {})", leading, kByName, of_key, values.Add(key.ns),
                     values.Add(key.name), values.Add(key.created_at), values.Add(key.uid));
}

// Of these jobs, which have one rank.
Result<std::vector<JobKey>> JobList::KeysOf(const Part& part, const std::optional<JobKey>& after,
                                            size_t limit) {
  Values values;
  const std::string leading = LeadingKey(part, values);
  const std::string from = selection_.From(part, values);
  std::string sql = fmt::format("SELECT {}, {}{} AND {}", leading.empty() ? "0" : leading, kByName,
                                from, selection_.Listed(part, values));
  if (after) sql += " AND " + Behind(part, *after, values);
  sql += fmt::format(" ORDER BY {}{}", leading.empty() ? "" : "1, ", kByName);
  if (limit != 0) sql += " LIMIT " + values.Add(static_cast<int64_t>(limit));
  const uint64_t rank = RankOf(part);
  std::vector<JobKey> keys;
  FEDRA_RETURN_IF_ERROR(db_.QueryOnce(sql, values.all(), [&](Row& row) {
    JobKey& key = keys.emplace_back();
    if (query_.order == JobOrder::kState) key.rank = rank;
    if (query_.order == JobOrder::kWorker || query_.order == JobOrder::kQueue) {
      key.text = row.Text();
    } else {
      const int64_t number = row.Integer();
      if (query_.order == JobOrder::kLine)
        key.rank = static_cast<uint64_t>(number);
      else
        key.age = number;
    }
    key.ns = row.Text();
    key.name = row.Text();
    key.created_at = row.Integer();
    key.uid = row.Text();
  }));
  return keys;
}

// The index has the jobs of each state by name: where only that counts, no more of them are read
// than are listed.
Result<std::vector<JobKey>> JobList::Merged(const Parts& parts, const std::optional<JobKey>& after,
                                            size_t limit) {
  std::vector<JobKey> merged;
  for (const Part& part : parts) {
    FEDRA_ASSIGN_OR_RETURN(std::vector<JobKey> keys, KeysOf(part, after, limit));
    std::ranges::move(keys, std::back_inserter(merged));
  }
  if (parts.size() > 1) std::ranges::sort(merged);
  if (limit != 0 && merged.size() > limit) merged.resize(limit);
  return merged;
}

Result<std::vector<JobKey>> JobList::KeysByState() {
  std::map<uint64_t, Parts> by_rank;
  Parts by_state = ByState();
  for (Part& part : by_state) by_rank[RankOf(part)].push_back(std::move(part));
  std::vector<JobKey> all;
  for (const auto& [rank, parts] : by_rank) {
    if (query_.after && rank < query_.after->rank) continue;
    const bool goes_on_here = query_.after && rank == query_.after->rank;
    const size_t left = query_.limit == 0 ? 0 : query_.limit - all.size();
    FEDRA_ASSIGN_OR_RETURN(std::vector<JobKey> keys,
                           Merged(parts, goes_on_here ? query_.after : std::nullopt, left));
    std::ranges::move(keys, std::back_inserter(all));
    if (query_.limit != 0 && all.size() >= query_.limit) break;
  }
  return all;
}

Result<std::vector<JobKey>> JobList::Keys() {
  if (query_.order == JobOrder::kState) return KeysByState();
  const bool is_by_name = query_.order == JobOrder::kName;
  return Merged(is_by_name ? ByState() : selection_.Parts(), query_.after, query_.limit);
}

Result<void> JobList::Count(const Part& part, bool looks_behind, JobPage& page, Listed& listed) {
  Values values;
  const std::string state = selection_.State(part, values);
  const std::string is_listed = selection_.Listed(part, values);
  const std::string behind =
      looks_behind ? fmt::format("sum({} AND {})", is_listed, Behind(part, *page.last, values))
                   : "0";
  // By number: a value in its place would be another expression.
  const std::string sql = fmt::format("SELECT {}, count(*), sum({}), {}{} GROUP BY 1", state,
                                      is_listed, behind, selection_.From(part, values));
  return db_.QueryOnce(sql, values.all(), [&](Row& row) {
    std::string name = row.Text();
    const auto all = static_cast<size_t>(row.Integer());
    const auto of_list = static_cast<size_t>(row.Integer());
    const auto farther = static_cast<size_t>(row.Integer());
    const uint64_t rank = RankOf(name);
    listed.all += of_list;
    page.ended += all - of_list;
    if (!looks_behind || query_.order != JobOrder::kState || rank == page.last->rank)
      listed.beyond += farther;
    else if (rank > page.last->rank)
      listed.beyond += of_list;
    page.matching.emplace(std::move(name), all);
  });
}

Result<void> JobList::Count(JobPage& page) {
  // On the first page what is behind it is what is not on it.
  const bool is_full = query_.limit != 0 && page.rows.size() >= query_.limit;
  const bool looks_behind = is_full && query_.after;
  Listed listed;
  for (const Part& part : selection_.Parts())
    FEDRA_RETURN_IF_ERROR(Count(part, looks_behind, page, listed));
  if (is_full) page.beyond = looks_behind ? listed.beyond : listed.all - page.rows.size();
  return {};
}

Result<JobPage> JobList::Page() {
  JobPage page;
  if (selection_.Parts().empty()) return page;
  FEDRA_RETURN_IF_ERROR(db_.AddNaturalOrder());
  FEDRA_RETURN_IF_ERROR(selection_.Prepare());
  FEDRA_ASSIGN_OR_RETURN(std::vector<JobKey> keys, Keys());
  page.rows.reserve(keys.size());
  for (const JobKey& key : keys) {
    FEDRA_ASSIGN_OR_RETURN(std::optional<WorkloadRow> row, LoadWorkloadOrDeleted(db_, key.uid));
    if (row) page.rows.push_back(*std::move(row));
  }
  if (!keys.empty()) page.last = std::move(keys.back());
  FEDRA_RETURN_IF_ERROR(Count(page));
  return page;
}

// All living, or deleted, jobs that are shown.
Result<void> OfShown(Connection& db, std::string_view what, bool is_deleted,
                     const ShownNamespaces& shown, const std::function<void(Row&)>& each) {
  if (shown && shown->empty()) return {};
  Values values;
  const std::string from = FromShown(is_deleted, shown, values);
  return db.QueryOnce(fmt::format("SELECT {}{}", what, from), values.all(), each);
}

}  // namespace

Result<JobPage> LoadJobPage(Connection& db, const JobQuery& query, const ShownNamespaces& shown) {
  return JobList(db, query, shown).Page();
}

Result<std::vector<std::string>> LoadJobStates(Connection& db) {
  std::vector<std::string> states;
  // From one state to the next: what is between is not read.
  FEDRA_RETURN_IF_ERROR(
      db.Query("WITH RECURSIVE s (state) AS ("
               " SELECT min(state) FROM workloads WHERE removed_at IS NULL UNION ALL"
               " SELECT (SELECT min(state) FROM workloads"
               " WHERE removed_at IS NULL AND state > s.state) FROM s WHERE s.state IS NOT NULL)"
               " SELECT state FROM s WHERE state IS NOT NULL",
               {}, [&](Row& row) { states.push_back(row.Text()); }));
  return states;
}

Result<std::set<std::string>> LoadJobWorkers(Connection& db, const ShownNamespaces& shown) {
  std::set<std::string> workers;
  for (const bool is_deleted : {false, true})
    FEDRA_RETURN_IF_ERROR(OfShown(db, "DISTINCT worker", is_deleted, shown, [&](Row& row) {
      std::string worker = row.Text();
      if (!worker.empty()) workers.insert(std::move(worker));
    }));
  return workers;
}

Result<std::vector<ObjectKey>> LoadJobNames(Connection& db, const ShownNamespaces& shown) {
  std::vector<ObjectKey> names;
  FEDRA_RETURN_IF_ERROR(OfShown(db, "job_ns, job_name", /*is_deleted=*/false, shown,
                                [&](Row& row) { names.push_back(row.Key()); }));
  std::ranges::sort(names);
  return names;
}

}  // namespace fedra::store
