#include "config/load.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "config/checks.h"
#include "config/decode.h"
#include "config/files.h"
#include "config/yaml_tree.h"

namespace fedra::config {
namespace {

constexpr YamlLimits kLimits{
    .bytes = size_t{1} << 20, .nodes = 200'000, .depth = 50, .alias_bytes = size_t{1} << 20};

Problem AboutFile(const std::string& filename, std::string problem, std::string hint = "") {
  return {filename, {}, "", std::move(problem), std::move(hint)};
}

void SortByPlace(Problems& problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.mark.line, a.mark.column) < std::pair(b.mark.line, b.mark.column);
  });
}

// The text's configuration with the positions of its values; problems are sorted by place.
tl::expected<Decoded, Problems> ParseText(const std::string& text, const std::string& filename) {
  const auto documents = ParseYaml(text, filename, kLimits);
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
  if (!decoded.problems.empty()) return tl::make_unexpected(std::move(decoded.problems));
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

void AppendProblems(Problems& out, const ClusterAccess& access, bool with_warnings) {
  if (!access) {
    out.insert(out.end(), access.error().problems.begin(), access.error().problems.end());
  } else if (with_warnings) {
    out.insert(out.end(), access->warnings.begin(), access->warnings.end());
  }
}

// Without a stamp.
tl::expected<Loaded, Problems> LoadOnce(const std::string& path, const LoadOptions& options) {
  const auto text = ReadSmallFile(path, kLimits.bytes);
  if (!text) return tl::make_unexpected(Problems{AboutFile(path, text.error())});
  auto decoded = ParseText(*text, path);
  if (!decoded) return tl::make_unexpected(std::move(decoded).error());
  ClusterAccess manager = ReadManager(*decoded, path, options);
  if (!manager && !options.manager_may_fail) {
    return tl::make_unexpected(std::move(manager.error().problems));
  }
  std::vector<ClusterAccess> workers = ReadWorkers(*decoded, path, options.now);
  std::vector<std::string> files = AllFiles(path, manager, workers);
  return Loaded{std::move(decoded->configuration),
                std::move(manager),
                std::move(workers),
                std::move(files),
                {}};
}

}  // namespace

tl::expected<Configuration, Problems> Parse(const std::string& text, const std::string& filename) {
  return ParseText(text, filename).map([](Decoded decoded) {
    return std::move(decoded.configuration);
  });
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
  AppendProblems(problems, loaded.manager, with_warnings);
  for (const ClusterAccess& worker : loaded.workers)
    AppendProblems(problems, worker, with_warnings);
  return problems;
}

}  // namespace fedra::config
