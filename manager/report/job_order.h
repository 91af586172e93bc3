#pragma once
//
// The order of jobs in a list, and a place in it that can be gone on from. Pure.

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/rows.h"

namespace fedra::report {

// A job's place in the list: what it is sorted by, then its name. No two jobs have the same.
struct JobKey {
  uint64_t rank = 0;  // urgency, or place in line; 0 where that does not matter
  std::string text;   // worker or queue; as all names here in a form that compares as people count
  int64_t age = 0;    // when it was made, in ms since 1970; 0 where it does not matter
  std::string ns;
  std::string name;
  int64_t created_at = 0;  // ms since 1970
  std::string uid;
  auto operator<=>(const JobKey&) const = default;
};

// One for each of the `jobs`, in their order. `by`: of SortColumns().
std::vector<JobKey> KeysOf(const std::vector<store::WorkloadRow>& jobs,
                           const std::vector<store::PlaceRow>& places, const std::string& by);

// A key as an opaque word, for URLs, too. `question`: whatever makes another list of it.
std::string ContinueToken(const JobKey& key, const std::string& question);
// kInvalidArgument: it is no such word, or one of another question. It never expires: a job that is
// gone still has its place among the others.
Result<JobKey> KeyIn(const std::string& token, const std::string& question);

}  // namespace fedra::report
