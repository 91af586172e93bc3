#include "manager/cli/fleet/orphan_list.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/text/as_of_text.h"
#include "manager/text/display_text.h"

namespace fedra::cli {
namespace {

bool Before(const Orphan& a, const Orphan& b) {
  return std::tuple(a.adapter == nullptr, a.key) < std::tuple(b.adapter == nullptr, b.key);
}

std::string_view StateOf(const tracking::Workload& clone) {
  return clone.Finished() ? "Finished" : clone.Admitted() ? "Admitted" : "Waiting";
}

std::string_view StateOf(const tracking::Job& job) {
  if (job.finished) return job.failed ? "Failed" : "Finished";
  if (job.suspended) return "Suspended";
  return job.shows_activity ? "Running" : "Pending";
}

// What is known of the living, to look copies up in.
class Living final {
 public:
  explicit Living(const LivingWorkloads& workloads) : workloads_(workloads) {
    for (const auto& [key, uid] : workloads) uids_.insert(uid);
  }

  // `workload`: that the copy was made for; its name may be empty.
  bool HasNone(const tracking::CopyMarks& marks, const ObjectKey& workload,
               const tracking::Identity& us) const {
    // Only the name says of which Workload an unmarked copy is.
    if (marks.source_uid.empty() && workload.name.empty()) return false;
    const auto found = workloads_.find(workload);
    const std::string uid = found == workloads_.end() ? std::string() : found->second;
    return tracking::OwnershipOf(marks, us, uid, workload.name) ==
               tracking::Ownership::kOursEarlier &&
           !uids_.contains(marks.source_uid);
  }

 private:
  const LivingWorkloads& workloads_;
  std::set<std::string> uids_;
};

}  // namespace

Result<tracking::Identity> IdentityOf(const tracking::Identity& us,
                                      const Result<std::string>& uid) {
  if (!uid && !IsRefusal(uid.error().code)) return Fail(uid.error());
  return us.OnManager(uid.value_or(""));
}

std::vector<Orphan> FindOrphans(const RemoteObjects& remote, const tracking::Identity& us,
                                const LivingWorkloads& workloads) {
  std::vector<Orphan> orphans;
  if (tracking::KueueCopies(us.mode)) return orphans;
  const Living living(workloads);
  for (const auto& clone : remote.clones) {
    if (!living.HasNone(clone->marks, clone->key, us)) continue;
    orphans.push_back({remote.worker, nullptr, clone->key, clone->uid, clone->key,
                       clone->marks.source_uid, clone->marks, clone->deleting, clone->created,
                       StateOf(*clone), 0, *clone});
  }
  for (const auto& job : remote.jobs) {
    if (!living.HasNone(job->marks, {job->key.ns, job->prebuilt_workload}, us)) continue;
    orphans.push_back({remote.worker,
                       job->kind,
                       job->key,
                       job->uid,
                       ObjectKey{job->key.ns, job->prebuilt_workload},
                       job->marks.source_uid,
                       job->marks,
                       job->deleting,
                       job->created,
                       StateOf(*job),
                       job->active_pods,
                       {},
                       job});
  }
  std::sort(orphans.begin(), orphans.end(), Before);
  return orphans;
}

bool IsOrphanBeside(const Orphan& orphan, const tracking::Identity& us, const std::string& uid) {
  return tracking::OwnershipOf(orphan.marks, us, uid, orphan.workload.name) ==
         tracking::Ownership::kOursEarlier;
}

std::string KindOf(const Orphan& orphan) {
  return orphan.adapter == nullptr ? "Workload" : orphan.adapter->resource().kind;
}

namespace {

std::string Lines(const OrphanGaps& gaps, const text::Style& style) {
  std::string rendered = text::Printable(gaps.left_out, style.utf8);
  const std::string unread = text::UnreadText(gaps.workers, style);
  if (!rendered.empty() && !unread.empty()) rendered += "\n";
  return rendered + unread;
}

nlohmann::ordered_json ToJson(const Orphan& orphan) {
  nlohmann::ordered_json item = {{"worker", orphan.worker.value},
                                 {"kind", KindOf(orphan)},
                                 {"namespace", orphan.key.ns},
                                 {"name", orphan.key.name},
                                 {"uid", orphan.uid},
                                 {"workload", orphan.workload.name},
                                 {"workloadUid", orphan.workload_uid},
                                 {"state", orphan.state},
                                 {"pods", orphan.pods},
                                 {"deleting", orphan.deleting}};
  if (orphan.created != WallTime{}) item["createdAt"] = FormatRfc3339(orphan.created);
  return item;
}

}  // namespace

text::Output RenderOrphans(std::span<const Orphan> orphans, const OrphanGaps& gaps,
                           const report::AsOf& as_of, text::Format format,
                           const text::Style& style) {
  text::Output output;
  output.note = Lines(gaps, style);
  if (!text::IsTable(format)) {
    nlohmann::ordered_json document = report::Document("OrphanReport", as_of);
    document["items"] = nlohmann::ordered_json::array();
    for (const Orphan& orphan : orphans) document["items"].push_back(ToJson(orphan));
    report::PutUnread(document, gaps.workers);
    if (!gaps.left_out.empty()) document["leftOut"] = gaps.left_out;
    output.out = text::ToText(document, format);
    return output;
  }
  text::Table table({"WORKER", "KIND", "NAME", "STATE", "PODS", "AGE", "OF WORKLOAD", "NOTE"},
                    text::Overflow::kWrap);
  for (const Orphan& orphan : orphans) {
    table.Add({orphan.worker.value, KindOf(orphan), orphan.key.ToString(),
               std::string(orphan.state),
               orphan.adapter == nullptr ? "-" : std::to_string(orphan.pods),
               orphan.created == WallTime{} ? "-" : FormatAge(as_of.at - orphan.created),
               orphan.workload.name.empty() ? orphan.workload_uid : orphan.workload.name,
               orphan.deleting ? "is being deleted" : ""});
  }
  if (!table.empty()) output.out = table.Render(style);
  if (table.empty()) {
    output.note += (output.note.empty() ? "" : "\n") + std::string("no orphans found");
    if (!gaps.workers.empty()) output.note += " on the workers that could be read";
  }
  return output;
}

}  // namespace fedra::cli
