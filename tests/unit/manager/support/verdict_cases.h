#pragma once
//
// The clusters and jobs on which the daemon and the commands must agree (one_verdict_test.cc).
//
// Plain values; the functions change the server that they are given.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "manager/tracking/ownership.h"
#include "tests/sim/server.h"

namespace fedra::verdict_cases {

// "Yes", "No" or "Unknown", and the codes of the reasons.
using Expected = std::vector<std::string>;
using tracking::Identity;
using tracking::Mode;

// The name and token of the user by whom every worker is read.
inline constexpr const char* kReader = "reader";
// The one job's name, whatever it asks for.
inline constexpr const char* kJob = "train";

// One worker.
struct ClusterCase {
  std::string name;
  // What it lacks of Furnish(), or has beyond it.
  std::function<void(sim::Server& worker, const Identity& us)> change;
  Expected for_template;                   // of the job "a template"
  std::map<Mode, Expected> in_modes = {};  // the same in modes where it is another

  const Expected& For(Mode mode) const {
    const auto other = in_modes.find(mode);
    return other == in_modes.end() ? for_template : other->second;
  }
};

// What the pods are of: a job of kind Job, a job by themselves, or a group.
enum class Form { kBatchJob, kPod, kGroup };

struct JobCase {
  std::string what;
  // The spec of each pod set's pods; of a group, of each pod.
  std::vector<nlohmann::json> pods;
  Expected on_complete;  // on the worker "complete"
  Expected on_another;   // on the worker "another-template"; empty: not compared, as below
  Form form = Form::kBatchJob;
  Expected on_taken = {};  // on the worker "pod-in-the-way"
};

// The user kReader may do everything there, but nothing to this resource; empty: everything.
void GiveRights(sim::Server& server, const std::string& denied);
// Namespace, queue, class, templates, a claim to name, four devices, and the user kReader with all
// rights.
void Furnish(sim::Server& worker);
// The manager's template, and what Kueue's MultiKueue needs in the modes that take it from there:
// the check's parameters, and connected MultiKueueClusters.
void FurnishManager(sim::Server& manager, Mode mode);

std::vector<ClusterCase> Clusters();
// Pods are jobs in mode admissionCheck alone.
std::vector<JobCase> Jobs(Mode mode);

}  // namespace fedra::verdict_cases
