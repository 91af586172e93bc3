#pragma once
//
// Where a command asks a daemon, and as whom.

#include <string>

#include "base/result.h"
#include "cluster-clients/kube/access.h"
#include "manager/cli/membership/named_context.h"

namespace fedra::cli {

// Holds secrets: never log or print it.
struct DaemonAddress {
  std::string socket = {};  // the Unix socket's path; empty: asked over TLS
  std::string url = {};     // "https://host:port"
  std::string ca_pem = {};  // empty: the system's CAs
  std::string tls_server_name = {};
  // Only who the user is, by a bearer token: the rest is of the API server that knows them.
  kube::AccessSettings user = {};

  // Names no daemon.
  bool empty() const { return socket.empty() && url.empty(); }
  // For people.
  const std::string& Name() const { return socket.empty() ? url : socket; }
};

// As the command line has it.
struct ServerOptions {
  std::string server;  // unix:PATH or https://HOST:PORT; empty: none is named
  // Of https only. A token of one's own cluster is what fedra's API asks for.
  std::string token_file;             // empty: the user's of `context`
  std::string certificate_authority;  // a file; empty: the system's CAs
  std::string tls_server_name;        // empty: the host of `server`
  ContextChoice context;
};

// Reads the files that are named. kInvalidArgument: what to write instead, or that the user of the
// kubeconfig has no token; else as of FindContext() and ReadInput().
Result<DaemonAddress> AddressIn(const ServerOptions& options);

}  // namespace fedra::cli
