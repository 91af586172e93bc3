#pragma once
//
// The kubeconfig of one worker, and the Secret on the manager in which fedra finds it.
//
// The Secret has the shape that the chart and MultiKueueCluster read: a key "kubeconfig". Its label
// fedra.dev/worker says whose it is; a Secret without that label is never changed or deleted.
//
// Thread rules: pure, but for FindSecretOf, which blocks for the answer. Errors never hold a
// credential.

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/types.h"
#include "cluster-clients/cluster.h"
#include "cluster-clients/kube/access.h"
#include "cluster-clients/kube/resource.h"

namespace fedra::cli {

extern const kube::Resource kSecrets;
inline constexpr const char* kKubeconfigKey = "kubeconfig";

// A kubeconfig with one context of the worker's name: server and CA as in `access`, and the token.
std::string TokenKubeconfig(const std::string& worker, const kube::AccessSettings& access,
                            const std::string& token);

// "fedra-worker-gpu-east"
ObjectKey SecretKeyOf(const std::string& ns, const std::string& worker);

// "manager: Secret fedra-system/fedra-worker-gpu-east", for people.
std::string SecretName(const ObjectKey& key);

// The document for server-side apply. `token_ends`: null of a Secret that is only shown, whose
// kubeconfig is a text in place of one.
std::string SecretDocument(const ObjectKey& key, const std::string& worker,
                           const std::string& kubeconfig, const WallTime* token_ends);

// kConflict: the object is not a Secret that `fedra join` made for this worker.
Result<void> IsSecretOf(const std::string& worker, const std::string& object);
// The Secret as the manager has it; nothing: there is none. kConflict as of IsSecretOf.
Result<std::optional<std::string>> FindSecretOf(Cluster& manager, const ObjectKey& key,
                                                const std::string& worker);
// The kubeconfig in such a Secret.
Result<std::string> KubeconfigIn(const std::string& worker, const std::string& object);

}  // namespace fedra::cli
