#pragma once
//
// Where a command asks a daemon, and as whom.

#include <memory>
#include <string>

#include "base/result.h"
#include "cluster-clients/kube/access.h"
#include "manager/cli/membership/named_context.h"

namespace fedra::cli {

class ServiceTunnel;

// Holds secrets: never log or print it.
struct DaemonAddress {
  std::string socket = {};  // the Unix socket's path; empty: asked over TLS
  std::string url = {};     // "https://host:port"
  std::string ca_pem = {};  // empty: the system's CAs
  std::string tls_server_name = {};
  // The way to a Service of the cluster, for as long as it is asked; null: `url` is reached as it
  // is.
  std::shared_ptr<ServiceTunnel> tunnel = {};
  std::string service = {};  // NAMESPACE/NAME behind the tunnel
  // The daemon's certificate proves nothing that the tunnel has not: its end is where the API
  // server says that the Service is.
  bool trusts_tunnel = false;
  // Only who the user is, by a bearer token: the rest is of the API server that knows them.
  kube::AccessSettings user = {};

  // Names no daemon.
  bool empty() const { return socket.empty() && url.empty(); }
  // For people.
  std::string Name() const {
    if (!service.empty()) return "the Service " + service;
    return socket.empty() ? url : socket;
  }
};

// As the command line has it.
struct ServerOptions {
  // unix:PATH, https://HOST:PORT, or service:NAMESPACE/NAME, of which the end may be left out;
  // empty: none is named.
  std::string server;
  // Of the last two only. A token of one's own cluster is what fedra's API asks for.
  std::string token_file;             // empty: the user's of `context`
  std::string certificate_authority;  // a file; empty: the system's CAs
  std::string tls_server_name;        // empty: the host of `server`
  ContextChoice context;
};

// Whether any of these is given, but for `server`.
bool HasTlsOptions(const ServerOptions& options);

// Reads the files that are named, and opens the way to a Service (the thread that started the
// process). kInvalidArgument: what to write instead, or that the user of the kubeconfig has no
// token; else as of FindContext(), ReadInput(), FindApiService() and ServiceTunnel::Open().
Result<DaemonAddress> AddressIn(const ServerOptions& options);

}  // namespace fedra::cli
