// Which Workloads are of one job, and who hears of whom.

#include "manager/reconcile/manager_jobs.h"

#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"

namespace fedra::reconcile::manager_jobs_test {

using nlohmann::json;

namespace {

struct Fixture {
  HandClock clock;
  std::map<std::string, int> told;             // by workload
  std::map<std::string, int> told_of_sibling;  // likewise
  int calls_of_siblings = 0;
  ManagerJobs jobs{tracking::BuiltInKindsAndPods(),
                   clock,
                   {.on_kinds = [](const auto&) {},
                    .on_workload = [this](const ObjectKey& key) { ++told[key.name]; },
                    .on_progress = [](const ObjectKey&) {},
                    .on_siblings =
                        [this](const std::vector<ObjectKey>& keys) {
                          ++calls_of_siblings;
                          for (const ObjectKey& key : keys) ++told_of_sibling[key.name];
                        },
                    .on_object = [](const ObjectKey&, const tracking::Workload*) {},
                    .on_asks = [](const ObjectKey&) {},
                    .on_references = [] {}}};
  int version = 0;

  void Clear() {
    told.clear();
    told_of_sibling.clear();
    calls_of_siblings = 0;
  }
  // A Workload of the LeaderWorkerSet "serve", which has this UID.
  void Put(const std::string& name, const std::string& index, const std::string& uid = "s1",
           const json& status = json::object()) {
    const json workload{
        {"metadata",
         {{"namespace", "ml"},
          {"name", name},
          {"uid", "uid-" + name},
          {"resourceVersion", std::to_string(++version)},
          {"annotations",
           {{"kueue.x-k8s.io/job-owner-gvk", "leaderworkerset.x-k8s.io/v1, Kind=LeaderWorkerSet"},
            {"kueue.x-k8s.io/job-owner-name", "serve"},
            {"kueue.x-k8s.io/component-workload-index", index}}},
          {"ownerReferences", json::array({{{"apiVersion", "leaderworkerset.x-k8s.io/v1"},
                                            {"kind", "LeaderWorkerSet"},
                                            {"name", "serve"},
                                            {"uid", uid}}})}}},
        {"status", status}};
    REQUIRE(jobs.workloads().cache().Upsert(workload.dump()).has_value());
  }
  // "a b": in any order of the index.
  std::string SiblingsOf(const std::string& name) {
    const auto workload = jobs.workloads().Find({"ml", name});
    REQUIRE(workload != nullptr);
    std::set<std::string> names;
    for (const auto& sibling : jobs.SiblingsOf(*workload)) names.insert(sibling->key.name);
    std::string text;
    for (const std::string& each : names) text += (text.empty() ? "" : " ") + each;
    return text;
  }
};

}  // namespace

TEST_CASE("the first part has to do with all others, these with the first one alone") {
  Fixture f;
  f.Put("c", "0");
  f.Put("a", "1");
  f.Put("b", "2");
  CHECK(f.SiblingsOf("c") == "a b");
  CHECK(f.SiblingsOf("a") == "c");
  CHECK(f.SiblingsOf("b") == "c");
  // Of a job of that name that is replaced.
  f.Put("old", "0", "s0");
  CHECK(f.SiblingsOf("a") == "c");
  CHECK(f.SiblingsOf("old").empty());
}

TEST_CASE("an event of the job is the first part's") {
  Fixture f;
  f.Put("c", "0");
  f.Put("z", "1");
  const auto workload =
      f.jobs.WorkloadOf({"LeaderWorkerSet.leaderworkerset.x-k8s.io", {"ml", "serve"}});
  REQUIRE(workload.has_value());
  CHECK(workload->name == "c");
}

TEST_CASE("that a job has come or gone is told to all its parts, and else to the first alone") {
  Fixture f;
  f.Put("c", "0");
  f.Put("a", "1");
  f.Put("b", "2");
  const auto job = [](const char* version, int replicas) {
    return json{{"apiVersion", "leaderworkerset.x-k8s.io/v1"},
                {"kind", "LeaderWorkerSet"},
                {"metadata",
                 {{"namespace", "ml"},
                  {"name", "serve"},
                  {"uid", "s1"},
                  {"resourceVersion", version},
                  {"labels", {{"kueue.x-k8s.io/queue-name", "gpu"}}}}},
                {"spec", {{"replicas", replicas}}}}
        .dump();
  };
  const tracking::JobAdapter* kind =
      f.jobs.kinds().Find("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet");
  REQUIRE(kind != nullptr);
  auto& cache = f.jobs.Of(*kind).cache();
  const std::map<std::string, int> others{{"a", 1}, {"b", 1}};
  f.Clear();
  REQUIRE(cache.Upsert(job("101", 3)).has_value());
  CHECK(f.told == std::map<std::string, int>{{"c", 1}});
  CHECK(f.told_of_sibling == others);
  f.Clear();
  REQUIRE(cache.Upsert(job("102", 2)).has_value());
  CHECK(f.told == std::map<std::string, int>{{"c", 1}});
  CHECK(f.told_of_sibling.empty());
  f.Clear();
  REQUIRE(cache.Remove(job("103", 2)).has_value());
  CHECK(f.told_of_sibling == others);
}

TEST_CASE("of several Workloads of a job a living one counts, of these the first part") {
  Fixture f;
  const tracking::JobKey job{"LeaderWorkerSet.leaderworkerset.x-k8s.io", {"ml", "serve"}};
  const json over{{"conditions", json::array({{{"type", "Finished"},
                                               {"status", "True"},
                                               {"reason", "Succeeded"},
                                               {"message", ""},
                                               {"lastTransitionTime", "2026-11-21T16:00:01Z"}}})}};
  f.Put("a", "1");
  CHECK(f.jobs.WorkloadOf(job)->name == "a");
  f.Put("z", "0");
  CHECK(f.jobs.WorkloadOf(job)->name == "z");
  f.Put("z", "0", "s1", over);
  CHECK(f.jobs.WorkloadOf(job)->name == "a");
  f.Put("b", "0");
  CHECK(f.jobs.WorkloadOf(job)->name == "b");
  REQUIRE(f.jobs.workloads().cache().Remove(
      R"({"metadata": {"namespace": "ml", "name": "b", "resourceVersion": "99"}})"));
  CHECK(f.jobs.WorkloadOf(job)->name == "a");
  CHECK(f.SiblingsOf("a") == "z");
}

TEST_CASE("where a part has its worker is told to those that it has to do with, and nothing else") {
  Fixture f;
  f.Put("c", "0");
  f.Put("a", "1");
  f.Put("b", "2");
  f.Clear();
  f.Put("c", "0");  // nothing that decides
  CHECK(f.told == std::map<std::string, int>{{"c", 1}});
  CHECK(f.told_of_sibling.empty());
  f.Clear();
  f.Put("c", "0", "s1", {{"clusterName", "east"}});
  CHECK(f.told == std::map<std::string, int>{{"c", 1}});
  CHECK(f.told_of_sibling == std::map<std::string, int>{{"a", 1}, {"b", 1}});
  f.Clear();
  f.Put("a", "1", "s1", {{"clusterName", "east"}});
  CHECK(f.told == std::map<std::string, int>{{"a", 1}});
  CHECK(f.told_of_sibling == std::map<std::string, int>{{"c", 1}});
}

TEST_CASE("a part that follows costs as much whatever the number of the others is") {
  Fixture f;
  f.Put("first", "0");
  for (int i = 1; i <= 100; ++i) f.Put(std::to_string(i), std::to_string(i));
  f.Clear();
  f.Put("7", "7", "s1", {{"clusterName", "east"}});
  CHECK(f.told == std::map<std::string, int>{{"7", 1}});
  CHECK(f.told_of_sibling == std::map<std::string, int>{{"first", 1}});
  // All of them hear of the first one in one call, and of nothing that costs more than a key.
  f.Clear();
  f.Put("first", "0", "s1", {{"clusterName", "east"}});
  CHECK(f.told == std::map<std::string, int>{{"first", 1}});
  CHECK(f.told_of_sibling.size() == 100);
  CHECK(f.calls_of_siblings == 1);
}

TEST_CASE("all that says where a part is counts, each by itself") {
  const auto status = [](const char* reserved, const char* since, const char* evicted,
                         const char* state, const char* message, const char* at) {
    const auto condition = [](const char* type, const char* is_true, const char* when) {
      return json{{"type", type}, {"status", is_true}, {"lastTransitionTime", when}};
    };
    return json{{"clusterName", "east"},
                {"conditions", json::array({condition("QuotaReserved", reserved, since),
                                            condition("Evicted", evicted, since)})},
                {"admissionChecks", json::array({{{"name", "fedra"},
                                                  {"state", state},
                                                  {"message", message},
                                                  {"lastTransitionTime", at}}})}};
  };
  constexpr const char* kOne = "2026-11-21T16:00:01Z";
  constexpr const char* kTwo = "2026-11-21T16:00:02Z";
  const json before = status("True", kOne, "False", "Pending", "on east", kTwo);
  const json after = GENERATE_COPY(values<json>({
      status("False", kOne, "False", "Pending", "on east", kTwo),
      status("True", kTwo, "False", "Pending", "on east", kTwo),  // reserved again meanwhile
      status("True", kOne, "True", "Pending", "on east", kTwo),
      status("True", kOne, "False", "Retry", "on east", kTwo),
      status("True", kOne, "False", "Pending", "", kTwo),
      status("True", kOne, "False", "Pending", "on east", kOne),
  }));
  Fixture f;
  f.Put("c", "0", "s1", before);
  f.Put("a", "1");
  f.Clear();
  f.Put("c", "0", "s1", after);
  CHECK(f.told == std::map<std::string, int>{{"c", 1}});
  CHECK(f.told_of_sibling == std::map<std::string, int>{{"a", 1}});
}

TEST_CASE(
    "what changes of an elastic job is told to all of its slices, but for how its pods get on") {
  Fixture f;
  const json metadata{{"namespace", "ml"},
                      {"uid", "j1"},
                      {"annotations", {{"kueue.x-k8s.io/elastic-job", "true"}}}};
  const auto put = [&](json object, const std::string& name, auto& cache) {
    object["metadata"].update(metadata);
    object["metadata"]["name"] = name;
    object["metadata"]["resourceVersion"] = std::to_string(++f.version);
    f.Clear();
    REQUIRE(cache.Upsert(object.dump()).has_value());
  };
  const auto slice = [&](const std::string& name, const json& status) {
    const json owner{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", "train"}, {"uid", "j1"}};
    put({{"metadata", {{"ownerReferences", json::array({owner})}}}, {"status", status}}, name,
        f.jobs.workloads().cache());
  };
  const auto job = [&](const json& spec, const json& status) {
    put({{"spec", spec}, {"status", status}}, "train",
        f.jobs.Of(*f.jobs.kinds().FindName("Job.batch")).cache());
  };
  using Told = std::map<std::string, int>;
  slice("train-1", json::object());
  slice("train-2", json::object());
  CHECK(f.told == Told{{"train-1", 1}, {"train-2", 1}});
  slice("train-2", {{"clusterName", "east"}});
  CHECK(f.told == Told{{"train-1", 1}, {"train-2", 1}});
  slice("train-2", {{"clusterName", "east"}, {"nominatedClusterNames", json::array()}});
  CHECK(f.told == Told{{"train-2", 1}});
  job({{"parallelism", 1}}, json::object());
  CHECK(f.told == Told{{"train-1", 1}, {"train-2", 1}});
  job({{"parallelism", 1}}, {{"active", 1}});
  CHECK(f.told.empty());
  job({{"parallelism", 2}}, {{"active", 1}});
  CHECK(f.told == Told{{"train-1", 1}, {"train-2", 1}});
}

}  // namespace fedra::reconcile::manager_jobs_test
