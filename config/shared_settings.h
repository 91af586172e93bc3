#pragma once
//
// What replicas of one fedra must have in common, so that another one that leads decides alike; as
// hashes, one for each section of the file, to be compared over machines.
//
// Left out is what is one process' own: how it reaches the clusters (kubeconfigs and their
// contexts, credential plugins, HTTP versions), where it keeps its store, listens and logs. The
// manager is the same for all, for its Lease is there. Of a worker its server's address counts: one
// name must mean one cluster. Nothing secret is hashed.
// Pure functions.

#include <string>
#include <vector>

#include "config/load.h"

namespace fedra::config {

// "dispatch=0123456789abcdef,kueue=...". The same for the same version of fedra only: another one
// has other keys.
std::string SharedSettings(const Loaded& loaded);

// The sections in which another one's differ from ours, by name; empty: none does, or `theirs` is
// empty. `theirs` is untrusted: nothing of it is in the answer.
std::vector<std::string> DifferingSections(const std::string& ours, const std::string& theirs);

}  // namespace fedra::config
