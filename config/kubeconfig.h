#pragma once
//
// Reads a kubeconfig (YAML or JSON) or a pod's service account into what a client needs to connect.
//
// One context is read: its cluster and its user. The rest of the file only has to be well-formed,
// and unknown keys are ignored, as kubectl does (client-go 1.36 tools/clientcmd). What would change
// who we are but is not supported (auth-provider, impersonation, exec v1alpha1) is refused, not
// ignored.
//
// Errors: every problem at once, with positions in the kubeconfig. Values of credentials are never
// part of a problem.
// Thread rules: free functions over files; any thread.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/clock.h"
#include "config/credential_times.h"
#include "config/exec_access.h"
#include "config/problem.h"

namespace fedra::config {

// Whether it can be the proxy-url of a kubeconfig: http, https or socks5://host:port. Pure.
bool IsProxyUrl(std::string_view text);

// How to reach a cluster and who we are there. Holds secrets: never log or store it.
// The wiring copies it field by field into cluster-clients' AccessSettings.
struct KubeAccess {
  std::string server;           // "https://host:port[/prefix]", no slash at the end
  std::string ca_pem;           // empty: the system's CAs
  std::string tls_server_name;  // empty: the host of `server`
  std::string proxy_url;        // http, https or socks5; empty: none
  bool insecure_skip_tls_verify = false;

  std::string client_certificate_pem;
  std::string client_key_pem;
  std::string token;       // empty when token_file is set
  std::string token_file;  // absolute; read again by the client
  std::optional<ExecAccess> exec;
  // What the cluster tells its plugin: the extension client.authentication.k8s.io/exec, as JSON
  // text; empty: nothing.
  std::string exec_cluster_config;
  std::string username;
  std::string password;

  std::string context;  // the context that was chosen; empty in-cluster
  // Of what ends first, as far as it says: the client certificate (notBefore, notAfter) or the
  // bearer token (iat, exp). A token file may be replaced before.
  std::optional<CredentialTimes> credential_times;
  std::vector<std::string> files;  // every file this was read from or depends on
  Problems warnings;               // usable, but a person should know
};

enum class AccessFault {
  kRefused,  // the kubeconfig or ClusterProfile was read, and leads to nothing that may be used
  kMissing,  // it could not be read, or says nothing that fedra knows
};

// Why a cluster cannot be used, and which files to watch for the repair.
struct AccessFailure {
  Problems problems;  // never empty
  std::vector<std::string> files;
  std::optional<CredentialTimes> credential_times = {};  // as in KubeAccess: perhaps the reason
  AccessFault fault = AccessFault::kRefused;             // told apart of discovered workers only
};

using ClusterAccess = tl::expected<KubeAccess, AccessFailure>;

struct KubeconfigOptions {
  std::string context;          // empty: current-context
  bool allow_insecure = false;  // permits insecure-skip-tls-verify and plain http
  WallTime now;                 // for certificate dates
  bool foreign = false;         // as of foreign_kubeconfig.h
};

// `path` is opened as it is; relative paths inside are relative to its folder.
ClusterAccess ReadKubeconfig(const std::string& path, const KubeconfigOptions& options);

// The same for a text that is already in memory; `path` names it in problems and gives the folder.
ClusterAccess ParseKubeconfig(const std::string& text, const std::string& path,
                              const KubeconfigOptions& options);

// Where a pod finds its API server. The defaults are the kubelet's.
struct InClusterSources {
  std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount";  // holds token and ca.crt
  std::string host;                                                      // $KUBERNETES_SERVICE_HOST
  std::string port;                                                      // $KUBERNETES_SERVICE_PORT
};
// `host` and `port` from the environment of this process.
InClusterSources InClusterFromEnvironment();
// `now` is for certificate dates.
ClusterAccess ReadInCluster(const InClusterSources& sources, WallTime now);

// What tells one API server from another.
std::array<std::string, 3> ServerKey(const KubeAccess& access);

// "https://10.0.0.1:6443 as client certificate": for people, without any secret.
std::string Summary(const KubeAccess& access);

}  // namespace fedra::config
