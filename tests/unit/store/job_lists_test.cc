// Lists and counts by the index equal what a look at each row gives.
#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "base/natural_order.h"
#include "store/connection.h"
#include "store/store.h"
#include "store/store_file.h"
#include "tests/support/catch.h"
#include "tests/unit/store/support.h"

namespace fedra::store::job_lists_test {
namespace {

// "Paused" and "Levitating" are states that are not known: they have one rank.
const std::vector<std::string> kStates = {"Blocked",  "Running",    "Waiting",
                                          "Finished", "Levitating", "Paused"};
const std::vector<std::string> kReasons = {"DevicesAllocated", "QueueFull", "TemplateMissing"};

struct Jobs {
  std::vector<WorkloadRow> rows;
  std::map<std::string, std::vector<PlaceRow>> places;
};

class Random final {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  size_t Below(size_t bound) { return engine_() % bound; }
  bool OneIn(size_t n) { return Below(n) == 0; }
  const std::string& Of(const std::vector<std::string>& list) { return list[Below(list.size())]; }
  std::vector<std::string> SomeOf(const std::vector<std::string>& list, size_t one_in) {
    std::vector<std::string> some;
    for (const std::string& each : list)
      if (OneIn(one_in)) some.push_back(each);
    return some;
  }

 private:
  std::mt19937 engine_;
};

const std::vector<std::string> kNamespaces = {"ml", "ml-2", "ml-10", "hpc"};
const std::vector<std::string> kWorkers = {"", "gpu-2", "gpu-10"};
const std::vector<std::string> kQueues = {"q-2", "q-10"};
const std::vector<std::string> kLabels = {"{}", R"({"team":"vision"})", "no JSON"};

Jobs SomeJobs(Random& random, size_t count) {
  Jobs jobs;
  for (size_t i = 0; i < count; ++i) {
    WorkloadRow row = Workload(fmt::format("u{:05}", random.Below(90'000) * 1000 + i), "");
    row.job = {random.Of(kNamespaces), fmt::format("job-{}", random.Below(count / 2 + 1))};
    row.key = {row.job.ns, fmt::format("job-{}-1a2b3", i)};
    row.state = random.Of(kStates);
    row.worker = ClusterName(random.Of(kWorkers));
    row.queue = random.Of(kQueues);
    row.labels_json = random.Of(kLabels);
    row.created_at = At(static_cast<int64_t>(random.Below(7)));
    row.state_since = At(static_cast<int64_t>(random.Below(3)));
    if (row.state == "Finished") row.finished_at = At(static_cast<int64_t>(random.Below(10)));
    row.reasons = random.SomeOf(kReasons, 2);
    if (random.OneIn(5)) row.removed_at = At(static_cast<int64_t>(random.Below(4)));
    if (random.OneIn(3))
      for (const char* worker : {"a", "b"})
        jobs.places[row.uid].push_back({.uid = row.uid,
                                        .cluster = ClusterName(worker),
                                        .place = static_cast<int>(random.Below(4))});
    jobs.rows.push_back(std::move(row));
  }
  return jobs;
}

bool Any(const std::vector<std::string>& wanted, const std::string& word) {
  return wanted.empty() || std::ranges::find(wanted, word) != wanted.end();
}

bool Matches(const JobQuery& query, const WorkloadRow& row) {
  const bool has_reason =
      query.reasons.empty() || std::ranges::any_of(row.reasons, [&](const auto& reason) {
        return Any(query.reasons, reason);
      });
  const bool has_name = std::ranges::all_of(query.name_parts, [&](const std::string& part) {
    const std::string& in = part.find('/') == part.npos ? row.job.name : row.job.ToString();
    return in.find(part) != in.npos;
  });
  const bool has_state =
      row.removed_at ? query.deleted.has_value() : query.states.contains(row.state);
  return has_name && has_state && (query.ns.empty() || row.job.ns == query.ns) &&
         Any(query.workers, row.worker.value) &&
         (Any(query.queues, row.queue) || Any(query.queues, row.job.ns + "/" + row.queue)) &&
         has_reason && (!query.labels || query.labels(row.labels_json));
}

const std::string& StateOf(const JobQuery& query, const WorkloadRow& row) {
  return row.removed_at ? query.deleted->state : row.state;
}

bool IsListed(const JobQuery& query, const WorkloadRow& row) {
  return row.removed_at || !query.ended_before || !row.finished_at ||
         *row.finished_at >= *query.ended_before;
}

JobKey KeyOf(const JobQuery& query, const Jobs& jobs, const WorkloadRow& row) {
  JobKey key{.ns = InNaturalOrder(row.job.ns),
             .name = InNaturalOrder(row.job.name),
             .created_at = row.created_at.time_since_epoch().count(),
             .uid = row.uid};
  const uint64_t rank = row.removed_at ? query.deleted->rank : query.states.at(row.state);
  const auto ended = row.removed_at ? row.removed_at : row.finished_at;
  if (query.order == JobOrder::kState) key.rank = rank;
  if (query.order == JobOrder::kEnded || (query.order == JobOrder::kState && row.removed_at))
    key.age = ended ? -ended->time_since_epoch().count() : 0;
  if (query.order == JobOrder::kLine) {
    key.rank = (uint64_t{1} << 32) + rank;
    if (const auto places = jobs.places.find(row.uid);
        places != jobs.places.end() && !row.removed_at)
      for (const PlaceRow& place : places->second)
        key.rank = std::min(key.rank, static_cast<uint64_t>(place.place));
  }
  if (query.order == JobOrder::kAge) key.age = key.created_at;
  if (query.order == JobOrder::kWorker) key.text = InNaturalOrder(row.worker.value);
  if (query.order == JobOrder::kQueue) key.text = InNaturalOrder(row.queue);
  return key;
}

// With a look at each row.
JobPage NaivePage(const JobQuery& query, const Jobs& jobs) {
  JobPage page;
  std::vector<std::pair<JobKey, const WorkloadRow*>> sorted;
  for (const WorkloadRow& row : jobs.rows) {
    if (!Matches(query, row)) continue;
    ++page.matching[StateOf(query, row)];
    if (IsListed(query, row))
      sorted.emplace_back(KeyOf(query, jobs, row), &row);
    else
      ++page.ended;
  }
  std::ranges::sort(sorted, {}, &std::pair<JobKey, const WorkloadRow*>::first);
  for (const auto& [key, row] : sorted) {
    if (query.after && key <= *query.after) continue;
    if (query.limit != 0 && page.rows.size() == query.limit) {
      ++page.beyond;
      continue;
    }
    page.rows.push_back(*row);
    page.last = key;
  }
  return page;
}

std::vector<std::string> NamesOf(const JobQuery& query, const WorkloadRow& row, JobGrouping by) {
  switch (by) {
    case JobGrouping::kState:
      return {StateOf(query, row)};
    case JobGrouping::kReason:
      return row.reasons;
    case JobGrouping::kWorker:
      return {row.worker.value};
    case JobGrouping::kQueue:
      return {row.job.ns + "/" + row.queue};
    case JobGrouping::kNamespace:
      break;
  }
  return {row.job.ns};
}

std::vector<JobGroup> NaiveGroups(const JobQuery& query, const Jobs& jobs, JobGrouping by) {
  std::map<std::string, JobGroup> groups;
  for (const WorkloadRow& row : jobs.rows) {
    if (!Matches(query, row) || !IsListed(query, row)) continue;
    const WallTime since = row.removed_at.value_or(row.state_since);
    for (const std::string& name : NamesOf(query, row, by)) {
      JobGroup& group = groups[name];
      if (group.jobs++ > 0 && std::tie(group.since, group.longest) <= std::tie(since, row.job))
        continue;
      group.name = name;
      group.since = since;
      group.longest = row.job;
    }
  }
  std::vector<JobGroup> sorted;
  for (auto& [name, group] : groups) sorted.push_back(std::move(group));
  std::ranges::stable_sort(sorted, std::greater<>(), &JobGroup::jobs);
  return sorted;
}

JobQuery SomeQuery(Random& random) {
  JobQuery query;
  for (size_t rank = 0; rank < kStates.size(); ++rank)
    if (!random.OneIn(6)) query.states.emplace(kStates[rank], std::min<size_t>(rank, 4));
  if (random.OneIn(2)) query.deleted = {.state = "Deleted", .rank = 3 + random.Below(2) * 10};
  if (query.deleted) std::erase_if(query.states, [](const auto& each) { return each.second == 3; });
  if (random.OneIn(9)) query.states.clear();
  if (random.OneIn(5)) query.ns = random.Of(kNamespaces);
  query.workers = random.SomeOf(kWorkers, 7);
  query.queues = random.SomeOf({"q-2", "ml/q-10", "hpc/q-2"}, 8);
  query.reasons = random.SomeOf(kReasons, 9);
  query.name_parts = random.SomeOf({"job", "-1", "2/job-", "ml/job-3", "%", "5"}, 15);
  if (random.OneIn(6))
    query.labels = [](std::string_view labels) { return labels.find("vision") != labels.npos; };
  if (random.OneIn(2)) query.ended_before = At(static_cast<int64_t>(random.Below(10)));
  query.order = static_cast<JobOrder>(random.Below(7));
  query.limit = random.OneIn(4) ? 0 : random.Below(12) + 1;
  return query;
}

void Same(const JobPage& page, const JobPage& expected) {
  CHECK(page.rows == expected.rows);
  CHECK(page.last == expected.last);
  CHECK(page.matching == expected.matching);
  CHECK(page.ended == expected.ended);
  CHECK(page.beyond == expected.beyond);
}

struct Fixture {
  void Put(const Jobs& jobs) {
    for (const WorkloadRow& row : jobs.rows) store->Enqueue(PutWorkload{row});
    for (const auto& [uid, places] : jobs.places) store->Enqueue(PutPlaces{uid, places});
    Must(store->Flush());
  }
  TempFolder folder;
  std::unique_ptr<Store> store = MustOpen({.path = folder.Path("fedra.db")});
};

}  // namespace

TEST_CASE_METHOD(Fixture, "every filter, order, page and group is that of a look at each row") {
  const uint32_t seed = GENERATE(range(1u, 9u));
  CAPTURE(seed);
  Random random(seed);
  const Jobs jobs = SomeJobs(random, 120);
  Put(jobs);
  const auto reader = Must(store->Read());
  size_t pages = 0;
  for (int i = 0; i < 60; ++i) {
    JobQuery query = SomeQuery(random);
    CAPTURE(i, query.order, query.limit, query.ns);
    for (size_t step = 0; step < 70; ++step, ++pages) {
      const JobPage page = Must(reader->Jobs(query));
      Same(page, NaivePage(query, jobs));
      if (page.beyond == 0) break;
      query.after = page.last;
    }
    for (const JobGrouping by : {JobGrouping::kState, JobGrouping::kReason, JobGrouping::kWorker,
                                 JobGrouping::kQueue, JobGrouping::kNamespace}) {
      const auto groups = Must(reader->JobGroups(query, by));
      const auto expected = NaiveGroups(query, jobs, by);
      REQUIRE(groups.size() == expected.size());
      for (size_t at = 0; at < groups.size(); ++at) {
        CHECK(groups[at].name == expected[at].name);
        CHECK(groups[at].jobs == expected[at].jobs);
        CHECK(groups[at].since == expected[at].since);
        CHECK(groups[at].longest == expected[at].longest);
      }
    }
  }
  CHECK(pages > 100);
}

TEST_CASE_METHOD(Fixture,
                 "a part of a name is taken as it is, of a namespace behind a slash alone") {
  for (const char* name : {"train-7b", "train-10", "eval"}) {
    WorkloadRow row = Workload(name, "");
    row.job = {"ml", name};
    row.state = "Running";
    store->Enqueue(PutWorkload{row});
  }
  Must(store->Flush());
  const auto reader = Must(store->Read());
  const auto named = [&](std::vector<std::string> parts) {
    const JobQuery query{.states = {{"Running", 0}}, .name_parts = std::move(parts)};
    std::string names;
    for (const WorkloadRow& row : Must(reader->Jobs(query)).rows) names += row.job.name + " ";
    return names;
  };
  CHECK(named({}) == "eval train-7b train-10 ");
  CHECK(named({"train"}) == "train-7b train-10 ");
  CHECK(named({"train", "7"}) == "train-7b ");
  CHECK(named({"ml"}).empty());
  CHECK(named({"ml/"}) == "eval train-7b train-10 ");
  CHECK(named({"l/eva"}) == "eval ");
  CHECK(named({"other/eval"}).empty());
  for (const char* const pattern : {"%", "_", "t*", "train?7b", "' OR 1 --", "TRAIN"})
    CHECK(named({pattern}).empty());
}

TEST_CASE_METHOD(Fixture, "a list follows what is written, also of names") {
  WorkloadRow row = Workload("u1", "job-9");
  row.state = "Blocked";
  const JobQuery all{.states = {{"Blocked", 0}, {"Running", 1}}};
  const auto listed = [&](const Change& change) {
    Must(store->Commit({change}));
    return Must(Must(store->Read())->Jobs(all)).rows;
  };
  CHECK(listed(PutWorkload{row}) == std::vector{row});
  row.state = "Running";
  row.reasons = {"QueueFull"};
  CHECK(listed(PutWorkload{row}) == std::vector{row});
  row.job.name = "job-10";
  CHECK(listed(PutWorkload{row}) == std::vector{row});
  CHECK(Must(Must(store->Read())->FindWorkloads({"ml", "job-10"})) == std::vector{row});
  CHECK(Must(Must(store->Read())->FindWorkloads({"ml", "job-9"})).empty());
  WorkloadRow other = Workload("u2", "job-9");
  other.state = "Running";
  CHECK(listed(PutWorkload{other}) == std::vector{other, row});
  CHECK(listed(RemoveWorkload{"u1", At(5)}) == std::vector{other});
  CHECK(Must(Must(store->Read())->Jobs({.states = {}})).matching.empty());
  CHECK(Must(Must(store->Read())->JobGroups({.states = {}}, JobGrouping::kState)).empty());
  CHECK(listed(RemoveWorkload{"u2", At(5)}).empty());
}

TEST_CASE_METHOD(Fixture, "deleted jobs are listed where they are asked for, the newest first") {
  for (const char* name : {"a", "b", "c"}) {
    WorkloadRow row = Workload(name, "");
    row.job = {"ml", name};
    row.state = "Running";
    store->Enqueue(PutWorkload{row});
  }
  Must(store->Commit({RemoveWorkload{"a", At(5)}}));
  Must(store->Commit({RemoveWorkload{"b", At(7)}}));
  const auto names = [&](const JobQuery& query, std::set<std::string> shown = {"ml"}) {
    const auto reader = Must(store->Read());
    Must(reader->ShowOnly(std::move(shown)));
    std::string listed;
    for (const WorkloadRow& row : Must(reader->Jobs(query)).rows) listed += row.job.name;
    return listed;
  };
  const JobQuery living{.states = {{"Running", 4}}};
  JobQuery deleted{.states = {}, .deleted = DeletedJobs{"Deleted", 8}};
  CHECK(names(living) == "c");
  CHECK(names(deleted) == "ba");
  CHECK(names(deleted, {"hpc"}).empty());
  CHECK(Must(Must(store->Read())->Jobs(deleted)).matching ==
        std::map<std::string, size_t>{{"Deleted", 2}});
  CHECK(Must(Must(store->Read())->Jobs(deleted)).rows.front().state == "Running");
  deleted.states = living.states;
  CHECK(names(deleted) == "cba");
  deleted.order = JobOrder::kEnded;
  CHECK(names(deleted) == "bac");
  deleted.order = JobOrder::kName;
  CHECK(names(deleted) == "abc");
}

TEST_CASE_METHOD(Fixture, "the index of lists has what they are asked by, in their order") {
  const auto db = Must(Connection::Open(folder.Path("fedra.db"), OpenMode::kReadOnly));
  const auto plan = [&](const std::string& sql) {
    std::string text;
    Must(db->Query(sql, {}, [&](Row& row) {
      row.Integer(), row.Integer(), row.Integer();
      text += row.Text() + "\n";
    }));
    return text;
  };
  const std::string from =
      " FROM workloads w INDEXED BY workloads_listed WHERE removed_at IS NULL AND state IN ('a')";
  static const std::string page =
      "EXPLAIN QUERY PLAN SELECT uid" + from +
      " AND coalesce(finished_at >= 7, 1) AND worker IN ('x') AND instr(reasons, ' A ')"
      " AND instr(job_name, 'b') AND instr(job_ns || '/' || job_name, 'a/b')"
      " AND (ns_order, name_order, created_at, uid) > ('a', 'b', 3, 'c')"
      " ORDER BY ns_order, name_order, created_at, uid LIMIT 5";
  CHECK_THAT(plan(page), ContainsSubstring("SEARCH w USING COVERING INDEX workloads_listed (state=?"
                                           " AND (ns_order,name_order,created_at,uid)>"));
  CHECK_THAT(plan(page), !ContainsSubstring("TEMP B-TREE"));
  static const std::string deleted =
      "EXPLAIN QUERY PLAN SELECT -removed_at, uid FROM workloads w INDEXED BY workloads_deleted"
      " WHERE removed_at IS NOT NULL AND job_ns IN ('ml') AND worker IN ('x') AND queue IN ('q')"
      " AND instr(job_name, 'b') ORDER BY 1, ns_order, name_order, created_at, uid LIMIT 5";
  CHECK_THAT(plan(deleted), ContainsSubstring("USING COVERING INDEX workloads_deleted"));
}

}  // namespace fedra::store::job_lists_test
