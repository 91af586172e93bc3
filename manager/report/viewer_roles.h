#pragma once
//
// The ClusterRoles of deploy/viewer-rbac.yaml, by which a refusal says what gives the right.

#include <string_view>

namespace fedra::report {

inline constexpr std::string_view kJobViewerRole = "fedra-viewer";
inline constexpr std::string_view kFleetViewerRole = "fedra-fleet-viewer";
inline constexpr std::string_view kMetricsReaderRole = "fedra-metrics-reader";

}  // namespace fedra::report
