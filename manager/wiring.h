#pragma once
//
// From the configuration's structs to the plain settings that each layer takes. Pure.

#include <optional>
#include <vector>

#include "cluster-clients/cluster.h"
#include "config/load.h"
#include "manager/leader/elector.h"
#include "manager/reconcile/federation.h"
#include "manager/report/query.h"
#include "manager/tracking/ownership.h"

namespace fedra {

kube::AccessSettings ToAccess(const config::KubeAccess& access);
// Why a kubeconfig cannot be used, as one error; null when it can. Its code says how far it came:
// kInvalidArgument, it was read; kNotFound, it could not be.
std::optional<Error> ToMisconfigured(const config::ClusterAccess& access);
ClusterOptions ToOptions(config::HttpVersion version, const tracking::JobKinds& kinds);
// The kinds of jobs that this configuration makes fedra run; the same object for the same `kinds`,
// for the whole process.
tracking::JobKindsPtr ToKinds(const config::Configuration& configuration);
// Whether jobs are taken back from workers that are removed from the configuration.
bool DrainsRemoved(const config::Configuration& configuration);
tracking::Mode ToMode(const config::Configuration& configuration);
// Who we are on the workers' jobs and Workloads; the manager's UID is asked for. Everything that
// tells our copies from others' has it from here.
tracking::Identity ToIdentity(const config::Configuration& configuration);
// The controller of the AdmissionChecks that are ours to answer.
std::string ControllerOf(const config::Configuration& configuration);
placement::Policy ToPolicy(const config::Configuration& configuration);
// By which verdicts are made, the daemon's and the commands'.
verify::Rules ToRules(const config::VerificationSettings& verification);
reconcile::GatherSettings ToGather(const config::Configuration& configuration);
reconcile::TemplateSettings ToTemplates(const config::Configuration& configuration);
// The manager as a cluster among the workers, for commands that ask all of them.
ClusterSettings ToManager(const config::Loaded& loaded);
// One for each configured worker, in order; `lost_since` is left empty.
std::vector<reconcile::WorkerSettings> ToWorkers(const config::Loaded& loaded);
// The Lease by which replicas agree on the one that leads.
ObjectKey ToLease(const config::Configuration& configuration);
// The ConfigMap in which they share outages of workers.
ObjectKey ToOutages(const config::Configuration& configuration);
// Without an identity. The manager's access must be usable.
leader::ElectorSettings ToElector(const config::Loaded& loaded);
// What is read of the manager for workers that are discovered.
reconcile::Discovery ToDiscovery(const config::WorkersFrom& from);
// All that the daemon's federation does not learn from its process. The manager's access must be
// usable.
reconcile::FederationSettings ToFederation(const config::Loaded& loaded);

// What reports say of the configuration; nothing is asked for yet.
report::Query ToQuery(const config::Configuration& configuration);

}  // namespace fedra
