#include <fmt/format.h>

#include "config/kubeconfig_section.h"

namespace fedra::config {
namespace {

void ReadApiVersion(ExecAccess& exec, KubeconfigSection& section) {
  exec.api_version = section.Text("apiVersion");
  if (exec.api_version == kExecV1 || exec.api_version == kExecV1Beta1) return;
  const std::string hint = fmt::format("{} or {}", kExecV1, kExecV1Beta1);
  if (exec.api_version.empty()) {
    section.Problem("apiVersion", "is required", hint);
  } else if (exec.api_version == "client.authentication.k8s.io/v1alpha1") {
    section.Problem("apiVersion", "v1alpha1 was removed in Kubernetes 1.24",
                    "update the plugin and regenerate the kubeconfig");
  } else {
    section.Problem("apiVersion", "is not supported", hint);
  }
}

void ReadCommand(KubeconfigReading& reading, ExecAccess& exec, KubeconfigSection& section) {
  exec.command = section.Text("command");
  if (exec.command.empty()) return section.Problem("command", "is required");
  exec.command = ResolveCommand(exec.command, reading.path);
  if (auto problem = CommandProblem(exec.command))
    section.Problem("command", *std::move(problem), exec.install_hint);
}

void ReadEnvironment(KubeconfigReading& reading, ExecAccess& exec, const YamlNode& list,
                     const std::string& path) {
  for (size_t i = 0; i < list.items.size(); ++i) {
    KubeconfigSection variable(reading, list.items[i], fmt::format("{}[{}]", path, i));
    const std::string name = variable.Text("name");
    if (!IsVariableName(name)) {
      variable.Problem("name", "must be the name of an environment variable");
      continue;
    }
    exec.env.push_back({name, variable.Text("value")});
  }
}

}  // namespace

void ReadExecEntry(KubeconfigReading& reading, const YamlNode& node, const std::string& path) {
  KubeconfigSection section(reading, node, path);
  ExecAccess exec;
  exec.install_hint = section.Text("installHint");
  ReadApiVersion(exec, section);
  ReadCommand(reading, exec, section);
  exec.args = section.TextList("args");
  exec.provide_cluster_info = section.Flag("provideClusterInfo");
  if (const YamlNode* env = section.Child("env")) {
    if (env->kind == YamlNode::Kind::kList) {
      ReadEnvironment(reading, exec, *env, path + ".env");
    } else {
      section.Problem("env", "must be a list of name and value");
    }
  }
  if (section.Text("interactiveMode") == "Always") {
    section.Problem("interactiveMode", "Always needs a terminal, and a daemon has none",
                    "Never or IfAvailable");
  }
  reading.access.exec = std::move(exec);
}

}  // namespace fedra::config
