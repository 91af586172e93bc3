#pragma once
//
// One simulated kube-apiserver with its storage: HTTPS on a loopback port, its own CA, users with
// rules, faults on demand. It behaves like Kubernetes 1.36 as far as fedra can see; README.md lists
// what it serves and where it is known to differ.
//
// Nothing acts on the objects but garbage collection and namespace deletion; controllers are added
// as actors (kueue.h, job_controller.h).
//
// Thread rules: any thread but the engine's own.
// Lifetime: the destructor ends all connections, as a server does that shuts down (GOAWAY where
// HTTP/2 is spoken), and waits until the engine has let go of this server. Actors must be destroyed
// before their server.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/engine.h"
#include "tests/sim/faults.h"
#include "tests/sim/objects.h"
#include "tests/sim/users.h"

namespace fedra::sim {

struct ServerOptions {
  std::string name = "cluster";         // also the context and the cluster in the kubeconfig
  std::string git_version = "v1.36.3";  // as /version says
  // Served versions of resource.k8s.io, preferred first; empty: the group is not served.
  std::vector<std::string> dra_versions = {"v1"};
  bool device_taint_rules = false;  // serve DeviceTaintRules in resource.k8s.io/v1beta2
  // Serve PodGroups in scheduling.k8s.io/v1alpha2, with claims of their own.
  bool pod_groups = false;
  bool job_kinds = false;  // serve the CRDs of all kinds of jobs (kinds/job_kind.h)
  // Speak HTTP/2 with clients that offer it. False: as behind a proxy that cannot.
  bool http2 = true;
  bool kueue = true;  // serve kueue.x-k8s.io/v1beta2, and fedra.dev/v1alpha1
  // Events kept per resource for watches that resume; older versions get 410.
  size_t history = 20'000;
  // How often a watch that asked for bookmarks gets one. A real server: about once a minute.
  std::chrono::milliseconds bookmark_interval{60'000};
};

struct ClientCertificate {
  std::string certificate_pem;
  std::string key_pem;
};

// An answer as it would have gone over the wire.
struct Reply {
  int status = 200;
  std::string body;
  std::map<std::string, std::string> headers;  // beyond Content-Length
};

class Server final {
 public:
  // Serves at once. The user "admin" with the token "admin-token" may do everything.
  explicit Server(ServerOptions options = {}, std::shared_ptr<Engine> engine = nullptr);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // "https://127.0.0.1:PORT"; the same for the whole life.
  std::string Address() const;
  std::string CaPem() const;
  // A kubeconfig with inline data: the user's token, or a client certificate when the user has
  // none.
  std::string Kubeconfig(const std::string& user = "admin") const;
  // Signed by the server's CA, with the user as common name and the groups as organisations.
  ClientCertificate IssueCertificate(const std::string& user) const;

  // Adds the user or replaces the one of that name.
  void SetUser(User user);

  void SetFaults(Faults faults);
  Faults faults() const;
  // Resets every open connection, once.
  void DropConnections();
  // Forgets the history: watches that resume from before now get 410.
  void ExpireHistory();

  // Requests by "VERB RESOURCE", for example "list workloads", "patch jobs/status", "get /version".
  std::map<std::string, size_t> RequestCounts() const;
  // Connections accepted so far.
  size_t ConnectionCount() const;
  // Watches that clients have open.
  size_t WatchCount() const;

  Objects& objects();
  // One request without TLS and HTTP. `target` is path and query. Watches are answered with what is
  // already known and end at once.
  Reply Call(const std::string& method, const std::string& target, const std::string& body = {},
             const std::string& content_type = "application/json",
             const std::string& user = "admin");

  // For actors.
  Core& core();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra::sim
