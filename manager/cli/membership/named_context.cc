#include "manager/cli/membership/named_context.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock.h"

namespace fedra::cli {
namespace {

std::string VariableOf(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> FilesFor(const ContextChoice& choice) {
  if (!choice.kubeconfig.empty()) return {choice.kubeconfig};
  std::vector<std::string> files;
  std::istringstream list(VariableOf("KUBECONFIG"));
  for (std::string file; std::getline(list, file, ':');)
    if (!file.empty()) files.push_back(file);
  if (files.empty()) files.push_back(VariableOf("HOME") + "/.kube/config");
  return files;
}

Result<config::KubeAccess> OrError(config::ClusterAccess access) {
  if (access) return *std::move(access);
  return Fail(ErrorCode::kInvalidArgument, config::ToString(access.error().problems));
}

// Whether the context is to be looked for in the next file: this one does not have it, or, where
// none was named, says nothing of a current one. Anything else must not lead to another cluster.
bool IsElsewhere(const config::Problems& problems, const ContextChoice& choice) {
  const std::string_view missing = choice.context.empty() ? "current-context" : "contexts";
  return problems.size() == 1 && problems.front().path == missing;
}

}  // namespace

Result<config::KubeAccess> FindContext(const ContextChoice& choice) {
  config::KubeconfigOptions options;
  options.context = choice.context;
  options.now = SystemClock().Now();
  std::vector<std::string> problems;
  for (const std::string& file : FilesFor(choice)) {
    config::ClusterAccess access = config::ReadKubeconfig(file, options);
    if (access) return *std::move(access);
    for (const config::Problem& each : access.error().problems)
      problems.push_back(config::ToString(each));
    std::error_code error;
    if (!IsElsewhere(access.error().problems, choice) && std::filesystem::exists(file, error))
      break;
  }
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}", fmt::join(problems, "; ")));
}

Result<config::KubeAccess> FindManagerContext(const ContextChoice& choice) {
  const config::InClusterSources pod = config::InClusterFromEnvironment();
  const bool chosen = !choice.kubeconfig.empty() || !choice.context.empty();
  if (chosen || pod.host.empty() || !VariableOf("KUBECONFIG").empty()) return FindContext(choice);
  return OrError(config::ReadInCluster(pod, SystemClock().Now()));
}

}  // namespace fedra::cli
