#include "cluster-clients/kube/verbs.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::kube::verbs_test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

const Resource kJobs{"batch", "v1", "jobs", "Job", true};
const ObjectKey kKey{"ml", "train"};
const std::string kPath = "/apis/batch/v1/namespaces/ml/jobs";

TEST_CASE("each verb is the request that Kubernetes documents") {
  struct Row {
    const char* what;
    Verb verb;
    std::string method;
    std::string path;
    std::string type;
    bool idempotent;
  };
  const Row rows[] = {
      {"get", Get(kJobs, kKey), "GET", kPath + "/train", "", true},
      {"create", Create(kJobs, "ml", "", "{}", {"fedra", false, false}), "POST",
       kPath + "?fieldManager=fedra", "application/json", false},
      {"create of an object", Create(kJobs, "ml", "a b/token", "{}", {"fedra", false, false}),
       "POST", kPath + "/a%20b/token?fieldManager=fedra", "application/json", false},
      {"merge patch", MergePatch(kJobs, kKey, "status", "{}", {"fedra", false, false}), "PATCH",
       kPath + "/train/status?fieldManager=fedra", "application/merge-patch+json", true},
      {"apply", Apply(kJobs, kKey, "", "{}", {"fedra-check", true, false}), "PATCH",
       kPath + "/train?fieldManager=fedra-check&force=true", "application/apply-patch+yaml", true},
      {"delete", Delete(kJobs, kKey, "u-1", {}), "DELETE", kPath + "/train", "application/json",
       true},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(row.verb.request.method == row.method);
    CHECK(row.verb.request.path == row.path);
    CHECK(row.verb.request.content_type == row.type);
    CHECK(row.verb.idempotent == row.idempotent);
  }
}

TEST_CASE("a log is asked for with both bounds, and is no object") {
  const Verb verb = PodLog({"ml", "train-x"}, "a b", 20, 4096);
  CHECK(verb.request.path ==
        "/api/v1/namespaces/ml/pods/train-x/log?container=a%20b&tailLines=20&limitBytes=4096");
  CHECK(verb.answers_text);
  CHECK(verb.idempotent);
}

TEST_CASE("delete carries its precondition") {
  const json with = json::parse(Delete(kJobs, kKey, "u-1", ResourceVersion("7")).request.body);
  CHECK(with["preconditions"] == json({{"uid", "u-1"}, {"resourceVersion", "7"}}));
  CHECK(with["propagationPolicy"] == "Background");
  const json without = json::parse(Delete(kJobs, kKey, "", {}).request.body);
  CHECK(!without.contains("preconditions"));
}

TEST_CASE("an access review asks about ourselves") {
  const Verb verb = AccessReview("create", kJobs, "ml", "status");
  const json spec = json::parse(verb.request.body)["spec"]["resourceAttributes"];
  CHECK(spec == json({{"verb", "create"},
                      {"group", "batch"},
                      {"version", "v1"},
                      {"resource", "jobs"},
                      {"subresource", "status"},
                      {"namespace", "ml"}}));
  CHECK(verb.idempotent);
}

TEST_CASE("lists are paged, watches resume and ask for bookmarks") {
  CHECK(ListPage(kJobs, {}, 500, "").path == "/apis/batch/v1/jobs?limit=500");
  CHECK(ListPage(kJobs, {}, 0, "t=").path == "/apis/batch/v1/jobs?continue=t%3D");
  CHECK(OpenWatch(kJobs, {}, ResourceVersion("12"), 290s).path ==
        "/apis/batch/v1/jobs?watch=true&allowWatchBookmarks=true&resourceVersion=12&"
        "timeoutSeconds=290");
  CHECK(ListPage(kJobs, {.ns = "ml"}, 500, "").path ==
        "/apis/batch/v1/namespaces/ml/jobs?limit=500");
  CHECK(OpenWatch(kJobs, {.ns = "ml"}, ResourceVersion("12"), 290s)
            .path.starts_with("/apis/batch/v1/namespaces/ml/jobs?watch=true"));
  const Selection labelled{.labels = "app=a,tier"};
  CHECK(ListPage(kJobs, labelled, 500, "").path ==
        "/apis/batch/v1/jobs?labelSelector=app%3Da%2Ctier&limit=500");
  CHECK(OpenWatch(kJobs, labelled, ResourceVersion("12"), 290s)
            .path.starts_with("/apis/batch/v1/jobs?watch=true&labelSelector=app%3Da%2Ctier&"));
}

}  // namespace
}  // namespace fedra::kube::verbs_test
