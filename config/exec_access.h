#pragma once
//
// A credential plugin, as the `exec` of a kubeconfig's user or of an access provider
// (configuration.h) names it. The command comes from what an administrator of fedra wrote, never
// from an API object. Plain values; `env` may hold secrets.

#include <optional>
#include <string>
#include <vector>

namespace fedra::config {

struct ExecVariable {
  std::string name;
  std::string value;
  bool operator==(const ExecVariable&) const = default;
};

// client.authentication.k8s.io v1 or v1beta1; run without a terminal.
struct ExecAccess {
  std::string api_version;  // "client.authentication.k8s.io/v1" or ".../v1beta1"
  std::string command;      // absolute when it was written with a slash, else for PATH
  std::vector<std::string> args;
  std::vector<ExecVariable> env;  // added to our own environment; of two of a name the last counts
  std::string install_hint;       // shown when the command is not found
  bool provide_cluster_info = false;
  bool operator==(const ExecAccess&) const = default;
};

inline constexpr const char* kExecV1 = "client.authentication.k8s.io/v1";
inline constexpr const char* kExecV1Beta1 = "client.authentication.k8s.io/v1beta1";

// A command with a slash is a path from the folder of `file`, any other is looked up in PATH
// (client-go).
std::string ResolveCommand(const std::string& command, const std::string& file);

// Why it cannot be run, as far as its path says; nothing: it can, or PATH decides.
std::optional<std::string> CommandProblem(const std::string& command);

// Whether it can be the name of an environment variable.
bool IsVariableName(const std::string& name);

}  // namespace fedra::config
