#pragma once
//
// How a user names a job: "train", "ml/train", "jobset/ml/train", and the kind of a job in one
// word.
//
// Pure functions on values.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace fedra::report {

// A job or a Workload, as a user names it.
struct JobName {
  std::string kind;  // as it was written: "jobset", "jobsets.jobset.x-k8s.io"; empty: any
  ObjectKey key;     // without a namespace: in any
  bool operator==(const JobName&) const = default;
};

// A kind as a user may write it: "jobset"; of a group of pods "pod-group".
std::string KindWord(std::string_view kind);
// Whether the word, as a user writes a kind, means this kind: "jobsets" and "JobSet".
bool IsKind(std::string_view word, std::string_view kind);

// Whether the word means a Workload, of whatever kind of job: "workload", "wl".
bool IsAnyKind(std::string_view word);

// What "ml/train", "train" (in namespace `ns`, or empty: in any), "jobset/train", "job/ml/train" or
// "workload/ml/x" may mean, the likeliest first. kInvalidArgument, with the form to use, for
// anything else.
Result<std::vector<JobName>> ParseWorkloadName(const std::string& text, const std::string& ns);

}  // namespace fedra::report
