#pragma once
//
// What the daemon's API answers from: the store and the federation's caches.

#include <functional>

#include "config/configuration.h"
#include "manager/api/api.h"
#include "manager/api/secure_server.h"
#include "manager/daemon/replica.h"
#include "manager/reconcile/federation.h"
#include "store/store.h"

namespace fedra {

// Makes what answers `check`: it belongs to the command line, which knows manifests.
using MakeCheck =
    std::function<api::CheckSource(const config::Configuration& configuration,
                                   reconcile::Federation& federation, store::Store& store)>;

// The store, the federation, the replica and the feed must outlive what is made of it. All are
// asked by several threads at once, as api::Sources says: what they read of is under locks of its
// own, or a snapshot that does not change.
api::Sources ToSources(const config::Configuration& configuration, store::Store& store,
                       reconcile::Federation& federation, const Replica& replica,
                       const MakeCheck& make_check, api::ChangeFeed& feed);

api::SecureSettings ToSecureSettings(const config::SecureApiSettings& settings);

}  // namespace fedra
