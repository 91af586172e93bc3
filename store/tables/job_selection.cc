#include "store/tables/job_selection.h"

#include <memory>
#include <unordered_set>
#include <utility>

#include "base/natural_order.h"
#include "store/tables/reasons_text.h"

namespace fedra::store {

JobSelection::JobSelection(Connection& db, const JobQuery& query, const ShownNamespaces& shown)
    : db_(db), query_(query), shown_(shown) {}

std::vector<JobSelection::Part> JobSelection::Parts() const {
  std::vector<Part> parts;
  if (shown_ && shown_->empty()) return parts;
  Part living;
  for (const auto& [state, rank] : query_.states) living.states.push_back(state);
  if (!living.states.empty()) parts.push_back(std::move(living));
  if (query_.deleted) parts.push_back({.states = {}, .is_deleted = true});
  return parts;
}

Result<void> JobSelection::Prepare() {
  if (!query_.labels) return {};
  using Uids = std::unordered_set<std::string, TextHash, std::equal_to<>>;
  const auto chosen = std::make_shared<Uids>();
  JobQuery whatever_labels = query_;
  whatever_labels.labels = nullptr;
  const JobSelection all(db_, whatever_labels, shown_);
  for (const Part& part : all.Parts()) {
    Values values;
    const std::string from = all.From(part, values);
    // In the order of the rows, so that each page of the table is read once.
    FEDRA_RETURN_IF_ERROR(
        db_.QueryOnce(fmt::format("SELECT t.uid, t.labels_json FROM (SELECT uid{} ORDER BY uid"
                                  " LIMIT -1) f CROSS JOIN workloads t ON t.uid = f.uid",
                                  from),
                      values.all(), [&](Row& row) {
                        std::string uid = row.Text();
                        if (query_.labels(row.View())) chosen->insert(std::move(uid));
                      }));
  }
  return db_.AddTest("is_chosen", [chosen](std::string_view uid) { return chosen->contains(uid); });
}

std::string JobSelection::From(const Part& part, Values& values) const {
  std::string where = FromShown(part.is_deleted, shown_, values);
  if (!part.is_deleted) where += " AND state IN " + values.AddAll(part.states);
  const auto any = [&](std::string_view column, const std::vector<std::string>& wanted) {
    return fmt::format("{} IN {}", column, values.AddAll(wanted));
  };
  if (!query_.ns.empty())
    where += fmt::format(" AND ns_order = {} AND job_ns = {}",
                         values.Own(InNaturalOrder(query_.ns)), values.Add(query_.ns));
  if (!query_.workers.empty()) where += " AND " + any("worker", query_.workers);
  if (!query_.queues.empty())
    where += fmt::format(" AND ({} OR {})", any("queue", query_.queues),
                         any("job_ns || '/' || queue", query_.queues));
  for (const std::string& word : query_.name_parts)
    where += fmt::format(" AND instr({}, {})",
                         word.find('/') == word.npos ? "job_name" : "job_ns || '/' || job_name",
                         values.Add(word));
  std::string with_reason;
  for (const std::string& reason : query_.reasons)
    with_reason += fmt::format("{}instr(reasons, {})", with_reason.empty() ? "" : " OR ",
                               values.Own(ReasonInText(reason)));
  if (!with_reason.empty()) where += fmt::format(" AND ({})", with_reason);
  if (query_.labels) where += " AND is_chosen(uid)";
  return where;
}

std::string JobSelection::Listed(const Part& part, Values& values) const {
  return query_.ended_before && !part.is_deleted
             ? fmt::format("coalesce(finished_at >= {}, 1)", values.Add(*query_.ended_before))
             : "1";
}

std::string JobSelection::State(const Part& part, Values& values) const {
  return part.is_deleted ? values.Add(query_.deleted->state) : "state";
}

std::string FromShown(bool is_deleted, const ShownNamespaces& shown, Values& values) {
  std::string where =
      fmt::format(" FROM workloads w INDEXED BY workloads_{} WHERE removed_at IS {}NULL",
                  is_deleted ? "deleted" : "listed", is_deleted ? "NOT " : "");
  if (shown) where += " AND job_ns IN " + values.AddAll(*shown);
  return where;
}

}  // namespace fedra::store
