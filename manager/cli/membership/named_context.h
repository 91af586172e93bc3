#pragma once
//
// The credentials of the person who runs a command: the context of a kubeconfig, found as kubectl
// finds it.
//
// Thread rules: any thread; reads files and the environment.

#include <string>

#include "base/result.h"
#include "config/kubeconfig.h"

namespace fedra::cli {

struct ContextChoice {
  std::string kubeconfig;  // empty: the files of $KUBECONFIG, or ~/.kube/config
  std::string context;     // empty: current-context
};

// Of several files in $KUBECONFIG the first counts that has the context, or, where none is chosen,
// that says which one is the current one; all of it must be there, for files are not merged.
// kInvalidArgument: every problem, with its place.
Result<config::KubeAccess> FindContext(const ContextChoice& choice);

// The same; where nothing is chosen, $KUBECONFIG is not set, and this process runs in a pod, the
// pod's service account.
Result<config::KubeAccess> FindManagerContext(const ContextChoice& choice);

}  // namespace fedra::cli
