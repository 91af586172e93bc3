#include "manager/cli/manifests/skipped.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "base/text.h"
#include "manager/cli/manifests/manifest_outdated.h"
#include "manager/text/display_text.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/pod_maker.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;

constexpr size_t kMostLines = 10;
constexpr size_t kMostOfLine = 300;  // bytes

// A kind that differs in case, or that the group has in another version: "batch/v1, Kind=Job".
std::string RightKind(const std::string& kind, const tracking::JobKinds& kinds) {
  for (const tracking::JobAdapter* adapter : kinds.all()) {
    const kube::Resource& resource = adapter->resource();
    if (ToLower(resource.kind) == ToLower(kind))
      return fmt::format("{}, Kind={}", resource.ApiVersion(), resource.kind);
  }
  return {};
}

// Of a kind that is not Kubernetes' own, or one with a queue.
bool MayBeJob(const json& object) {
  const std::string version = tracking::Text(object, "apiVersion");
  const std::string group = version.substr(0, version.find('/'));
  const bool is_custom = group.find('.') != std::string::npos && !group.ends_with(".k8s.io");
  const json& labels = Member(Member(object, "metadata"), "labels");
  return is_custom || !tracking::Text(labels, std::string(tracking::kQueueNameLabel)).empty();
}

// Whether it is run where pods are; asked of what is not run.
bool NeedsPods(const std::string& version, const std::string& kind) {
  return tracking::BuiltInKindsAndPods()->Find(version, kind) != nullptr ||
         tracking::FindPodMaker(version, kind) != nullptr;
}

}  // namespace

std::string WhySkipped(const nlohmann::json& object, const tracking::JobKinds& kinds) {
  const std::string version = tracking::Text(object, "apiVersion");
  const std::string kind = tracking::Text(object, "kind");
  if (version.empty() || kind.empty())
    return "not a Kubernetes manifest: apiVersion or kind is missing; skipped";
  std::string hint = RightKind(kind, kinds);
  if (NeedsPods(version, kind))
    hint = " (fedra runs it with kueue.pods: true in its configuration, see docs/kinds.md)";
  else if (!hint.empty())
    hint = fmt::format(" (did you mean {}?)", hint);
  else if (const std::string gang = GangHint(object); !gang.empty())
    hint = fmt::format(" ({})", gang);
  else if (MayBeJob(object))
    hint = " (an entry of `kinds` in fedra's configuration adds it, see docs/kinds.md)";
  return fmt::format("\"{}, Kind={}\" is not a kind of job that fedra runs{}; skipped", version,
                     kind, hint);
}

std::vector<std::string> SkippedLines(const std::vector<std::string>& skipped) {
  std::vector<std::string> lines;
  for (const std::string& line : skipped) {
    if (lines.size() == kMostLines) {
      lines.push_back(fmt::format("{} more were skipped", skipped.size() - kMostLines));
      break;
    }
    lines.push_back(text::Printable(Cut(line, kMostOfLine)));
  }
  return lines;
}

std::string WhyNothing(const std::vector<ManifestFile>& files,
                       const std::vector<std::string>& skipped_lines) {
  std::vector<std::string> names;
  for (const ManifestFile& file : files) names.push_back(file.name);
  std::string why = fmt::format(
      "{}: {}", text::Printable(Cut(fmt::format("{}", fmt::join(names, ", ")), kMostOfLine)),
      skipped_lines.empty() ? "is empty: there is nothing to check"
                            : "has nothing that can be checked");
  for (const std::string& line : skipped_lines) why += "\n" + line;
  return why;
}

}  // namespace fedra::cli
