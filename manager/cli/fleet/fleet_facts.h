#pragma once
//
// What the workers of a command have together, and which selectors of their own templates read what
// no device has; what a job's mistyped names probably mean. Pure.

#include "manager/cli/judged/fleet_worker.h"
#include "manager/cli/manifests/manifest_check.h"
#include "manager/report/job_verdict.h"

namespace fedra::cli {

FleetFacts FactsOf(const FleetWorkers& workers);

// Notes selectors (manifest_selectors.h) in the worker's templates that keep a job from it; not in
// those of the input.
void NoteSelectorTypos(const tracking::SubmittedJob& job, const FleetWorker& worker,
                       const FleetFacts& fleet, const DefinedClaims& input,
                       report::JobVerdict& verdict);

// Notes which template or queue of the worker is probably meant, where one does not exist there; or
// which template of the manager, where the worker has none like it.
void NoteNameTypos(const tracking::SubmittedJob& job, const FleetWorker& worker,
                   report::JobVerdict& verdict);

}  // namespace fedra::cli
