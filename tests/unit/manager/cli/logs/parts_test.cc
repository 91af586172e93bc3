// Which worker, which pods, which lines: the parts of `fedra logs` that ask no cluster.

#include <nlohmann/json.hpp>

#include "manager/cli/logs/arrivals.h"
#include "manager/cli/logs/job_place.h"
#include "manager/cli/logs/log_text.h"
#include "manager/cli/logs/pod_choice.h"
#include "tests/support/catch.h"

namespace fedra::cli::logs_test {
namespace {

using nlohmann::ordered_json;

ordered_json Report(const std::string& fields, const std::string& attempts = "[]") {
  return ordered_json::parse(R"({"jobs": [{"namespace": "ml", "name": "train", "kind": "Job",)" +
                             fields + R"(, "attempts": )" + attempts + "}]}");
}

TEST_CASE("a job's pods are looked for where it runs, or ran last") {
  struct Row {
    const char* fields;
    const char* attempts;
    const char* worker;  // empty: on none
    bool is_there;
  };
  const std::vector<Row> rows = {
      {R"("state": "Running", "worker": "east")", "[]", "east", true},
      {R"("state": "Finished", "worker": "east", "finishedAt": "2026-11-21T16:11:19Z")", "[]",
       "east", false},
      {R"("state": "Running", "worker": "east", "removedAt": "2026-11-21T16:11:19Z")", "[]", "east",
       false},
      {R"("state": "Requeued", "worker": "")",
       R"([{"number": 1, "worker": "east", "outcome": "Evicted"}])", "east", false},
      {R"("state": "Blocked", "worker": "")",
       R"([{"worker": "east", "outcome": "Evicted"}, {"worker": "west", "outcome": "Evicted"},
           {"worker": "south", "outcome": "LostRace"}])",
       "west", false},
      {R"("state": "Blocked", "worker": "")",
       R"([{"worker": "a", "outcome": "TimedOut"}, {"worker": "b", "outcome": "Withdrawn"},
           {"worker": "c", "outcome": "Refused"}])",
       "", false},
      {R"("state": "Waiting", "worker": "")", "[]", "", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.fields, row.attempts);
    const auto place = PlaceOf(Report(row.fields, row.attempts));
    REQUIRE(place.has_value() == (*row.worker != '\0'));
    if (!place) {
      CHECK(place.error().code == ErrorCode::kNotFound);
      CHECK(place.error().message.starts_with("ml/train has been on no worker: it is "));
      continue;
    }
    CHECK(place->worker == row.worker);
    CHECK(place->is_there == row.is_there);
    CHECK(place->job == ObjectKey{"ml", "train"});
  }
}

TEST_CASE("a document that is about no job is said to be none") {
  for (const char* text : {"{}", "[]", "null", R"({"jobs": []})", R"({"jobs": [5]})"}) {
    const auto place = PlaceOf(ordered_json::parse(text));
    REQUIRE(!place);
    CHECK(place.error().code == ErrorCode::kBadResponse);
  }
}

TEST_CASE("pods are asked for as their kind marks them") {
  struct Row {
    const char* kind;
    const char* labels;  // empty: there is no such question
    const char* pod = "";
    const char* group = "";
  };
  const tracking::JobKinds kinds({}, /*pods=*/true);
  const std::vector<Row> rows = {
      {"Job", "batch.kubernetes.io/job-name=train"},
      {"Job.batch", "batch.kubernetes.io/job-name=train"},
      {"JobSet", "jobset.sigs.k8s.io/jobset-name=train"},
      // Its pods are those of the JobSet that is made of it.
      {"TrainJob", "jobset.sigs.k8s.io/jobset-name=train"},
      {"PyTorchJob",
       "training.kubeflow.org/job-name=train,training.kubeflow.org/operator-name="
       "pytorchjob-controller"},
      {"Pod", "", "train"},
      {"StatefulSet", ""},
      // No selector finds the name of a group, for it may be an annotation.
      {"Pod group", "kueue.x-k8s.io/multikueue-origin", "", "train"},
      {"PodGroup", ""},
      {"Unheard", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.kind);
    const auto question = QuestionFor(kinds, row.kind, {"ml", "train"});
    REQUIRE(question.has_value() == (*row.labels != '\0' || *row.pod != '\0'));
    if (!question) {
      CHECK(question.error().code == ErrorCode::kInvalidArgument);
      continue;
    }
    CHECK(question->labels == row.labels);
    CHECK(question->pod.name == row.pod);
    CHECK(question->group == row.group);
  }
}

TEST_CASE("a pod is read for its containers, and names that are none are left out") {
  const auto pod = ParsePodContainers(R"({"metadata": {"name": "train-0"}, "spec": {
      "initContainers": [{"name": "fetch"}],
      "containers": [{"name": "main"}, {"name": "\u001b[2J"}, {"name": 5}, {}, {"name": "log"}]}})");
  REQUIRE(pod);
  CHECK(pod->name == "train-0");
  CHECK(pod->containers == std::vector<std::string>{"main", "log"});
  CHECK(pod->init_containers == std::vector<std::string>{"fetch"});
  for (const char* text : {"", "[]", "{}", R"({"metadata": {"name": "../etc"}})"})
    CHECK(!ParsePodContainers(text));
}

TEST_CASE("of the copies on a worker those of the group are meant") {
  struct Row {
    const char* metadata;
    bool is_meant;
  };
  const std::vector<Row> rows = {
      {R"("labels": {"kueue.x-k8s.io/pod-group-name": "train"})", true},
      {R"("annotations": {"kueue.x-k8s.io/pod-group-name": "train"})", true},
      {R"("labels": {"kueue.x-k8s.io/pod-group-name": "other"})", false},
      // The annotation is the newer form.
      {R"("labels": {"kueue.x-k8s.io/pod-group-name": "train"},
          "annotations": {"kueue.x-k8s.io/pod-group-name": "other"})",
       false},
      {R"("labels": {})", false},
  };
  const tracking::JobKinds kinds({}, /*pods=*/true);
  const auto group = QuestionFor(kinds, "Pod group", {"ml", "train"});
  const auto job = QuestionFor(kinds, "Job", {"ml", "train"});
  REQUIRE(group);
  REQUIRE(job);
  for (const Row& row : rows) {
    CAPTURE(row.metadata);
    const auto pod = ParsePodContainers(std::string(R"({"metadata": {"name": "train-0", )") +
                                        row.metadata + R"(}, "spec": {}})");
    REQUIRE(pod);
    CHECK(IsOfJob(*pod, *group) == row.is_meant);
    CHECK(IsOfJob(*pod, *job));
  }
}

TEST_CASE("all containers are meant but those that start a pod, unless one is named") {
  const std::vector<PodContainers> pods = {{"train-1", "", {"main"}, {"fetch"}},
                                           {"train-0", "", {"main", "log"}, {"fetch"}}};
  struct Row {
    LogChoice choice;
    std::vector<LogSource> sources;
    const char* error = "";
  };
  const std::vector<Row> rows = {
      {{}, {{"train-0", "main"}, {"train-0", "log"}, {"train-1", "main"}}},
      {{"train-1", ""}, {{"train-1", "main"}}},
      {{"", "log"}, {{"train-0", "log"}}},
      {{"", "fetch"}, {{"train-0", "fetch"}, {"train-1", "fetch"}}},
      {{"train-2", ""}, {}, "the job has no pod train-2 there; it has: train-0, train-1"},
      {{"train-1", "log"}, {}, "there is no container log; there are: fetch, main"},
  };
  for (const Row& row : rows) {
    const auto sources = SourcesIn(pods, row.choice);
    if (*row.error != '\0') {
      REQUIRE(!sources);
      CHECK(sources.error().message == row.error);
    } else {
      REQUIRE(sources);
      CHECK(*sources == row.sources);
    }
  }
}

TEST_CASE("a terminal is shown text, and a file what came") {
  struct Row {
    const char* log;
    LogLook look;
    const char* shown;
  };
  const std::vector<Row> rows = {
      {"one\ntwo\n", {}, "one\ntwo\n"},
      {"one\ntwo", {.prefix = "[p/c] "}, "[p/c] one\n[p/c] two\n"},
      {"", {.prefix = "[p/c] "}, ""},
      {"\n", {.prefix = "[p/c] "}, "[p/c] \n"},
      {"\033]0;title\007x\n", {}, " ]0;title x\n"},
      {"ab\tc\n", {}, "ab      c\n"},
      {" 10%\r 20%\r 30%\n", {}, " 30%\n"},
      {"dos\r\n", {}, "dos\n"},
      {"\xff\n", {}, "?\n"},
      {"gr\xc3\xbc\xc3\x9f\n", {.utf8 = false}, "gr??\n"},
      {"a\tb\r\033[1m\xff\n", {.terminal = false}, "a\tb\r\033[1m\xff\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.log);
    CHECK(LogText(row.log, row.look) == row.shown);
  }
}

TEST_CASE("what arrives in pieces is shown in whole lines, and all of it at the end") {
  LineCutter cutter;
  CHECK(cutter.Cut("on").empty());
  CHECK(cutter.Cut("e\ntwo\nth") == "one\ntwo\n");
  CHECK(cutter.Cut("ree\n") == "three\n");
  CHECK(cutter.Cut("").empty());
  CHECK(cutter.Cut("four").empty());
  CHECK(cutter.Rest() == "four");
  CHECK(cutter.Rest().empty());
  // A line without an end is not waited for.
  const std::string half(size_t{1} << 20, 'x');
  CHECK(cutter.Cut(half).empty());
  CHECK(cutter.Cut("y") == half + "y");
}

TEST_CASE("of streams that nobody reads no more is kept than may be, and each ends once") {
  constexpr size_t kMost = 10'000;
  Arrivals arrivals(2, kMost);
  CHECK(arrivals.Take(std::chrono::milliseconds(0)).empty());
  CHECK(arrivals.Data(0, "a"));
  CHECK(arrivals.Data(0, "b"));
  CHECK(arrivals.Data(1, "c"));
  arrivals.End(1, http::Reply{.status = 200});
  std::vector<Arrival> taken = arrivals.Take(std::chrono::milliseconds(0));
  REQUIRE(taken.size() == 3);
  CHECK(taken[0].bytes == "ab");
  CHECK(taken[1].bytes == "c");
  CHECK(taken[2].ends());
  CHECK(taken[2].stream == 1);
  CHECK_FALSE(arrivals.Data(1, "late"));
  arrivals.End(1, http::Reply{.status = 200});
  CHECK(arrivals.Take(std::chrono::milliseconds(0)).empty());
  // One byte at a time, and more than fits.
  size_t kept = 0;
  while (arrivals.Data(0, "x")) ++kept;
  CHECK(kept > 0);
  CHECK(kept < kMost);
  CHECK_FALSE(arrivals.Data(0, "x"));
  arrivals.End(0, http::Reply{.status = 200});  // it was cancelled
  taken = arrivals.Take(std::chrono::milliseconds(0));
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].bytes.size() == kept);
  CHECK(taken[1].overflow);
}

}  // namespace
}  // namespace fedra::cli::logs_test
