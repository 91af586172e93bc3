#pragma once
//
// What fedra gets on a worker: the objects of deploy/worker-rbac*.yaml, as they were at build time.
//
// Thread rules: pure.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "cluster-clients/kube/resource.h"

namespace fedra::cli {

// fedra's account on every worker, which the manifests make. Its namespace is fixed, so that there
// is one truth about it.
inline constexpr const char* kAccountNamespace = "fedra-system";
inline constexpr const char* kAccountName = "fedra";

// A file of deploy/, by its name; in the order of the names.
struct RightsFile {
  std::string_view name;
  std::string_view text;
};
std::span<const RightsFile> WorkerRightsFiles();

struct RightsObject {
  kube::Resource resource;
  ObjectKey key;
  std::string json;  // the document
};

// What verification and dispatch may need in addition: "dependencies", "logs", "template-sync".
std::vector<std::string> OptionalRights();

// In the order in which they are to be applied: what every worker gets, and `optional`, which must
// be of OptionalRights(). kInternal: a file of deploy/ has a kind that is not known here.
Result<std::vector<RightsObject>> RightsWith(const std::vector<std::string>& optional);

}  // namespace fedra::cli
