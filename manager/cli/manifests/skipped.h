#pragma once
//
// Documents that are no jobs and no claims: why they are not looked at, for people. Pure.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/manifests/finding.h"
#include "manager/tracking/kinds/job_kinds.h"

namespace fedra::cli {

// ""v1, Kind=ConfigMap" is not a kind of job that fedra runs; skipped".
std::string WhySkipped(const nlohmann::json& object, const tracking::JobKinds& kinds);

// Of many lines the first, each cut and printable.
std::vector<std::string> SkippedLines(const std::vector<std::string>& skipped);

// Of files that hold nothing else.
std::string WhyNothing(const std::vector<ManifestFile>& files,
                       const std::vector<std::string>& skipped_lines);

}  // namespace fedra::cli
