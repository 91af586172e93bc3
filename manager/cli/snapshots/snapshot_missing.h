#pragma once
//
// What a snapshot does not have of its workers. Pure.

#include <string>
#include <vector>

#include "manager/cli/snapshots/snapshot_file.h"

namespace fedra::cli {

// "gpu-east: pods could not be read completely: 403 Forbidden": a line each, empty when it has all.
std::vector<std::string> WhatIsMissing(const SnapshotFile& file);

}  // namespace fedra::cli
