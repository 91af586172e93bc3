#pragma once
//
// How to reach a cluster and who we are there: what a kubeconfig context says, with files already
// read. Plain values. They hold secrets: never log or store them.

#include <map>
#include <string>
#include <vector>

namespace fedra::kube {

// An exec credential plugin (client.authentication.k8s.io v1 or v1beta1); run without a terminal.
struct ExecPlugin {
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  // added to our own environment
  std::string install_hint;                // shown when the command is not found
  bool provide_cluster_info = false;
  // JSON text of spec.cluster.config in what the plugin gets, if provide_cluster_info; empty: none.
  std::string cluster_config = {};
  bool operator==(const ExecPlugin&) const = default;
};

struct AccessSettings {
  std::string server;           // "https://host:port[/prefix]"
  std::string ca_pem;           // only this cluster's CA; empty: the system's
  std::string tls_server_name;  // empty: the host of `server`
  std::string proxy_url;        // empty: none; the environment's proxies are never used
  bool insecure_skip_tls_verify = false;

  // At most one way to authenticate; with none the requests are anonymous.
  std::string client_certificate_pem;
  std::string client_key_pem;
  std::string token;
  std::string token_file;        // read again at least every minute
  std::vector<ExecPlugin> exec;  // zero or one
  std::string username;
  std::string password;

  bool operator==(const AccessSettings&) const = default;
};

// Whether both lead to the same server, as far as settings can tell. Credentials do not matter.
inline bool SameServer(const AccessSettings& a, const AccessSettings& b) {
  return a.server == b.server && a.ca_pem == b.ca_pem && a.tls_server_name == b.tls_server_name &&
         a.proxy_url == b.proxy_url && a.insecure_skip_tls_verify == b.insecure_skip_tls_verify;
}

}  // namespace fedra::kube
