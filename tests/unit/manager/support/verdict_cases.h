#pragma once
//
// The clusters and jobs on which the daemon and the commands must agree (one_verdict_test.cc).
//
// Plain values; the functions change the server that they are given.

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/sim/server.h"

namespace fedra::verdict_cases {

// "Yes", "No" or "Unknown", and the codes of the reasons.
using Expected = std::vector<std::string>;

// The name and token of the user by whom every worker is read.
inline constexpr const char* kReader = "reader";
// The one job's name, whatever it asks for.
inline constexpr const char* kJob = "train";

// One worker.
struct ClusterCase {
  std::string name;
  // What it lacks of Furnish(), or has beyond it. `manager_uid`: of this fedra's manager.
  std::function<void(sim::Server& worker, const std::string& manager_uid)> change;
  Expected for_template;  // of the job "a template"
};

struct JobCase {
  std::string what;
  std::vector<nlohmann::json> pods;  // the spec of each pod set's pods
  Expected on_complete;              // on the worker "complete"
  Expected on_another;               // on the worker "another-template"
};

// The user kReader may do everything there, but nothing to this resource; empty: everything.
void GiveRights(sim::Server& server, const std::string& denied);
// Namespace, queue, class, templates, a claim to name, four devices, and the user kReader with all
// rights.
void Furnish(sim::Server& worker);
// The manager's template.
void FurnishManager(sim::Server& manager);

std::vector<ClusterCase> Clusters();
std::vector<JobCase> Jobs();

}  // namespace fedra::verdict_cases
