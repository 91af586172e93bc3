#include <unistd.h>

#include <fmt/format.h>

#include "config/kubeconfig_section.h"
#include "config/text_rules.h"

namespace fedra::config {
namespace {

constexpr std::string_view kGroup = "client.authentication.k8s.io/";

void ReadApiVersion(ExecAccess& exec, KubeconfigSection& section) {
  exec.api_version = section.Text("apiVersion");
  if (exec.api_version == fmt::format("{}v1", kGroup) ||
      exec.api_version == fmt::format("{}v1beta1", kGroup)) {
    return;
  }
  const std::string hint = fmt::format("{}v1 or {}v1beta1", kGroup, kGroup);
  if (exec.api_version.empty()) {
    section.Problem("apiVersion", "is required", hint);
  } else if (exec.api_version == fmt::format("{}v1alpha1", kGroup)) {
    section.Problem("apiVersion", "v1alpha1 was removed in Kubernetes 1.24",
                    "update the plugin and regenerate the kubeconfig");
  } else {
    section.Problem("apiVersion", "is not supported", hint);
  }
}

// A command with a slash is a path from the kubeconfig's folder, any other is looked up in PATH
// (client-go).
void ReadCommand(KubeconfigReading& reading, ExecAccess& exec, KubeconfigSection& section) {
  exec.command = section.Text("command");
  if (exec.command.empty()) return section.Problem("command", "is required");
  if (exec.command.find('/') == std::string::npos) return;
  exec.command = ResolvePath(exec.command, reading.path);
  if (::access(exec.command.c_str(), X_OK) != 0) {
    section.Problem("command", fmt::format("{} cannot be executed", exec.command),
                    exec.install_hint);
  }
}

void ReadEnvironment(KubeconfigReading& reading, ExecAccess& exec, const YamlNode& list,
                     const std::string& path) {
  for (size_t i = 0; i < list.items.size(); ++i) {
    KubeconfigSection variable(reading, list.items[i], fmt::format("{}[{}]", path, i));
    const std::string name = variable.Text("name");
    if (name.empty() || name.find('=') != std::string::npos) {
      variable.Problem("name", "must be the name of an environment variable");
      continue;
    }
    exec.env[name] = variable.Text("value");
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
