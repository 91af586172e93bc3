#include "manager/reconcile/manager_identity.h"

#include <utility>

#include "base/log.h"
#include "cluster-clients/watch/meta.h"
#include "manager/tracking/resources.h"

namespace fedra::reconcile {

Result<std::string> ReadClusterUid(Cluster& cluster) {
  FEDRA_ASSIGN_OR_RETURN(const std::string found,
                         cluster.Get(tracking::kNamespaces, {"", kIdentityNamespace}));
  FEDRA_ASSIGN_OR_RETURN(watch::Meta meta, watch::ScanMeta(found));
  return std::move(meta.uid);
}

Result<void> ManagerIdentity::Identify() {
  if (uid_.Copy()) return {};
  const Result<std::string> found = ReadClusterUid(cluster_);
  if (!found) {
    if (!IsRefusal(found.error().code)) return Fail(found.error());
    log::Warn(
        "the namespace kube-system of the manager cannot be read: another fedra with the same "
        "origin on the same workers cannot be distinguished (the rule is in "
        "deploy/manager-rbac.yaml)",
        {{"error", ToString(found.error())}});
  }
  uid_.With([&](std::optional<std::string>& known) { known = found.value_or(""); });
  return {};
}

bool ManagerIdentity::IdentifySoon() {
  if (uid_.Copy()) return true;
  if (identifying_.With([](bool& identifying) { return std::exchange(identifying, true); }))
    return false;
  pool_.Submit([this] {
    (void)Identify();  // what waits for it asks again
    identifying_.With([this](bool& identifying) {
      identifying = false;
      identifying_.Notify();  // under the lock: who waits may be about to destroy it
    });
  });
  return false;
}

void ManagerIdentity::Wait() {
  identifying_.Wait([](bool identifying) { return !identifying; }, [](bool&) {});
}

}  // namespace fedra::reconcile
