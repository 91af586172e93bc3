#include "store/tables/job_lists.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/natural_order.h"
#include "store/tables/workloads.h"

namespace fedra::store {
namespace {

constexpr std::string_view kFrom = " FROM workloads w INDEXED BY workloads_listed WHERE ";
constexpr std::string_view kByName = "ns_order, name_order, created_at, uid";
// In the order of places: behind all of them.
constexpr uint64_t kNoPlace = uint64_t{1} << 32;

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// SQLite takes no index for what is never true, not even one that it is told to take.
bool ShowsNone(const ShownNamespaces& shown) { return shown && shown->empty(); }
bool IsOfNone(const JobQuery& query, const ShownNamespaces& shown) {
  return query.states.empty() || ShowsNone(shown);
}

// A statement's values, which its text names by number. Refers to what it gets, but for Own().
class Values final {
 public:
  std::string Add(Value value) {
    values_.push_back(value);
    return fmt::format("?{}", values_.size());
  }
  std::string Own(std::string text) { return Add(texts_.emplace_back(std::move(text))); }
  std::string AddAll(const auto& list) {
    std::vector<std::string> names;
    for (const auto& each : list) names.push_back(Add(each));
    return fmt::format("({})", fmt::join(names, ", "));
  }
  // Not beside a call that adds: the order of arguments is nobody's.
  const std::vector<Value>& all() const { return values_; }

 private:
  std::vector<Value> values_;
  std::deque<std::string> texts_;
};

// What one query takes; lives as long as a call.
class JobList final {
 public:
  JobList(Connection& db, const JobQuery& query, const ShownNamespaces& shown)
      : db_(db), query_(query), shown_(shown) {
    for (const auto& [state, rank] : query.states) states_.push_back(state);
  }

  // First of all: finds those with the labels.
  Result<void> Choose();
  Result<JobPage> Page();
  Result<std::vector<JobGroup>> Groups(JobGrouping grouping);

 private:
  using States = std::vector<std::string>;

  std::string Where(const States& states, Values& values) const;
  std::string Listed(Values& values) const;
  std::string Rank(Values& values) const;
  std::string LeadingKey(Values& values) const;
  std::string Behind(const JobKey& key, Values& values) const;

  Result<std::vector<JobKey>> KeysOf(const States& states, const std::optional<JobKey>& after,
                                     size_t limit);
  Result<std::vector<JobKey>> Merged(const States& states, const std::optional<JobKey>& after,
                                     size_t limit);
  Result<std::vector<JobKey>> KeysByState();
  Result<std::vector<JobKey>> Keys();
  Result<void> Count(JobPage& page);

  Connection& db_;
  const JobQuery& query_;
  const ShownNamespaces& shown_;
  States states_;
};

// Whatever is not listed, too.
std::string JobList::Where(const States& states, Values& values) const {
  std::string where = "removed_at IS NULL AND state IN " + values.AddAll(states);
  const auto any = [&](std::string_view column, const std::vector<std::string>& wanted) {
    return fmt::format("{} IN {}", column, values.AddAll(wanted));
  };
  if (!query_.ns.empty())
    where += fmt::format(" AND ns_order = {} AND job_ns = {}",
                         values.Own(InNaturalOrder(query_.ns)), values.Add(query_.ns));
  if (shown_) where += " AND job_ns IN " + values.AddAll(*shown_);
  if (!query_.workers.empty()) where += " AND " + any("worker", query_.workers);
  if (!query_.queues.empty())
    where += fmt::format(" AND ({} OR {})", any("queue", query_.queues),
                         any("job_ns || '/' || queue", query_.queues));
  std::string with_reason;
  for (const std::string& reason : query_.reasons)
    with_reason += fmt::format("{}instr(reasons, {})", with_reason.empty() ? "" : " OR ",
                               values.Own(" " + reason + " "));
  if (!with_reason.empty()) where += fmt::format(" AND ({})", with_reason);
  if (query_.labels) where += " AND is_chosen(uid)";
  return where;
}

std::string JobList::Listed(Values& values) const {
  return query_.ended_before
             ? fmt::format("coalesce(finished_at >= {}, 1)", values.Add(*query_.ended_before))
             : "1";
}

// Of kLine: the best place of those that are in line.
std::string JobList::Rank(Values& values) const {
  std::string rank =
      "coalesce((SELECT min(max(place, 0)) FROM places p WHERE p.uid = w.uid), CASE state";
  for (const auto& [state, of_state] : query_.states)
    rank += fmt::format(
        " WHEN {} THEN {}", values.Add(state),
        values.Add(static_cast<int64_t>(kNoPlace + std::min<uint64_t>(of_state, kNoPlace))));
  return rank + " END)";
}

// What comes before the name in the key; empty: nothing, as far as one state goes.
std::string JobList::LeadingKey(Values& values) const {
  switch (query_.order) {
    case JobOrder::kLine:
      return Rank(values);
    case JobOrder::kAge:
      return "created_at";
    case JobOrder::kWorker:
      return "natural_order(worker)";
    case JobOrder::kQueue:
      return "natural_order(queue)";
    case JobOrder::kState:
    case JobOrder::kName:
      break;
  }
  return {};
}

// The job's place is behind the key's, of kState among those of the same rank.
std::string JobList::Behind(const JobKey& key, Values& values) const {
  std::string leading = LeadingKey(values);
  std::string of_key;
  if (query_.order == JobOrder::kLine) of_key = values.Add(static_cast<int64_t>(key.rank));
  if (query_.order == JobOrder::kAge) of_key = values.Add(key.age);
  if (query_.order == JobOrder::kWorker || query_.order == JobOrder::kQueue)
    of_key = values.Add(key.text);
  if (!leading.empty()) {
    leading += ", ";
    of_key += ", ";
  }
  return fmt::format("({}{}) > ({}{}, {}, {}, {})", leading, kByName, of_key, values.Add(key.ns),
                     values.Add(key.name), values.Add(key.created_at), values.Add(key.uid));
}

Result<void> JobList::Choose() {
  if (!query_.labels) return {};
  using Uids = std::unordered_set<std::string, TextHash, std::equal_to<>>;
  const auto chosen = std::make_shared<Uids>();
  Values values;
  // In the order of the rows, so that each page of the table is read once.
  JobQuery whatever_labels = query_;
  whatever_labels.labels = nullptr;
  const std::string where = JobList(db_, whatever_labels, shown_).Where(states_, values);
  FEDRA_RETURN_IF_ERROR(db_.QueryOnce(
      fmt::format("SELECT t.uid, t.labels_json FROM (SELECT uid{}{} ORDER BY uid LIMIT -1) f"
                  " CROSS JOIN workloads t ON t.uid = f.uid",
                  kFrom, where),
      values.all(), [&](Row& row) {
        std::string uid = row.Text();
        if (query_.labels(row.View())) chosen->insert(std::move(uid));
      }));
  return db_.AddTest("is_chosen", [chosen](std::string_view uid) { return chosen->contains(uid); });
}

// Of these states, which have one rank.
Result<std::vector<JobKey>> JobList::KeysOf(const States& states,
                                            const std::optional<JobKey>& after, size_t limit) {
  Values values;
  const std::string leading = LeadingKey(values);
  std::string sql = fmt::format("SELECT {}, {}{}{} AND {}", leading.empty() ? "0" : leading,
                                kByName, kFrom, Where(states, values), Listed(values));
  if (after) sql += " AND " + Behind(*after, values);
  sql += fmt::format(" ORDER BY {}{}", leading.empty() ? "" : "1, ", kByName);
  if (limit != 0) sql += " LIMIT " + values.Add(static_cast<int64_t>(limit));
  std::vector<JobKey> keys;
  FEDRA_RETURN_IF_ERROR(db_.QueryOnce(sql, values.all(), [&](Row& row) {
    JobKey& key = keys.emplace_back();
    if (query_.order == JobOrder::kState) key.rank = query_.states.at(states.front());
    if (query_.order == JobOrder::kWorker || query_.order == JobOrder::kQueue) {
      key.text = row.Text();
    } else {
      const int64_t number = row.Integer();
      if (query_.order == JobOrder::kLine) key.rank = static_cast<uint64_t>(number);
      if (query_.order == JobOrder::kAge) key.age = number;
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
Result<std::vector<JobKey>> JobList::Merged(const States& states,
                                            const std::optional<JobKey>& after, size_t limit) {
  std::vector<JobKey> merged;
  for (const std::string& state : states) {
    FEDRA_ASSIGN_OR_RETURN(std::vector<JobKey> keys, KeysOf({state}, after, limit));
    std::ranges::move(keys, std::back_inserter(merged));
  }
  if (states.size() > 1) std::ranges::sort(merged);
  if (limit != 0 && merged.size() > limit) merged.resize(limit);
  return merged;
}

Result<std::vector<JobKey>> JobList::KeysByState() {
  std::map<uint64_t, States> by_rank;
  for (const auto& [state, rank] : query_.states) by_rank[rank].push_back(state);
  std::vector<JobKey> all;
  for (const auto& [rank, states] : by_rank) {
    if (query_.after && rank < query_.after->rank) continue;
    const bool goes_on_here = query_.after && rank == query_.after->rank;
    const size_t left = query_.limit == 0 ? 0 : query_.limit - all.size();
    FEDRA_ASSIGN_OR_RETURN(std::vector<JobKey> keys,
                           Merged(states, goes_on_here ? query_.after : std::nullopt, left));
    std::ranges::move(keys, std::back_inserter(all));
    if (query_.limit != 0 && all.size() >= query_.limit) break;
  }
  return all;
}

Result<std::vector<JobKey>> JobList::Keys() {
  if (query_.order == JobOrder::kState) return KeysByState();
  if (query_.order == JobOrder::kName) return Merged(states_, query_.after, query_.limit);
  return KeysOf(states_, query_.after, query_.limit);
}

Result<void> JobList::Count(JobPage& page) {
  // On the first page what is behind it is what is not on it.
  const bool is_full = query_.limit != 0 && page.rows.size() >= query_.limit;
  const bool looks_behind = is_full && query_.after;
  Values values;
  const std::string listed = Listed(values);
  const std::string behind =
      looks_behind ? fmt::format("sum({} AND {})", listed, Behind(*page.last, values)) : "0";
  const std::string sql = fmt::format("SELECT state, count(*), sum({}), {}{}{} GROUP BY state",
                                      listed, behind, kFrom, Where(states_, values));
  size_t on_list = 0;
  size_t beyond = 0;
  FEDRA_RETURN_IF_ERROR(db_.QueryOnce(sql, values.all(), [&](Row& row) {
    std::string state = row.Text();
    const auto all = static_cast<size_t>(row.Integer());
    const auto of_list = static_cast<size_t>(row.Integer());
    const auto farther = static_cast<size_t>(row.Integer());
    const uint64_t rank = query_.states.at(state);
    on_list += of_list;
    page.ended += all - of_list;
    if (!looks_behind || query_.order != JobOrder::kState || rank == page.last->rank)
      beyond += farther;
    else if (rank > page.last->rank)
      beyond += of_list;
    page.matching.emplace(std::move(state), all);
  }));
  if (is_full) page.beyond = looks_behind ? beyond : on_list - page.rows.size();
  return {};
}

Result<JobPage> JobList::Page() {
  JobPage page;
  FEDRA_ASSIGN_OR_RETURN(std::vector<JobKey> keys, Keys());
  page.rows.reserve(keys.size());
  for (const JobKey& key : keys) {
    FEDRA_ASSIGN_OR_RETURN(std::optional<WorkloadRow> row, LoadWorkload(db_, key.uid));
    if (row) page.rows.push_back(*std::move(row));
  }
  if (!keys.empty()) page.last = std::move(keys.back());
  FEDRA_RETURN_IF_ERROR(Count(page));
  return page;
}

std::string_view NameOf(JobGrouping grouping) {
  switch (grouping) {
    case JobGrouping::kState:
      return "state";
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

// Grouped here: SQLite would sort all jobs for it, and has no least of several columns.
Result<std::vector<JobGroup>> JobList::Groups(JobGrouping grouping) {
  GroupCounter groups;
  Values values;
  const std::string sql =
      fmt::format("SELECT state_since, job_ns, job_name, {}{}{} AND {}", NameOf(grouping), kFrom,
                  Where(states_, values), Listed(values));
  FEDRA_RETURN_IF_ERROR(db_.QueryOnce(sql, values.all(), [&](Row& row) {
    const WallTime since = row.Time();
    const std::string_view ns = row.View();
    const std::string_view job = row.View();
    std::string_view name = row.View();
    if (grouping != JobGrouping::kReason) return groups.Count(name, since, ns, job);
    for (size_t end = name.find(' ', 1); end != name.npos; end = name.find(' ', 1)) {
      groups.Count(name.substr(1, end - 1), since, ns, job);
      name.remove_prefix(end);
    }
  }));
  return groups.Take();
}

}  // namespace

Result<JobPage> LoadJobPage(Connection& db, const JobQuery& query, const ShownNamespaces& shown) {
  if (IsOfNone(query, shown)) return JobPage();
  JobList list(db, query, shown);
  FEDRA_RETURN_IF_ERROR(db.AddNaturalOrder());
  FEDRA_RETURN_IF_ERROR(list.Choose());
  return list.Page();
}

Result<std::vector<JobGroup>> LoadJobGroups(Connection& db, const JobQuery& query,
                                            JobGrouping grouping, const ShownNamespaces& shown) {
  if (IsOfNone(query, shown)) return std::vector<JobGroup>();
  JobList list(db, query, shown);
  FEDRA_RETURN_IF_ERROR(list.Choose());
  return list.Groups(grouping);
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

namespace {

// All living jobs that are shown.
Result<void> OfShown(Connection& db, std::string_view what, const ShownNamespaces& shown,
                     const std::function<void(Row&)>& each) {
  Values values;
  if (ShowsNone(shown)) return {};
  const std::string of_shown = shown ? " AND job_ns IN " + values.AddAll(*shown) : "";
  return db.QueryOnce(fmt::format("SELECT {}{}removed_at IS NULL{}", what, kFrom, of_shown),
                      values.all(), each);
}

}  // namespace

Result<std::set<std::string>> LoadJobWorkers(Connection& db, const ShownNamespaces& shown) {
  std::set<std::string> workers;
  FEDRA_RETURN_IF_ERROR(OfShown(db, "DISTINCT worker", shown, [&](Row& row) {
    std::string worker = row.Text();
    if (!worker.empty()) workers.insert(std::move(worker));
  }));
  return workers;
}

Result<std::vector<ObjectKey>> LoadJobNames(Connection& db, const ShownNamespaces& shown) {
  std::vector<ObjectKey> names;
  FEDRA_RETURN_IF_ERROR(
      OfShown(db, "job_ns, job_name", shown, [&](Row& row) { names.push_back(row.Key()); }));
  std::ranges::sort(names);
  return names;
}

}  // namespace fedra::store
