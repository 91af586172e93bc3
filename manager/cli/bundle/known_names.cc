#include "manager/cli/bundle/known_names.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "manager/cli/snapshots/snapshot_names.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;

// Resources whose objects keep their names in a redacted snapshot.
constexpr std::array<std::string_view, 3> kNamesStay = {"deviceclasses.resource.k8s.io",
                                                        "localqueues.kueue.x-k8s.io",
                                                        "devicetaintrules.resource.k8s.io"};

bool IsNameByte(char c) { return IsAlphanumeric(c) || c == '-' || c == '.' || c == '_'; }

}  // namespace

void KnownNames::Keep(std::string_view name) { kept_.emplace(name); }

void KnownNames::Add(const std::string& name) {
  // A number is everywhere, and tells nothing.
  const bool is_number = std::all_of(name.begin(), name.end(), IsDigit);
  if (!is_number) names_.insert(name);
}

void KnownNames::AddAll(const SnapshotFile& snapshot) {
  const auto add = [this](const RecordedResource& resource) {
    const bool stays =
        std::find(kNamesStay.begin(), kNamesStay.end(), resource.name) != kNamesStay.end();
    for (const nlohmann::json& item : resource.items) {
      const auto& metadata = tracking::Member(item, "metadata");
      Add(std::string(tracking::Text(metadata, "namespace")));
      if (!stays) Add(std::string(tracking::Text(metadata, "name")));
      Add(std::string(tracking::Text(tracking::Path(item, {"spec", "pool"}), "name")));
    }
  };
  if (snapshot.manager_templates) add(*snapshot.manager_templates);
  for (const RecordedWorker& worker : snapshot.workers)
    for (const RecordedResource& resource : worker.resources) add(resource);
}

void KnownNames::AddJob(const ordered_json& job) {
  for (const char* field : {"namespace", "name", "workload"}) Add(tracking::Text(job, field));
  const auto needs = job.find("needs");
  if (needs == job.end() || !needs->is_object()) return;
  for (const char* list : {"templates", "claims"}) {
    const auto names = needs->find(list);
    if (names == needs->end()) continue;
    for (const ordered_json& name : *names)
      if (name.is_string()) Add(name.get<std::string>());
  }
}

void KnownNames::AddObject(const ordered_json& object) {
  for (const char* field : {"namespace", "name"}) Add(tracking::Text(object, field));
}

// "ResourceClaimTemplate ml/later".
void KnownNames::AddSubject(const std::string& object) {
  const size_t blank = object.find(' ');
  const size_t slash = object.find('/');
  if (blank == std::string::npos || slash == std::string::npos || slash < blank) return;
  Add(object.substr(blank + 1, slash - blank - 1));
  Add(object.substr(slash + 1));
}

void KnownNames::AddAll(const ordered_json& report) {
  if (!report.is_structured()) return;
  if (report.is_object()) {
    if (report.contains("namespace") && report.contains("workload")) AddJob(report);
    if (report.contains("code")) AddSubject(tracking::Text(report, "object"));
    // Facts name objects so: holders of devices, the first in line.
    if (report.contains("namespace") && report.contains("name")) AddObject(report);
  }
  for (const ordered_json& value : report) AddAll(value);
}

std::string KnownNames::Redacted(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (!IsNameByte(text[at])) {
      out += text[at++];
      continue;
    }
    size_t end = at;
    while (end < text.size() && IsNameByte(text[end])) ++end;
    // The full stop behind a name is not part of it.
    size_t name_end = end;
    while (name_end > at && (text[name_end - 1] == '.' || text[name_end - 1] == '-')) --name_end;
    const std::string name(text.substr(at, name_end - at));
    out += names_.contains(name) && !kept_.contains(name) ? Pseudonym("name", name) : name;
    out += text.substr(name_end, end - name_end);
    at = end;
  }
  return out;
}

}  // namespace fedra::cli
