#include "manager/report/job_name.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/ascii.h"

namespace fedra::report {

// "JobSets.jobset.x-k8s.io" -> "jobsets".
std::string KindWord(std::string_view kind) {
  std::string word = ToLower(kind.substr(0, kind.find('.')));
  std::ranges::replace(word, ' ', '-');
  return word;
}

// As kubectl takes a kind: in any case, one or many, with its group or without.
bool IsKind(std::string_view word, std::string_view kind) {
  const std::string asked = KindWord(word);
  const std::string known = KindWord(kind);
  return asked == known || asked == known + "s";
}

bool IsAnyKind(std::string_view word) { return IsKind(word, "workload") || KindWord(word) == "wl"; }

Result<std::vector<JobName>> ParseWorkloadName(const std::string& text, const std::string& ns) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t slash = text.find('/'); slash != std::string::npos; slash = text.find('/', begin)) {
    parts.push_back(text.substr(begin, slash - begin));
    begin = slash + 1;
  }
  parts.push_back(text.substr(begin));
  const bool complete = std::none_of(parts.begin(), parts.end(), std::mem_fn(&std::string::empty));
  const auto kind_of = [](const std::string& word) { return IsAnyKind(word) ? "" : word; };
  if (complete && parts.size() == 1) return std::vector<JobName>{{"", {ns, parts[0]}}};
  // A namespace may be called as a kind is, too.
  if (complete && parts.size() == 2)
    return std::vector<JobName>{{"", {parts[0], parts[1]}}, {kind_of(parts[0]), {ns, parts[1]}}};
  if (complete && parts.size() == 3)
    return std::vector<JobName>{{kind_of(parts[0]), {parts[1], parts[2]}}};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" does not name a job: write NAMESPACE/NAME, NAME, or "
                          "KIND/NAMESPACE/NAME",
                          text));
}

}  // namespace fedra::report
