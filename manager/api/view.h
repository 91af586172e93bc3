#pragma once
//
// status, why and history: what the commands of these names print, on this machine or by the API.
//
// Thread rules: free functions; any thread, one reader each.

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/api/viewer.h"
#include "manager/text/output.h"
#include "manager/text/view_settings.h"
#include "store/reader.h"

namespace fedra::api {

enum class View {
  kStatus,   // the workers and the jobs
  kWorkers,  // only the workers
  kJobs,     // only the jobs
  kCounts,   // of the jobs, as of JobFilter::group_by
  kJob,      // one name's jobs, in short
  kWhy,
  kHistory,
};

inline bool IsOfOneJob(View view) {
  return view == View::kJob || view == View::kWhy || view == View::kHistory;
}

// `job`: for the last three, as of report::ParseWorkloadName. kInvalidArgument: what is asked for
// does not exist, or is not clear; kNotFound: the job is not known; else the store's.
Result<text::Output> RenderView(View view, const std::string& job, store::Reader& reader,
                                const text::ViewSettings& settings);
// What of it the viewer may see; the reader shows no more than that from then on.
Result<text::Output> RenderView(View view, const std::string& job, store::Reader& reader,
                                const text::ViewSettings& settings, const Viewer& viewer);

// kWhy of several jobs in one question: a document, in their order; one that is not known is left
// out. kInvalidArgument as above, and for another format than a document's.
Result<text::Output> RenderWhyOf(const std::vector<std::string>& jobs, store::Reader& reader,
                                 const text::ViewSettings& settings, const Viewer& viewer);

}  // namespace fedra::api
