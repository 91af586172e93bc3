#pragma once
//
// A job as a person wrote it, before any cluster has seen it: for `fedra check`.

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/pod_set.h"
#include "manager/tracking/requirement.h"

namespace fedra::tracking {

struct SubmittedJob {
  const JobAdapter* adapter = nullptr;
  ObjectKey key;
  // Of a group its objects, by name, without those whose names the API server makes; and the key
  // has the group's name, which is that of its Workload, too.
  std::vector<ObjectKey> members = {};
  bool is_group = false;
  Requirement requirement = {};
  // Itself, of a job that names other objects (JobAdapter::References); null of others.
  std::shared_ptr<const nlohmann::json> object = nullptr;
};

// What its pods ask for, by the spec of the object that it names; unchanged when that does not
// describe them, or cannot be read.
SubmittedJob WithReferencedPods(SubmittedJob job, nlohmann::json spec);

// `kinds`: that fedra runs; they must outlive the result. `default_ns` for manifests without a
// namespace; empty means "default", as for kubectl. Of what makes pods (pod_maker.h) one of them,
// where `kinds` has pods. kInvalidArgument when the document is no job of a kind that fedra can
// run.
Result<SubmittedJob> ParseSubmitted(const nlohmann::json& object, const JobKinds& kinds,
                                    const std::string& default_ns);

}  // namespace fedra::tracking
