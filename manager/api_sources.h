#pragma once
//
// What the daemon's API answers from: the store and the federation's caches.

#include "config/configuration.h"
#include "manager/api/api.h"
#include "manager/reconcile/federation.h"
#include "store/store.h"

namespace fedra {

// The store and the federation must outlive what is made of it. Both may be asked by any thread.
api::Sources ToSources(const config::Configuration& configuration, store::Store& store,
                       reconcile::Federation& federation);

}  // namespace fedra
