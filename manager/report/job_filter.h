#pragma once
//
// Which jobs `fedra status` shows, and in which order, as options and as what the store is asked.
// Pure.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/label_selector.h"
#include "base/result.h"
#include "manager/report/job_columns.h"
#include "manager/report/job_order.h"
#include "store/job_query.h"

namespace fedra::report {

// Every list: any of these; empty: all.
struct JobFilter {
  std::vector<std::string> states = {};   // "Blocked"
  std::vector<std::string> reasons = {};  // codes against a worker: "TemplateMissing"
  std::vector<std::string> workers = {};  // where it is or is dispatched to
  std::vector<std::string> queues = {};   // "gpu", or "ml/gpu"
  // Words, each a part of the job's name, or, with a slash, of "ml/train". Checked() makes them
  // small.
  std::string name = {};
  std::string labels = {};        // of the job, as kubectl's -l: "app=train,tier!=test"
  LabelSelector selector = {};    // what `labels` means; made by Checked()
  std::string sort_by = "state";  // one of SortColumns(), in whatever case
  store::JobOrder order = store::JobOrder::kState;  // what `sort_by` means; made by Checked()
  size_t limit = 0;                                 // jobs in the list, in every format; 0: all
  bool all = false;                                 // also those that ended long ago
  std::string go_on = {};            // `continue` of the answer before; empty: from the start
  std::optional<JobKey> after = {};  // what `go_on` means; made by Checked()
  std::string group_by = {};         // counts in place of a list: of GroupColumns(); empty: a list
  std::optional<store::JobGrouping> grouping = {};  // what `group_by` means; made by Checked()
};

// What --state takes. Deleted jobs are listed where their state is asked for: in the order of
// states the newest deletion first.
std::vector<std::string> JobStates();

// The filter with states and reasons as they are spelled, its order, selector and grouping, and
// where it goes on; kInvalidArgument, with what there is, for a word that is none, a sort_by or
// group_by that is none, a name of too many words, labels that are no selector, and a go_on of
// another filter, or of another namespace than `ns`.
Result<JobFilter> Checked(JobFilter filter, const std::string& ns = {});

// Whether it leaves jobs out by what they are.
bool IsFiltered(const JobFilter& filter);

struct ChosenJobs {
  std::vector<store::WorkloadRow> shown;     // sorted: what is listed
  std::map<std::string, size_t> by_state{};  // how many match, whether they are shown or not
  size_t ended = 0;                          // of those, left out of `shown`: they ended long ago
  size_t beyond_limit = 0;                   // left out of `shown`: behind the limit
  std::string go_on;                         // the next page; empty: there is none
};

// What is asked of the store. `ns`: empty for all. `states`: that jobs are in. An ended job is
// shown for an hour, unless all, or its state, is asked for.
store::JobQuery StoreQueryOf(const JobFilter& filter, const std::string& ns,
                             const std::vector<std::string>& states, WallTime now);
// The page that the store has made of it.
ChosenJobs Chosen(store::JobPage page, const JobFilter& filter, const std::string& ns);

}  // namespace fedra::report
