#pragma once
//
// Workers that were found elsewhere than in the configuration file, put beside those that are in
// it. From then on they are workers like the others, with every default.
//
// Pure.

#include <string>
#include <vector>

#include "config/load.h"

namespace fedra::config {

struct DiscoveredWorker {
  std::string name;
  ClusterAccess access;
  std::string found = {};  // the object that makes it a worker: "MultiKueueCluster gpu-east"
  // Where the access comes from when that is another object: "Secret kueue-system/gpu-east"
  std::string source = {};
};

// Whether both lead to the same workers with the same credentials, and say the same of them.
bool AreSame(const std::vector<DiscoveredWorker>& some,
             const std::vector<DiscoveredWorker>& others);

// Appends them to `loaded` in the order of `found`, at most once for each file that was loaded. One
// whose name is a configured worker's, or that of one before it, is left out: Loaded::not_used says
// so. One that leads to the API server of another cluster cannot be used, and says so itself.
void AddDiscovered(const std::vector<DiscoveredWorker>& found, Loaded& loaded);

}  // namespace fedra::config
