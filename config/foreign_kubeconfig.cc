#include "config/foreign_kubeconfig.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "config/files.h"

namespace fedra::config {
namespace {

namespace fs = std::filesystem;

// A Secret holds no more (MaxSecretSize of Kubernetes).
constexpr size_t kMaxBytes = size_t{1} << 20;

bool IsBelow(const fs::path& file, const fs::path& folder) {
  const auto [in_folder, in_file] =
      std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return in_folder == folder.end() && in_file != file.end();
}

}  // namespace

ClusterAccess Unusable(std::string source, std::string problem, std::string hint,
                       AccessFault fault) {
  return tl::make_unexpected(AccessFailure{
      {{std::move(source), {}, "", std::move(problem), std::move(hint)}}, {}, {}, fault});
}

ClusterAccess ParseForeignKubeconfig(const std::string& text, const std::string& source,
                                     WallTime now) {
  if (text.size() > kMaxBytes)
    return Unusable(source, fmt::format("is larger than {} KiB", kMaxBytes >> 10), "");
  KubeconfigOptions options;
  options.now = now;
  options.foreign = true;
  return ParseKubeconfig(text, source, options);
}

ClusterAccess ReadForeignKubeconfig(const std::string& path, const std::string& folder,
                                    WallTime now) {
  const std::string hint = fmt::format(
      "put the file where Kueue and fedra both find it, below {} (workersFrom.kubeconfigFolder)",
      folder);
  if (!fs::path(path).is_absolute()) return Unusable(path, "is no absolute path", hint);
  std::error_code failed;
  const fs::path real_folder = fs::canonical(folder, failed);
  if (failed) return Unusable(path, fmt::format("{}: {}", folder, failed.message()), hint);
  // One answer for all that is elsewhere, whether it exists or not.
  const fs::path file = fs::weakly_canonical(path, failed);
  if (failed || !IsBelow(file, real_folder))
    return Unusable(path, fmt::format("is not below {}", folder), hint);
  const auto text = ReadSmallFile(file.string(), kMaxBytes);
  if (!text) return Unusable(path, text.error(), hint);
  return ParseForeignKubeconfig(*text, path, now);
}

}  // namespace fedra::config
