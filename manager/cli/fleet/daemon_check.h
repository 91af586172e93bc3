#pragma once
//
// `check` as the daemon answers it: by what it watches anyway, without asking a cluster.
//
// Thread rules: what it returns may be called by any thread. Reading takes some tenths of a second
// of it, judging up to kMostTime and the time of one job. Lifetime: federation, store and clock
// must outlive it.

#include <chrono>

#include "base/clock.h"
#include "config/configuration.h"
#include "manager/api/check_request.h"
#include "manager/cli/manifests/finding.h"
#include "manager/reconcile/federation.h"
#include "store/store.h"

namespace fedra::cli {

// Of jobs times workers, in one request: each verdict takes about a millisecond.
inline constexpr size_t kMostVerdicts = 10'000;

// What one request may hold: it takes some tenths of a second to read.
inline constexpr ManifestBounds kSentBounds{
    .documents = 2'000, .values = 100'000, .bytes = size_t{4} << 20};

// For one request: other checks wait meanwhile.
inline constexpr std::chrono::seconds kMostTime{3};

api::CheckSource DaemonCheck(const config::Configuration& configuration,
                             reconcile::Federation& federation, store::Store& store);
// The same by another clock, for tests.
api::CheckSource DaemonCheckBy(const Clock& clock, const config::Configuration& configuration,
                               reconcile::Federation& federation, store::Store& store);

}  // namespace fedra::cli
