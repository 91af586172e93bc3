#pragma once
//
// How a job's pods are asked for on a worker, and which of their containers are meant. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "manager/tracking/kinds/job_kinds.h"

namespace fedra::cli {

// By a label, or where the pod is the job, by its name.
struct PodQuestion {
  ObjectKey pod;       // is the job; name empty: the pods have labels
  std::string labels;  // a label selector: "batch.kubernetes.io/job-name=train"
  // Of the pods with the labels those of this group, which may be named by an annotation; empty:
  // all.
  std::string group = {};
};

// kInvalidArgument: `kind` is none of these kinds, or no pod says which of its jobs it belongs to.
Result<PodQuestion> QuestionFor(const tracking::JobKinds& kinds, std::string_view kind,
                                const ObjectKey& job);

// What of a pod is asked for.
struct PodContainers {
  std::string name;
  std::string group;                         // of pods; empty: it is of none
  std::vector<std::string> containers;       // as its spec has them
  std::vector<std::string> init_containers;  // sidecars among them
};

// Of a Pod as JSON, with names that Kubernetes would take only. kBadResponse: it is none.
Result<PodContainers> ParsePodContainers(std::string_view text);

// Whether a pod that has the labels is one of the job's.
bool IsOfJob(const PodContainers& pod, const PodQuestion& question);

struct LogSource {
  std::string pod;
  std::string container;
  bool operator==(const LogSource&) const = default;
};

// What the user has chosen; empty: all pods, all containers but those that only start a pod.
struct LogChoice {
  std::string pod;
  std::string container;
};

// In the order of names. kInvalidArgument, with those that there are: no pod, or no container, is
// called so. `pods`: not empty.
Result<std::vector<LogSource>> SourcesIn(std::vector<PodContainers> pods, const LogChoice& choice);

}  // namespace fedra::cli
