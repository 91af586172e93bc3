#include "manager/report/job_name.h"

#include "tests/support/catch.h"

namespace fedra::report::job_name_test {
namespace {

TEST_CASE("a kind is named by a word, a group of pods too") {
  struct Row {
    const char* word;
    const char* kind;
    bool is_meant;
  };
  const std::vector<Row> rows = {
      {"jobset", "JobSet", true},        {"JobSets", "JobSet.jobset.x-k8s.io", true},
      {"job", "JobSet", false},          {"pod-group", "Pod group", true},
      {"Pod-Groups", "Pod group", true}, {"Pod group", "Pod group", true},
      {"pod", "Pod group", false},       {"podgroup", "Pod group", false},
      {"podgroup", "PodGroup", true},    {"pod-group", "PodGroup", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.word, row.kind);
    CHECK(IsKind(row.word, row.kind) == row.is_meant);
  }
  CHECK(KindWord("Pod group") == "pod-group");
  CHECK(KindWord("JobSet.jobset.x-k8s.io") == "jobset");
}

TEST_CASE("names of jobs") {
  using Names = std::vector<JobName>;
  CHECK(ParseWorkloadName("ml/train", "").value() ==
        Names{{"", {"ml", "train"}}, {"ml", {"", "train"}}});
  CHECK(ParseWorkloadName("train", "ml").value() == Names{{"", {"ml", "train"}}});
  CHECK(ParseWorkloadName("train", "").value() == Names{{"", {"", "train"}}});
  CHECK(ParseWorkloadName("job/train", "ml").value() ==
        Names{{"", {"job", "train"}}, {"job", {"ml", "train"}}});
  CHECK(ParseWorkloadName("wl/train", "ml").value() ==
        Names{{"", {"wl", "train"}}, {"", {"ml", "train"}}});
  CHECK(ParseWorkloadName("trainingrun/ml/train", "").value() ==
        Names{{"trainingrun", {"ml", "train"}}});
  CHECK(ParseWorkloadName("workloads/ml/train", "").value() == Names{{"", {"ml", "train"}}});
  for (const char* const wrong : {"/train", "ml/", "job/a/b/c", "job//c", "job/", ""}) {
    INFO(wrong);
    const auto parsed = ParseWorkloadName(wrong, "");
    REQUIRE_FALSE(parsed);
    CHECK_THAT(parsed.error().message, ContainsSubstring("write NAMESPACE/NAME"));
  }
}

}  // namespace
}  // namespace fedra::report::job_name_test
