#pragma once
//
// Kubeconfigs that are not the administrator's of fedra: a MultiKueueCluster of the manager names
// them. Its author must not make fedra read a file, run a program or send credentials in the clear,
// so they may hold less than others: no exec plugin, no file, no basic authentication, no
// insecure-skip-tls-verify, no plain http, no odd host. What Kueue 0.19.2 rejects of them is
// rejected here (pkg/controller/admissionchecks/multikueue/multikueuecluster.go,
// validateKubeconfig, validateRestConfig, validateKubeConfigPath), and client certificates in files
// as well.
//
// Errors: as of kubeconfig.h; no value of a credential is part of a problem. No file is one to
// watch.
// Thread rules: free functions; any thread.

#include <string>

#include "config/kubeconfig.h"

namespace fedra::config {

// `source` names the text in problems: "Secret kueue-system/gpu-east".
ClusterAccess ParseForeignKubeconfig(const std::string& text, const std::string& source,
                                     WallTime now);

// The file must be in `folder`, or below it, after every symbolic link has been followed.
ClusterAccess ReadForeignKubeconfig(const std::string& path, const std::string& folder,
                                    WallTime now);

// A failure of one problem.
ClusterAccess Unusable(std::string source, std::string problem, std::string hint,
                       AccessFault fault = AccessFault::kMissing);

}  // namespace fedra::config
