#include "manager/cli/fleet/orphan_list.h"

#include <nlohmann/json.hpp>

#include "manager/report/as_of.h"
#include "tests/support/catch.h"

namespace fedra::cli::orphan_list_test {
namespace {

const report::AsOf kRead{WallTime(std::chrono::milliseconds(1'795'277'479'000)), {}};

const tracking::Identity kUnnamed{.origin = "fedra"};

template <class Object>
std::shared_ptr<const Object> Marked(const std::string& name, const std::string& origin,
                                     const std::string& manager_uid,
                                     const std::string& made_by = {}) {
  Object object;
  object.key = {"ml", name};
  object.uid = "uid-" + name;
  object.marks.origin = origin;
  object.marks.source_uid = manager_uid;
  object.marks.made_by = made_by;
  if constexpr (requires { object.kind; }) object.kind = &tracking::BatchJobAdapter();
  return std::make_shared<const Object>(std::move(object));
}

std::vector<Orphan> Find(const LivingWorkloads& living) {
  RemoteObjects remote;
  remote.worker = ClusterName("east");
  remote.clones = {Marked<tracking::Workload>("b", "fedra", "dead"),
                   Marked<tracking::Workload>("a", "fedra", "alive"),
                   Marked<tracking::Workload>("foreign", "other", "dead"),
                   Marked<tracking::Workload>("of-another-manager", "fedra", "dead", "m2"),
                   Marked<tracking::Workload>("unmarked", "fedra", "")};
  remote.jobs = {
      {Marked<tracking::Job>("z", "fedra", "dead", "m1"), Marked<tracking::Job>("theirs", "", "")}};
  return FindOrphans(remote, {"fedra", "m1"}, living);
}

TEST_CASE("orphans are ours and of no living workload; jobs come before clones") {
  const std::vector<Orphan> orphans = Find({{{"ml", "a"}, "alive"}});
  REQUIRE(orphans.size() == 2);
  CHECK(KindOf(orphans[0]) == "Job");
  CHECK(orphans[0].key == ObjectKey{"ml", "z"});
  CHECK(KindOf(orphans[1]) == "Workload");
  CHECK(orphans[1].key == ObjectKey{"ml", "b"});
  CHECK(orphans[1].uid == "uid-b");
  CHECK(Find({{{"ml", "a"}, "alive"}, {{"ml", "b"}, "dead"}}).empty());
  CHECK(Find({}).size() == 3);
}

TEST_CASE(
    "a manager that may not know its UID leaves what names a manager; no answer is an error") {
  const auto refused = IdentityOf(kUnnamed, Fail(ErrorCode::kForbidden, "not allowed"));
  REQUIRE(refused);
  RemoteObjects remote;
  remote.clones = {Marked<tracking::Workload>("theirs", "fedra", "living-there", "m2"),
                   Marked<tracking::Workload>("old", "fedra", "dead")};
  const std::vector<Orphan> orphans = FindOrphans(remote, *refused, {});
  REQUIRE(orphans.size() == 1);
  CHECK(orphans[0].key.name == "old");
  for (const ErrorCode code : {ErrorCode::kTimeout, ErrorCode::kUnavailable, ErrorCode::kConnection,
                               ErrorCode::kUnauthorized, ErrorCode::kBadResponse})
    CHECK_FALSE(IdentityOf(kUnnamed, Fail(code, "no answer")));
  CHECK(IdentityOf(kUnnamed, std::string("m1"))->manager == "m1");
}

// As Kueue's MultiKueue makes it: with its origin and the name of the Workload.
std::shared_ptr<const tracking::Job> OfKueue(const std::string& name, const std::string& workload) {
  tracking::Job job = *Marked<tracking::Job>(name, "multikueue", "");
  job.marks.workload = job.prebuilt_workload = workload;
  return std::make_shared<const tracking::Job>(std::move(job));
}

RemoteObjects LeftByKueue() {
  RemoteObjects remote;
  remote.worker = ClusterName("east");
  remote.clones = {Marked<tracking::Workload>("job-alive", "multikueue", ""),
                   Marked<tracking::Workload>("job-dead", "multikueue", ""),
                   Marked<tracking::Workload>("job-ours", "multikueue", "u0", "m1")};
  remote.jobs = {OfKueue("alive", "job-alive"), OfKueue("dead", "job-dead"),
                 OfKueue("of-nothing", ""),
                 Marked<tracking::Job>("theirs", "multikueue", "u0", "m2")};
  return remote;
}

TEST_CASE("what Kueue's MultiKueue made before is known by the name of its workload") {
  const LivingWorkloads living = {{{"ml", "job-alive"}, "u1"}, {{"ml", "job-ours"}, "u2"}};
  using Names = std::vector<std::string>;
  const auto names = [&](tracking::Mode mode) {
    Names found;
    for (const Orphan& orphan : FindOrphans(LeftByKueue(), {"multikueue", "m1", mode}, living))
      found.push_back(KindOf(orphan) + " " + orphan.key.name);
    return found;
  };
  CHECK(names(tracking::Mode::kMultiKueue) ==
        Names{"Job dead", "Workload job-dead", "Workload job-ours"});
  CHECK(names(tracking::Mode::kAdmissionCheck) == Names{"Workload job-ours"});
  // Kueue removes its own.
  CHECK(names(tracking::Mode::kDispatcher) == Names{});
}

TEST_CASE("an orphan whose workload has come in the meantime is none") {
  const tracking::Identity us{"multikueue", "m1", tracking::Mode::kMultiKueue};
  const std::vector<Orphan> orphans = FindOrphans(LeftByKueue(), us, {});
  REQUIRE(orphans.size() == 5);
  for (const Orphan& orphan : orphans) {
    INFO(KindOf(orphan) << " " << orphan.key.name);
    const bool is_marked = orphan.key.name == "job-ours";
    CHECK(IsOrphanBeside(orphan, us, "u1") == is_marked);
    CHECK_FALSE(IsOrphanBeside(orphan, us, "u0"));
  }
}

TEST_CASE("an orphan says how old it is, and whether it runs") {
  tracking::Job job = *Marked<tracking::Job>("z", "fedra", "dead", "m1");
  job.created = kRead.at - std::chrono::hours(3);
  job.shows_activity = true;
  job.active_pods = 4;
  tracking::Workload clone = *Marked<tracking::Workload>("b", "fedra", "dead");
  clone.finished = tracking::Condition{true, "Succeeded", "", {}};
  RemoteObjects remote;
  remote.worker = ClusterName("east");
  remote.clones = {std::make_shared<const tracking::Workload>(clone)};
  remote.jobs = {std::make_shared<const tracking::Job>(job)};
  const std::vector<Orphan> orphans = FindOrphans(remote, {"fedra", "m1"}, {});
  REQUIRE(orphans.size() == 2);
  CHECK(orphans[0].state == "Running");
  CHECK(orphans[1].state == "Finished");
  const text::Output table = RenderOrphans(orphans, {}, kRead, text::Format::kTable, {});
  CHECK_THAT(table.out, ContainsSubstring("ml/z  Running   4     3h"));
  const auto json =
      nlohmann::json::parse(RenderOrphans(orphans, {}, kRead, text::Format::kJson, {}).out);
  CHECK(json["items"][0]["createdAt"] == "2026-11-21T13:11:19Z");
  CHECK(json["items"][0]["state"] == "Running");
  CHECK(json["items"][0]["pods"] == 4);
  CHECK(!json["items"][1].contains("createdAt"));
}

TEST_CASE("orphans as a table and for programs") {
  const std::vector<Orphan> orphans = Find({{{"ml", "a"}, "alive"}});
  const OrphanGaps gaps{{{"west", "no contact"}}, {}};
  const text::Output table = RenderOrphans(orphans, gaps, kRead, text::Format::kTable, {});
  CHECK(table.out ==
        "WORKER  KIND      NAME  STATE    PODS  AGE  OF WORKLOAD  NOTE\n"
        "east    Job       ml/z  Pending  0     -    dead\n"
        "east    Workload  ml/b  Waiting  -     -    b\n");
  CHECK(table.note == "west: no contact");
  CHECK(RenderOrphans({}, {}, kRead, text::Format::kTable, {}).note == "no orphans found");
  CHECK(RenderOrphans({}, gaps, kRead, text::Format::kTable, {}).note ==
        "west: no contact\nno orphans found on the workers that could be read");
  const auto json =
      nlohmann::json::parse(RenderOrphans(orphans, gaps, kRead, text::Format::kJson, {}).out);
  CHECK(json["kind"] == "OrphanReport");
  CHECK(json["asOf"] == "2026-11-21T16:11:19Z");
  CHECK(json["source"] == "Clusters");
  CHECK(json["items"][1]["uid"] == "uid-b");
  CHECK(json["items"][1]["workload"] == "b");
  CHECK(json["unreadWorkers"][0]["worker"] == "west");
  CHECK(json["unreadWorkers"][0]["problem"] == "no contact");
}

}  // namespace
}  // namespace fedra::cli::orphan_list_test
