#include "config/profile_access.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/foreign_kubeconfig.h"
#include "config/kubeconfig_section.h"

namespace fedra::config {
namespace {

// Its parts are handed to the plugin in one environment variable, which may have 128 KiB.
constexpr YamlLimits kClusterLimits{
    .bytes = size_t{64} << 10, .nodes = 10'000, .depth = 50, .alias_bytes = 0};

struct Chosen {
  const AccessProvider* provider = nullptr;
  const OfferedAccess* offer = nullptr;
};

Chosen Choose(const std::vector<OfferedAccess>& offered,
              const std::vector<AccessProvider>& providers) {
  for (const AccessProvider& provider : providers) {
    const auto found =
        std::find_if(offered.begin(), offered.end(),
                     [&](const OfferedAccess& offer) { return offer.provider == provider.name; });
    if (found != offered.end()) return {&provider, &*found};
  }
  return {};
}

// Names that others chose: some of them, cut.
std::string SomeNames(const std::vector<OfferedAccess>& offered) {
  constexpr size_t kMostNames = 10;
  constexpr size_t kMostBytes = 63;
  std::vector<std::string> names;
  for (const OfferedAccess& offer : offered) {
    if (names.size() == kMostNames) {
      names.emplace_back("...");
      break;
    }
    names.push_back(offer.provider.substr(0, kMostBytes));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

ClusterAccess NoneOffered(const std::vector<OfferedAccess>& offered,
                          const std::vector<AccessProvider>& providers, const std::string& source) {
  if (offered.empty()) {
    return Unusable(source, "lists no access provider",
                    "its cluster manager writes status.accessProviders");
  }
  std::vector<std::string> known;
  for (const AccessProvider& provider : providers) known.push_back(provider.name);
  return Unusable(source,
                  fmt::format("none of its access providers is configured: {}", SomeNames(offered)),
                  fmt::format("workersFrom.accessProviders has {}", fmt::join(known, ", ")));
}

// JSON is YAML. Problems carry no line and column: the user never sees this text.
ClusterAccess ReadCluster(const OfferedAccess& offer, const std::string& source, WallTime now) {
  KubeconfigOptions options;
  options.now = now;
  options.foreign = true;
  KubeconfigReading reading{source, options, {}, {}};
  const auto documents =
      ParseYaml(offer.cluster.empty() ? "{}" : offer.cluster, source, kClusterLimits);
  if (!documents) {
    reading.problems.push_back({source, {}, offer.path, documents.error().problem, ""});
  } else if (documents->size() != 1) {
    reading.problems.push_back({source, {}, offer.path, "must be a map", ""});
  } else {
    ReadClusterEntry(reading, documents->front(), offer.path);
  }
  for (Problems* problems : {&reading.problems, &reading.access.warnings})
    for (Problem& problem : *problems) problem.mark = {};
  if (reading.problems.empty()) return std::move(reading.access);
  return tl::make_unexpected(AccessFailure{std::move(reading.problems), {}, {}});
}

}  // namespace

ClusterAccess ReadProfileAccess(const std::vector<OfferedAccess>& offered,
                                const std::vector<AccessProvider>& providers,
                                const std::string& source, WallTime now) {
  if (providers.empty()) {
    return Unusable(source, "no access provider is configured",
                    "write workersFrom.accessProviders, as multiKueue.clusterProfile."
                    "accessProviders of Kueue's configuration");
  }
  const Chosen chosen = Choose(offered, providers);
  if (chosen.offer == nullptr) return NoneOffered(offered, providers, source);
  const ExecAccess& exec = chosen.provider->exec;
  if (auto problem = CommandProblem(exec.command)) {
    return Unusable(fmt::format("access provider {}", chosen.provider->name),
                    "execConfig.command: " + *std::move(problem), exec.install_hint);
  }
  ClusterAccess access = ReadCluster(*chosen.offer, source, now);
  if (access) access->exec = exec;
  return access;
}

}  // namespace fedra::config
