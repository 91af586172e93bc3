#pragma once
//
// On which worker a job is, or was last: from the document that `fedra status JOB -o json` prints,
// by the daemon or from its store. Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/types.h"

namespace fedra::cli {

struct JobPlace {
  ObjectKey job;
  std::string kind;  // as the document has it: "JobSet"
  std::string worker;
  std::string state;      // of docs/states.md
  bool is_there = false;  // the worker has it now, or is to have it
};

// kNotFound, with what the job waits for: it has been on no worker. kBadResponse: the document is
// about no job.
Result<JobPlace> PlaceOf(const nlohmann::ordered_json& report);

}  // namespace fedra::cli
