#include "manager/metrics/metric_families.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace fedra::metrics {
namespace {

constexpr std::array kFamilies = {
    MetricFamily{"fedra_build_info", "gauge", "version, commit",
                 "Always 1; the labels say what runs."},
    MetricFamily{"fedra_cluster_up", "gauge", "cluster",
                 "1 when the worker, or the cluster \"manager\", is connected and listed, else 0."},
    MetricFamily{"fedra_cluster_credential_expiry_timestamp_seconds", "gauge", "cluster",
                 "When the client certificate or the bearer token of the kubeconfig ends, in "
                 "seconds since 1970; only where they say so. A token file counts as it was when "
                 "it was last read."},
    MetricFamily{
        "fedra_cluster_credential_lifetime_seconds", "gauge", "cluster",
        "How long that credential lasts, from its beginning to its end; only where it says "
        "both. One that is renewed in time never has little of that left."},
    MetricFamily{"fedra_line_length", "gauge", "cluster",
                 "Jobs that wait for devices of the worker. A job that waits for several workers "
                 "counts on each of them, so the sum over the workers is not the number of jobs."},
    MetricFamily{
        "fedra_line_head_seconds", "gauge", "cluster",
        "How long the job that is first in line for devices of the worker has waited since its "
        "quota was reserved. Jobs that want different devices stand in different lines: this is "
        "the longest wait among the first of each. 0: no job waits."},
    MetricFamily{"fedra_line_passed_unasked_total", "counter", "",
                 "How often a job was let past others in line that may have fitted: devices came "
                 "and went faster than the jobs ahead could be judged (docs/ordering.md)."},
    MetricFamily{"fedra_cluster_clones", "gauge", "cluster",
                 "Clones on the worker (copies of Workloads) that have not ended."},
    MetricFamily{
        "fedra_orphans", "gauge", "cluster",
        "Clones on the worker whose Workload is gone on the manager, or was replaced: fedra "
        "removes them, and could not yet. As the worker was when it was last in contact."},
    MetricFamily{"fedra_template_drift", "gauge", "cluster",
                 "ResourceClaimTemplates that both the manager and the worker have, with different "
                 "specs; only while the worker is connected."},
    MetricFamily{"fedra_cluster_last_contact_timestamp_seconds", "gauge", "cluster",
                 "Until when the worker was connected and listed, in seconds since 1970: the time "
                 "of the scrape while it is; only once that is known."},
    MetricFamily{"fedra_cluster_requests_total", "counter", "cluster, verb, code",
                 "Single requests to API servers, by verb and status code or kind of failure; not "
                 "the lists and watches behind the caches."},
    MetricFamily{"fedra_cluster_request_duration_seconds", "histogram", "cluster",
                 "How long these requests took, failed ones included."},
    MetricFamily{"fedra_cluster_read_bytes_total", "counter", "cluster",
                 "Bytes that were read of an API server's answers: lists, events of watches, and "
                 "the answers to single requests."},
    MetricFamily{"fedra_watch_events_total", "counter", "cluster",
                 "Events of watches that were read, bookmarks among them."},
    MetricFamily{"fedra_dispatch_total", "counter", "cluster, result",
                 "Clones that fedra created on the worker, or tried to, by result."},
    MetricFamily{"fedra_attempts_ended_total", "counter", "cluster, outcome",
                 "Attempts to run a job on the worker that have ended, each counted once, by the "
                 "word that `fedra history` shows: Finished, Failed, LostRace, TimedOut, the code "
                 "of a reason and so on."},
    MetricFamily{"fedra_placements_total", "counter", "cluster",
                 "Jobs that the worker was the first to admit, and runs."},
    MetricFamily{"fedra_placement_wait_seconds", "histogram", "cluster",
                 "From the reservation of a job's quota on the manager to its admission on the "
                 "worker that runs it."},
    MetricFamily{"fedra_verifications_total", "counter", "cluster, result",
                 "Verdicts by outcome. A waiting job is judged repeatedly, and each time counts."},
    MetricFamily{"fedra_verification_refusals_total", "counter", "cluster, reason",
                 "Verdicts other than Yes, by their first reason: those of waiting jobs that are "
                 "judged again included."},
    MetricFamily{
        "fedra_verification_duration_seconds", "histogram", "",
        "Judging one job, on all workers or, once it is dispatched, on its own, before anything "
        "is decided or written."},
    MetricFamily{"fedra_reconcile_total", "counter", "result",
                 "Reconciles of one Workload, by result."},
    MetricFamily{"fedra_reconcile_workers_total", "counter", "",
                 "Workers that these reconciles have looked at, together: all of them for a job "
                 "that looks for one, else those that may have something of it."},
    MetricFamily{"fedra_reconcile_duration_seconds", "histogram", "",
                 "One reconcile of one Workload, writes included."},
    MetricFamily{
        "fedra_worker_lost_total", "counter", "cluster",
        "Jobs requeued because their worker was unreachable for longer than workerLostTimeout."},
    MetricFamily{"fedra_queue_depth", "gauge", "", "Workloads that wait to be reconciled."},
    MetricFamily{"fedra_reconcile_threads_busy", "gauge", "",
                 "Threads that look at a workload now, of 64."},
    MetricFamily{"fedra_worker_calls_waiting", "gauge", "",
                 "Threads that wait for the answer of a worker now; how many may is bounded."},
    MetricFamily{"fedra_events_dropped_total", "counter", "",
                 "Events about workloads and jobs that were not written to the manager, because "
                 "10,000 were waiting, or many about the same object had been written. The history "
                 "has them."},
    MetricFamily{
        "fedra_http_requests_total", "counter", "listener, endpoint, code",
        "Answers of the daemon's own listeners (http, health, socket, secure), by endpoint "
        "and status code. Of what is no endpoint, or no request, the endpoint is other."},
    MetricFamily{"fedra_workloads", "gauge", "kind, phase",
                 "Jobs by kind and phase (docs/states.md)."},
    MetricFamily{"fedra_blocked_workloads", "gauge", "reason",
                 "Jobs that no worker can run now, each counted once: by the reason that is "
                 "first on most workers."},
    MetricFamily{"fedra_blocked_longest_seconds", "gauge", "reason",
                 "How long ago the quota of the first of these jobs was reserved; 0: there is "
                 "none."},
    MetricFamily{"fedra_devices", "gauge", "cluster, driver, state",
                 "Devices that the worker publishes: allocated to one claim, shared by claims, "
                 "tainted (of the others), or free. A scrape costs one pass over the worker's "
                 "devices when slices or claims have changed since the last one, else nothing. Of "
                 "more than 16 drivers the rest is called \"other\"."},
    MetricFamily{"fedra_leader", "gauge", "",
                 "1 while this process may decide and write: it holds the Lease, or "
                 "highAvailability is not enabled. 0: it stands by."},
    MetricFamily{"fedra_leader_renewed_timestamp_seconds", "gauge", "",
                 "When the Lease was last renewed by this process, in seconds since 1970; only "
                 "once it has been."},
    MetricFamily{"fedra_leader_transitions_total", "counter", "",
                 "How often the Lease has got another holder, as it says itself."},
    MetricFamily{
        "fedra_config_mismatch", "gauge", "",
        "1 while this process stands by and its configuration differs from the leader's in "
        "what replicas must have in common; `fedra status` names the sections."},
    MetricFamily{"fedra_config_last_reload_successful", "gauge", "",
                 "1 when the configuration file is used as it is, 0 when it has changed and could "
                 "not be used."},
    MetricFamily{"fedra_config_last_reload_success_timestamp_seconds", "gauge", "",
                 "When the configuration in use was read, in seconds since 1970."},
    MetricFamily{"fedra_store_size_bytes", "gauge", "",
                 "The store's file and its write-ahead log."},
    MetricFamily{"fedra_store_transaction_duration_seconds", "histogram", "result",
                 "Transactions of the store."},
    MetricFamily{"process_cpu_seconds_total", "counter", "",
                 "Processor time of the daemon, user and system."},
    MetricFamily{"process_resident_memory_bytes", "gauge", "", "Physical memory of the daemon."},
    MetricFamily{"process_open_fds", "gauge", "", "Open file descriptors of the daemon."},
    MetricFamily{"process_max_fds", "gauge", "", "File descriptors that the daemon may open."},
    MetricFamily{"process_start_time_seconds", "gauge", "",
                 "When the daemon started, in seconds since 1970."},
};

}  // namespace

std::span<const MetricFamily> MetricFamilies() { return kFamilies; }

const MetricFamily& FamilyOf(std::string_view name) {
  const auto found = std::ranges::find(kFamilies, name, &MetricFamily::name);
  FEDRA_ASSERT(found != kFamilies.end(), "every metric is in the table that documents it");
  return *found;
}

}  // namespace fedra::metrics
