#pragma once
//
// Which right each endpoint takes, and so what of its answer a user gets to see. docs/api.md has
// the table.
//
// Thread rules: free functions; `may` and `namespaces` are called on the caller's thread.

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "manager/access/gate.h"
#include "manager/api/parameters.h"
#include "manager/api/routes.h"
#include "manager/api/viewer.h"

namespace fedra::api {

// What is not of one namespace: the workers, their devices. Not below /api or /apis, which every
// authenticated user may get (ClusterRole system:discovery).
inline constexpr std::string_view kFleetPath = "/fedra/fleet";

// Without a namespace in the request, at most so many are asked about.
inline constexpr size_t kMostNamespaces = 100;

// `purpose`: a request's, or which of many namespaces are shown.
using May = std::function<tl::expected<bool, access::Refusal>(const access::Attributes& attributes,
                                                              access::Purpose purpose)>;

// Why it is refused; `role`: the ClusterRole that gives the right (report/viewer_roles.h).
std::string DenialText(const access::Attributes& missing, std::string_view role);

// 403 as soon as it is clear, before anything is looked up. `namespaces`: those that have jobs; of
// a route that is posted to, those that the body is about, which is not read before its cheaper
// questions are answered.
tl::expected<Viewer, access::Refusal> ViewerOf(
    const Route& route, const Parameters& asked, const May& may,
    const std::function<Result<std::set<std::string>>()>& namespaces);

}  // namespace fedra::api
