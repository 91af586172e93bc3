#pragma once
//
// fedra join, fedra join --rotate and fedra leave.
//
// What is for people goes to standard error; standard output has what is to be put into a file: the
// worker's line for the configuration, or the objects of a dry run. No output has a credential.
//
// Thread rules: one user thread.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "manager/cli/membership/member_clusters.h"
#include "manager/cli/membership/named_context.h"
#include "manager/cli/terminal/terminal.h"

namespace fedra::cli {

struct MembershipOptions {
  ContextChoice worker;             // of the worker's administrator
  std::string manager_context;      // in the same kubeconfig files; empty: current-context
  std::string ns = "fedra-system";  // of fedra on the manager
  std::string timeout = "30s";      // for connecting
  bool dry_run = false;
};

struct JoinOptions {
  MembershipOptions where;
  std::vector<std::string> names;  // of the worker; several with `rotate`. Empty: the context's
  std::string server;              // the worker's address as fedra has to use it; empty: ours
  std::optional<std::string> proxy_url;  // fedra's proxy; empty: none. Not given: the context's
  std::vector<std::string> optional;     // see OptionalRights()
  std::string mode = "admissionCheck";   // kueue.mode of the fedra that it is for
  std::vector<std::string> namespaces;   // where jobs may be made; empty: in all
  std::string token_lifetime = "2160h";
  bool force_conflicts = false;  // take fields over from other field managers
  bool rotate = false;
  std::string kubeconfig_out;  // a file in place of the Secret; empty: the Secret
  bool overwrite = false;      // a file of that name may be replaced
};
int Join(const JoinOptions& options, Terminal& terminal);

struct LeaveOptions {
  MembershipOptions where;
  std::string name;
  bool force = false;        // also with jobs there, another manager, or when it cannot be reached
  bool worker_only = false;  // there is no Secret
};
// kUnknown: with `force`, what is on the worker was left there.
int Leave(const LeaveOptions& options, Terminal& terminal);

// Parts of `join` that the others have, too.

// The worker's administrator; the manager, connected to as a cluster of this name.
Result<config::KubeAccess> WorkerContext(const MembershipOptions& where);
Result<ClusterSettings> ManagerSettings(const MembershipOptions& where);
// Says on standard error that `fedra COMMAND` has failed, and why. The exit code.
int Failed(const char* command, const Error& error, Terminal& terminal);

// The option's value, checked.
Result<std::chrono::seconds> TokenLifetime(const std::string& text);
// Usable as a worker's name in the configuration and as a label.
Result<void> IsWorkerName(const std::string& name);
int Rotate(const JoinOptions& options, Terminal& terminal);

}  // namespace fedra::cli
