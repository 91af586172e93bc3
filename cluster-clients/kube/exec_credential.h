#pragma once
//
// The protocol of exec credential plugins, client.authentication.k8s.io v1 and v1beta1. Pure.

#include <string>
#include <string_view>

#include "base/result.h"
#include "cluster-clients/kube/access.h"
#include "cluster-clients/kube/auth.h"

namespace fedra::kube {

// The value of KUBERNETES_EXEC_INFO: what a plugin may know about the cluster.
std::string ExecInfo(const AccessSettings& access, const ExecPlugin& plugin);

// What a plugin printed. kUnauthorized when it is no usable ExecCredential of the plugin's version.
Result<Credentials> ReadExecCredential(const ExecPlugin& plugin, std::string_view output);

}  // namespace fedra::kube
