#include <cstdlib>

#include <fmt/format.h>

#include "config/files.h"
#include "config/kubeconfig.h"
#include "config/kubeconfig_section.h"
#include "config/url.h"

namespace fedra::config {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 20;

std::string Environment(const char* name) {
  const char* value =
      std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no code here calls setenv
  return value == nullptr ? "" : value;
}

std::string ServerOf(const InClusterSources& sources) {
  const bool v6 = sources.host.find(':') != std::string::npos;
  return v6 ? fmt::format("https://[{}]:{}", sources.host, sources.port)
            : fmt::format("https://{}:{}", sources.host, sources.port);
}

}  // namespace

InClusterSources InClusterFromEnvironment() {
  InClusterSources sources;
  sources.host = Environment("KUBERNETES_SERVICE_HOST");
  sources.port = Environment("KUBERNETES_SERVICE_PORT");
  return sources;
}

ClusterAccess ReadInCluster(const InClusterSources& sources, WallTime now) {
  KubeAccess access;
  Problems problems;
  const std::string ca_path = sources.folder + "/ca.crt";
  access.token_file = sources.folder + "/token";
  access.files = {ca_path, access.token_file};
  if (sources.host.empty() || sources.port.empty()) {
    problems.push_back({"",
                        {},
                        "manager.inCluster",
                        "KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set",
                        "inCluster works inside a pod only"});
  } else if (access.server = ServerOf(sources); !ParseUrl(access.server)) {
    problems.push_back(
        {"", {}, "manager.inCluster", "KUBERNETES_SERVICE_HOST and _PORT are no address", ""});
  }
  const auto ca = ReadSmallFile(ca_path, kMaxFileBytes);
  if (!ca) {
    problems.push_back({ca_path, {}, "", ca.error(), ""});
  } else if (const auto finding = CheckCaBundle(*ca, now)) {
    (finding->fatal ? problems : access.warnings)
        .push_back({ca_path, {}, "", finding->problem, finding->hint});
  }
  if (ca) access.ca_pem = *ca;
  const auto token = ReadSmallFile(access.token_file, kMaxFileBytes);
  if (!token || token->empty()) {
    problems.push_back({access.token_file,
                        {},
                        "",
                        token ? "is empty" : token.error(),
                        "is automountServiceAccountToken off?"});
  }
  if (problems.empty()) return access;
  return tl::make_unexpected(AccessFailure{std::move(problems), std::move(access.files)});
}

}  // namespace fedra::config
