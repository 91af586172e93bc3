#pragma once
//
// What the daemon's API answers from: the store and the federation's caches.

#include "config/configuration.h"
#include "manager/api/api.h"
#include "manager/api/secure_server.h"
#include "manager/daemon/replica.h"
#include "manager/reconcile/federation.h"
#include "store/store.h"

namespace fedra {

// The store, the federation and the replica must outlive what is made of it. All may be asked by
// any thread.
api::Sources ToSources(const config::Configuration& configuration, store::Store& store,
                       reconcile::Federation& federation, const Replica& replica);

api::SecureSettings ToSecureSettings(const config::SecureApiSettings& settings);

}  // namespace fedra
