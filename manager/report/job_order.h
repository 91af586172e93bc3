#pragma once
//
// The order of jobs in a list, and a place in it that can be gone on from. Pure.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/job_query.h"

namespace fedra::report {

using store::JobKey;

// Of a state: what needs a person comes first, and what another version of fedra wrote last.
uint64_t Urgency(std::string_view state);

// A key as an opaque word, for URLs, too. `question`: whatever makes another list of it.
std::string ContinueToken(const JobKey& key, const std::string& question);
// kInvalidArgument: it is no such word, or one of another question. It never expires: a job that is
// gone still has its place among the others.
Result<JobKey> KeyIn(const std::string& token, const std::string& question);

}  // namespace fedra::report
