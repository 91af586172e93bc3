#pragma once
//
// The daemon's pages: is it alive, is it ready, metrics, version.
//
// Thread rules: the pages are asked for on any thread.

#include <string>

#include "manager/daemon/progress.h"
#include "manager/daemon/replica.h"
#include "manager/http/server.h"
#include "manager/metrics/metrics.h"
#include "manager/reconcile/federation.h"
#include "store/store.h"

namespace fedra {

// What the pages show; must outlive them.
struct PageSources {
  const store::Store& store;
  reconcile::Federation& federation;
  const Replica& replica;
  const DaemonProgress& progress;
  metrics::Metrics& metrics;
};

// `listener`: whose answers are counted, "http".
httpd::Pages DaemonPages(const PageSources& from, std::string listener);

}  // namespace fedra
