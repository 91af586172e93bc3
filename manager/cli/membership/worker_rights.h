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

struct WantedRights {
  std::vector<std::string> optional = {};    // of OptionalRights()
  bool only_reads = false;                   // kueue.mode is dispatcher: no copies are made there
  std::vector<std::string> namespaces = {};  // where jobs are made; empty: in all
};

// In the order in which they are to be applied. kInternal: a file of deploy/ has a kind that is not
// known here.
Result<std::vector<RightsObject>> RightsFor(const WantedRights& wanted);

// The bindings that an earlier join may have left and that grant more than is wanted. `before`: the
// namespaces that it was for. They are to be deleted, where they exist.
Result<std::vector<RightsObject>> BindingsBeyond(const WantedRights& wanted,
                                                 const std::vector<std::string>& before);

// Everything that any join with these namespaces has made.
Result<std::vector<RightsObject>> AllRights(const std::vector<std::string>& namespaces);

}  // namespace fedra::cli
