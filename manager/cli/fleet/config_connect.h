#pragma once
//
// Does every configured cluster answer, and may fedra do there what it must? Asks the clusters'
// access reviews; changes nothing.
//
// Thread rules: blocks; the main thread of a command.

#include <chrono>
#include <string>
#include <vector>

#include "cluster-clients/cluster.h"
#include "config/load.h"
#include "manager/cli/terminal/terminal.h"

namespace fedra::cli {

// What a cluster answered.
struct ClusterAnswer {
  std::string name;
  std::string release;  // "v1.36.3"; empty while it cannot be reached
  std::string problem;  // why it cannot be used as it should; empty: it can
  // The namespaces with a LocalQueue in which jobs may be made there; empty: it is all.
  std::vector<std::string> only_in = {};
};

// Why a cluster that is not connected cannot be used, in one line.
std::string WhyUnusable(const ConnectionState& state);

// The manager, and then the workers. `loaded` is free of access problems.
std::vector<ClusterAnswer> AskClusters(const config::Loaded& loaded,
                                       std::chrono::milliseconds timeout, Terminal& terminal);

}  // namespace fedra::cli
