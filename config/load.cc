#include "config/load.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "config/checks.h"
#include "config/decode.h"
#include "config/files.h"
#include "config/yaml_tree.h"

namespace fedra::config {
namespace {

constexpr YamlLimits kConfigurationLimits{
    .bytes = size_t{1} << 20, .nodes = 200'000, .depth = 50, .alias_bytes = size_t{1} << 20};

constexpr const char* kStorePath = "store.path";

Problem AboutFile(const std::string& filename, std::string problem, std::string hint = "") {
  return {filename, {}, "", std::move(problem), std::move(hint)};
}

void SortByPlace(Problems& problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.mark.line, a.mark.column) < std::pair(b.mark.line, b.mark.column);
  });
}

// The text's configuration with the positions of its values. What is wrong with values is among its
// problems, sorted by place; a text that has no values at all is an error.
tl::expected<Decoded, Problems> ParseText(const std::string& text, const std::string& filename) {
  const auto documents = ParseYaml(text, filename, kConfigurationLimits);
  if (!documents) return tl::make_unexpected(Problems{documents.error()});
  if (documents->empty() || documents->front().IsNull()) {
    return tl::make_unexpected(Problems{
        AboutFile(filename, "is empty", "fedra config print-defaults shows what may stand in it")});
  }
  if (documents->size() > 1) {
    return tl::make_unexpected(Problems{AboutFile(filename, "has more than one document")});
  }
  Decoded decoded = Decode(documents->front(), filename);
  for (Problem& problem : CheckTogether(decoded, filename))
    decoded.problems.push_back(std::move(problem));
  SortByPlace(decoded.problems);
  return decoded;
}

// An unreadable kubeconfig is a problem of the line that names it; what is wrong inside it has a
// place there.
ClusterAccess ReadNamed(const std::string& kubeconfig, const KubeconfigOptions& options,
                        const Decoded& decoded, const std::string& filename,
                        const std::string& path) {
  ClusterAccess access = ReadKubeconfig(kubeconfig, options);
  if (access) return access;
  for (Problem& problem : access.error().problems) {
    if (problem.file == kubeconfig && problem.mark.line == 0 && problem.path.empty()) {
      problem = {filename, MarkOf(decoded, path), path,
                 fmt::format("{}: {}", kubeconfig, problem.problem), problem.hint};
    }
  }
  return access;
}

ClusterAccess ReadManager(const Decoded& decoded, const std::string& filename,
                          const LoadOptions& options) {
  const ManagerSettings& manager = decoded.configuration.manager;
  if (manager.in_cluster) return ReadInCluster(options.in_cluster, options.now);
  return ReadNamed(manager.kubeconfig, {manager.context, false, options.now}, decoded, filename,
                   "manager.kubeconfig");
}

std::vector<ClusterAccess> ReadWorkers(const Decoded& decoded, const std::string& filename,
                                       WallTime now) {
  std::vector<ClusterAccess> workers;
  for (size_t i = 0; i < decoded.configuration.workers.size(); ++i) {
    const WorkerSettings& worker = decoded.configuration.workers[i];
    workers.push_back(ReadNamed(worker.kubeconfig, {worker.context, worker.allow_insecure, now},
                                decoded, filename, fmt::format("workers[{}].kubeconfig", i)));
  }
  return workers;
}

// One cluster under two names would get every job twice, and each name would remove the other's
// copies: the later one is not used.
void RefuseSameServer(const Decoded& decoded, const std::string& filename,
                      const ClusterAccess& manager, std::vector<ClusterAccess>& workers) {
  std::map<std::array<std::string, 3>, std::string> first;
  if (manager) first.emplace(ServerKey(*manager), "the manager");
  for (size_t i = 0; i < workers.size(); ++i) {
    if (!workers[i]) continue;
    const auto [at, fresh] = first.emplace(ServerKey(*workers[i]), fmt::format("workers[{}]", i));
    if (fresh) continue;
    const std::string path = fmt::format("workers[{}].kubeconfig", i);
    workers[i] = tl::make_unexpected(AccessFailure{
        {{filename, MarkOf(decoded, path), path,
          fmt::format("leads to {}, as that of {} does", workers[i]->server, at->second),
          "each cluster may be configured once"}},
        workers[i]->files});
  }
}

const std::vector<std::string>& FilesOf(const ClusterAccess& access) {
  return access ? access->files : access.error().files;
}

std::vector<std::string> AllFiles(const std::string& path, const ClusterAccess& manager,
                                  const std::vector<ClusterAccess>& workers) {
  std::vector<std::string> files = FilesOf(manager);
  for (const ClusterAccess& worker : workers) {
    files.insert(files.end(), FilesOf(worker).begin(), FilesOf(worker).end());
  }
  files.push_back(path);
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

void AppendProblems(Problems& out, const ClusterAccess& access, const std::string& about,
                    bool with_warnings) {
  if (access && !with_warnings) return;
  for (Problem problem : access ? access->warnings : access.error().problems) {
    problem.about = about;
    // Two workers of one file would report it twice.
    if (std::find(out.begin(), out.end(), problem) == out.end()) out.push_back(std::move(problem));
  }
}

void AppendProblems(Problems& out, const Configuration& configuration,
                    const std::vector<ClusterAccess>& workers, bool with_warnings) {
  for (size_t i = 0; i < workers.size(); ++i) {
    // A path that is missing has been reported where it is missing.
    const WorkerSettings& worker = configuration.workers[i];
    if (!worker.kubeconfig.empty() || worker.discovered)
      AppendProblems(out, workers[i], worker.name.empty() ? "" : "worker " + worker.name,
                     with_warnings);
  }
}

// Where the store is to be, with its place in the file; a path that makes no sense is a problem of
// its own.
std::optional<StoreFinding> LookAtStore(const Decoded& decoded, const std::string& filename,
                                        const LoadOptions& options) {
  const bool mistaken =
      std::any_of(decoded.problems.begin(), decoded.problems.end(),
                  [&](const Problem& problem) { return problem.path == kStorePath; });
  if (!options.look_at_store || mistaken) return std::nullopt;
  auto finding = CheckStoreFolder(decoded.configuration.store, filename);
  if (finding && decoded.marks.contains(kStorePath))
    finding->problem.mark = MarkOf(decoded, kStorePath);
  return finding;
}

// A mistake in the file is no reason to be silent about the store and the kubeconfigs that it does
// name.
Problems AllProblems(const Decoded& decoded, const std::string& path, const LoadOptions& options) {
  Problems problems = decoded.problems;
  if (const auto store = LookAtStore(decoded, path, options)) {
    problems.push_back(store->problem);
    SortByPlace(problems);
  }
  const ManagerSettings& manager = decoded.configuration.manager;
  if (manager.in_cluster || !manager.kubeconfig.empty())
    AppendProblems(problems, ReadManager(decoded, path, options), "manager", false);
  AppendProblems(problems, decoded.configuration, ReadWorkers(decoded, path, options.now), false);
  return problems;
}

// Without a stamp.
tl::expected<Loaded, Problems> LoadOnce(const std::string& path, const LoadOptions& options) {
  const auto text = ReadSmallFile(path, kConfigurationLimits.bytes);
  if (!text) return tl::make_unexpected(Problems{AboutFile(path, text.error())});
  auto decoded = ParseText(*text, path);
  if (!decoded) return tl::make_unexpected(std::move(decoded).error());
  if (!decoded->problems.empty()) return tl::make_unexpected(AllProblems(*decoded, path, options));
  ClusterAccess manager = ReadManager(*decoded, path, options);
  if (!manager && !options.manager_may_fail) {
    return tl::make_unexpected(AllProblems(*decoded, path, options));
  }
  std::vector<ClusterAccess> workers = ReadWorkers(*decoded, path, options.now);
  RefuseSameServer(*decoded, path, manager, workers);
  std::vector<std::string> files = AllFiles(path, manager, workers);
  std::optional<StoreFinding> store = LookAtStore(*decoded, path, options);
  return Loaded{std::move(decoded->configuration),
                std::move(manager),
                std::move(workers),
                std::move(files),
                std::move(store),
                {}};
}

}  // namespace

tl::expected<Configuration, Problems> Parse(const std::string& text, const std::string& filename) {
  auto decoded = ParseText(text, filename);
  if (!decoded) return tl::make_unexpected(std::move(decoded).error());
  if (!decoded->problems.empty()) return tl::make_unexpected(std::move(decoded->problems));
  return std::move(decoded->configuration);
}

std::optional<std::string> StorePathIn(const std::string& path) {
  const auto text = ReadSmallFile(path, kConfigurationLimits.bytes);
  if (!text) return std::nullopt;
  const auto decoded = ParseText(*text, path);
  if (!decoded) return std::nullopt;
  const bool mistaken = std::any_of(
      decoded->problems.begin(), decoded->problems.end(),
      [](const Problem& problem) { return problem.path == "store" || problem.path == kStorePath; });
  if (mistaken) return std::nullopt;
  return decoded->configuration.store.path;
}

LoadOptions OptionsNow(bool manager_may_fail) {
  return {.now = SystemClock().Now(),
          .in_cluster = InClusterFromEnvironment(),
          .manager_may_fail = manager_may_fail};
}

tl::expected<Loaded, Problems> Load(const std::string& path, const LoadOptions& options) {
  // Which files there are is known only after reading them. A certificate may be replaced between
  // two reads, and its key a moment later: only a stamp from before the read notices the second
  // change.
  auto loaded = LoadOnce(path, options);
  constexpr int kTries = 3;
  for (int i = 0; i < kTries && loaded; ++i) {
    FileStamp stamp = StampFiles(loaded->files);
    auto again = LoadOnce(path, options);
    if (!again) return again;
    const bool same_files = again->files == loaded->files;
    loaded = std::move(again);
    if (same_files) {
      loaded->stamp = std::move(stamp);
      break;
    }
  }
  return loaded;
}

Problems AccessProblems(const Loaded& loaded, bool with_warnings) {
  Problems problems;
  AppendProblems(problems, loaded.manager, "manager", with_warnings);
  AppendProblems(problems, loaded.configuration, loaded.workers, with_warnings);
  if (with_warnings)
    problems.insert(problems.end(), loaded.not_used.begin(), loaded.not_used.end());
  return problems;
}

}  // namespace fedra::config
