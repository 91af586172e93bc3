#pragma once
//
// The document of the server-side apply that makes or refreshes our copy of a template.
//
// Pure.

#include <string>
#include <string_view>

#include "base/types.h"
#include "manager/tracking/ownership.h"
#include "manager/verify/objects.h"

namespace fedra::templates {

// Applied with this version a copy is created, and never an object taken over: no existing object
// has it, so the API server answers 409 when there is one (Kubernetes 1.36.3; a version in an apply
// that creates is otherwise ignored).
inline constexpr std::string_view kMustNotExist = "1";

// `api_version`: of resource.k8s.io on the worker, "v1". `expected`: the copy's resourceVersion as
// we saw it, or kMustNotExist. The content and the claims' metadata are the original's; of its own
// labels and annotations only the capabilities that it needs come along.
std::string CopyDocument(const verify::ClaimSummary& original, std::string_view api_version,
                         const tracking::Identity& us, std::string_view expected);

}  // namespace fedra::templates
