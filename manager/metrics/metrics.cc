#include "manager/metrics/metrics.h"

#include <algorithm>
#include <map>
#include <utility>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "manager/metrics/cluster_counters.h"
#include "manager/metrics/metric_families.h"
#include "manager/tracking/manager_name.h"

namespace fedra::metrics {
namespace {

using Labels = std::map<std::string, std::string>;

// One histogram for each worker: few buckets.
const prometheus::Histogram::BucketBoundaries kRequestBuckets = {0.01, 0.05, 0.1, 0.25, 0.5,
                                                                 1,    2.5,  5,   10};

const prometheus::Histogram::BucketBoundaries kBuckets = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

// Jobs wait from less than a second to days.
const prometheus::Histogram::BucketBoundaries kWaitBuckets = {
    0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600};

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

double SinceEpoch(WallTime at) {
  return std::chrono::duration<double>(at.time_since_epoch()).count();
}

// What is not known is not shown.
template <class Value>
void SetKnown(prometheus::Family<prometheus::Gauge>& family, const ClusterName& cluster,
              const std::optional<Value>& value) {
  prometheus::Gauge& gauge = family.Add({{"cluster", cluster.value}});
  if (!value) return family.Remove(&gauge);
  gauge.Set(static_cast<double>(*value));
}

template <class Builder>
auto& Register(const Builder& build, std::string_view name, prometheus::Registry& registry) {
  const MetricFamily& family = FamilyOf(name);
  return build().Name(std::string(name)).Help(std::string(family.help)).Register(registry);
}

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;
  template <class T>
  using Family = prometheus::Family<T>;
  using Counter = prometheus::Counter;
  using Gauge = prometheus::Gauge;
  using Histogram = prometheus::Histogram;

  Family<Counter>& CounterFamily(std::string_view name) {
    return Register(prometheus::BuildCounter, name, registry);
  }
  Family<Gauge>& GaugeFamily(std::string_view name) {
    return Register(prometheus::BuildGauge, name, registry);
  }
  Family<Histogram>& HistogramFamily(std::string_view name) {
    return Register(prometheus::BuildHistogram, name, registry);
  }

  Family<Gauge>& build_info = GaugeFamily("fedra_build_info");
  Family<Gauge>& up = GaugeFamily("fedra_cluster_up");
  Family<Gauge>& credential_expiry =
      GaugeFamily("fedra_cluster_credential_expiry_timestamp_seconds");
  Family<Gauge>& credential_lifetime = GaugeFamily("fedra_cluster_credential_lifetime_seconds");
  Family<Gauge>& clones = GaugeFamily("fedra_cluster_clones");
  Family<Gauge>& last_contact = GaugeFamily("fedra_cluster_last_contact_timestamp_seconds");
  Family<Gauge>& orphans = GaugeFamily("fedra_orphans");
  Family<Gauge>& template_drift = GaugeFamily("fedra_template_drift");
  Family<Gauge>& line_length = GaugeFamily("fedra_line_length");
  Family<Gauge>& line_head = GaugeFamily("fedra_line_head_seconds");
  Counter& passed_unasked = CounterFamily("fedra_line_passed_unasked_total").Add({});
  Family<Counter>& requests = CounterFamily("fedra_cluster_requests_total");
  ByCluster<Histogram> request_duration{HistogramFamily("fedra_cluster_request_duration_seconds"),
                                        kRequestBuckets};
  ByCluster<Counter> read_bytes{CounterFamily("fedra_cluster_read_bytes_total")};
  ByCluster<Counter> watch_events{CounterFamily("fedra_watch_events_total")};
  Family<Counter>& dispatches = CounterFamily("fedra_dispatch_total");
  Family<Counter>& attempts_ended = CounterFamily("fedra_attempts_ended_total");
  Family<Counter>& answers = CounterFamily("fedra_http_requests_total");
  Gauge& threads_busy = GaugeFamily("fedra_reconcile_threads_busy").Add({});
  Gauge& calls_waiting = GaugeFamily("fedra_worker_calls_waiting").Add({});
  Counter& events_dropped = CounterFamily("fedra_events_dropped_total").Add({});
  Family<Counter>& placements = CounterFamily("fedra_placements_total");
  ByCluster<Histogram> placement_wait{HistogramFamily("fedra_placement_wait_seconds"),
                                      kWaitBuckets};
  ClusterCounters refusals{CounterFamily("fedra_verification_refusals_total"), "reason"};
  ClusterCounters verifications{CounterFamily("fedra_verifications_total"), "result"};
  Histogram& verification_duration =
      HistogramFamily("fedra_verification_duration_seconds").Add({}, kBuckets);
  Family<Counter>& reconciles = CounterFamily("fedra_reconcile_total");
  Counter& workers_looked_at = CounterFamily("fedra_reconcile_workers_total").Add({});
  Histogram& reconcile_duration =
      HistogramFamily("fedra_reconcile_duration_seconds").Add({}, kBuckets);
  Family<Counter>& lost = CounterFamily("fedra_worker_lost_total");
  Gauge& queue_depth = GaugeFamily("fedra_queue_depth").Add({});
  Family<Gauge>& workloads = GaugeFamily("fedra_workloads");
  Family<Gauge>& blocked = GaugeFamily("fedra_blocked_workloads");
  Family<Gauge>& devices = GaugeFamily("fedra_devices");
  Family<Gauge>& blocked_longest = GaugeFamily("fedra_blocked_longest_seconds");
  Gauge& leader = GaugeFamily("fedra_leader").Add({});
  Family<Gauge>& renewed_at = GaugeFamily("fedra_leader_renewed_timestamp_seconds");
  Counter& transitions = CounterFamily("fedra_leader_transitions_total").Add({});
  Gauge& config_differs = GaugeFamily("fedra_config_mismatch").Add({});
  Gauge& config_ok = GaugeFamily("fedra_config_last_reload_successful").Add({});
  Gauge& config_read_at = GaugeFamily("fedra_config_last_reload_success_timestamp_seconds").Add({});
  Gauge& store_size = GaugeFamily("fedra_store_size_bytes").Add({});
  Counter& cpu_seconds = CounterFamily("process_cpu_seconds_total").Add({});
  Gauge& resident_bytes = GaugeFamily("process_resident_memory_bytes").Add({});
  Gauge& open_files = GaugeFamily("process_open_fds").Add({});
  Gauge& max_files = GaugeFamily("process_max_fds").Add({});
  Gauge& start_time = GaugeFamily("process_start_time_seconds").Add({});
  Family<Histogram>& transactions = HistogramFamily("fedra_store_transaction_duration_seconds");
};

Metrics::Metrics(std::string_view version, std::string_view commit)
    : families_(std::make_unique<Families>()) {
  families_->build_info.Add({{"version", std::string(version)}, {"commit", std::string(commit)}})
      .Set(1);
  // There before the first failure: increase() sees no step from nothing to one.
  families_->transactions.Add({{"result", "failed"}}, kBuckets);
  families_->start_time.Set(SinceEpoch(SystemClock().Now()));
}
Metrics::~Metrics() = default;

void Metrics::Dispatched(const ClusterName& cluster, std::string_view result) {
  families_->dispatches.Add({{"cluster", cluster.value}, {"result", std::string(result)}})
      .Increment();
}

void Metrics::PassedUnasked() { families_->passed_unasked.Increment(); }

void Metrics::Placed(const ClusterName& cluster, std::chrono::nanoseconds waited) {
  families_->placements.Add({{"cluster", cluster.value}}).Increment();
  families_->placement_wait.Of(cluster).Observe(Seconds(waited));
}

void Metrics::Judged(const ClusterName& cluster, const verdict::Verdict& verdict) {
  families_->verifications.Increment(cluster, verdict::ToString(verdict.outcome));
  if (verdict.outcome == verdict::Outcome::kYes) return;
  families_->refusals.Increment(cluster, verdict::Headline(verdict));
}

void Metrics::LookedAt(size_t workers) {
  families_->workers_looked_at.Increment(static_cast<double>(workers));
}

void Metrics::Verified(std::chrono::nanoseconds duration) {
  families_->verification_duration.Observe(Seconds(duration));
}

void Metrics::Reconciled(std::string_view result, std::chrono::nanoseconds duration) {
  families_->reconciles.Add({{"result", std::string(result)}}).Increment();
  families_->reconcile_duration.Observe(Seconds(duration));
}

void Metrics::WorkerLost(const ClusterName& cluster) {
  families_->lost.Add({{"cluster", cluster.value}}).Increment();
}

void Metrics::Requested(const ClusterName& cluster, std::string_view verb, std::string_view code,
                        std::chrono::nanoseconds duration) {
  families_->requests
      .Add({{"cluster", cluster.value}, {"verb", std::string(verb)}, {"code", std::string(code)}})
      .Increment();
  families_->request_duration.Of(cluster).Observe(Seconds(duration));
}

void Metrics::Read(const ClusterName& cluster, size_t bytes, size_t events) {
  families_->read_bytes.Of(cluster).Increment(static_cast<double>(bytes));
  if (events > 0) families_->watch_events.Of(cluster).Increment(static_cast<double>(events));
}

void Metrics::StoreTransaction(bool ok, std::chrono::nanoseconds duration) {
  families_->transactions.Add({{"result", ok ? "ok" : "failed"}}, kBuckets)
      .Observe(Seconds(duration));
}

void Metrics::AttemptEnded(const ClusterName& cluster, std::string_view outcome) {
  families_->attempts_ended.Add({{"cluster", cluster.value}, {"outcome", std::string(outcome)}})
      .Increment();
}

void Metrics::Answered(std::string_view listener, std::string_view endpoint, int code) {
  families_->answers
      .Add({{"listener", std::string(listener)},
            {"endpoint", std::string(endpoint)},
            {"code", std::to_string(code)}})
      .Increment();
}

void Metrics::SetClusters(const std::vector<ClusterGauges>& clusters) {
  SetDevices(clusters);
  // Under the lock: a gauge must not be set by one page while it is removed by another.
  clusters_.With([&](std::set<ClusterName>& shown) {
    std::set<ClusterName> gone = std::exchange(shown, {});
    for (const ClusterGauges& cluster : clusters) {
      families_->up.Add({{"cluster", cluster.name.value}}).Set(cluster.is_up ? 1 : 0);
      families_->clones.Add({{"cluster", cluster.name.value}}).Set(cluster.clones);
      // There before the first loss: increase() sees no step from nothing to one.
      families_->lost.Add({{"cluster", cluster.name.value}});
      families_->line_length.Add({{"cluster", cluster.name.value}}).Set(cluster.in_line);
      families_->line_head.Add({{"cluster", cluster.name.value}})
          .Set(std::chrono::duration<double>(cluster.head_waits).count());
      SetKnown(families_->orphans, cluster.name, cluster.orphans);
      SetKnown(families_->template_drift, cluster.name, cluster.template_drift);
      SetKnown(
          families_->last_contact, cluster.name,
          cluster.last_contact ? std::optional(SinceEpoch(*cluster.last_contact)) : std::nullopt);
      gone.erase(cluster.name);
      shown.insert(cluster.name);
    }
    for (const ClusterName& name : gone) {
      families_->up.Remove(&families_->up.Add({{"cluster", name.value}}));
      for (auto* family :
           {&families_->clones, &families_->line_length, &families_->line_head, &families_->orphans,
            &families_->template_drift, &families_->last_contact})
        family->Remove(&family->Add({{"cluster", name.value}}));
    }
  });
}

void Metrics::SetDevices(const std::vector<ClusterGauges>& clusters) {
  stocks_.With([&](std::set<DevicesOf>& shown) {
    std::set<DevicesOf> gone = std::exchange(shown, {});
    const auto gauge = [&](const DevicesOf& devices, const char* state) -> Families::Gauge& {
      const auto& [cluster, driver] = devices;
      return families_->devices.Add(
          {{"cluster", cluster.value}, {"driver", driver}, {"state", state}});
    };
    for (const ClusterGauges& cluster : clusters) {
      for (const auto& [driver, stock] : cluster.devices) {
        const DevicesOf devices(cluster.name, driver);
        gauge(devices, "free").Set(stock.free);
        gauge(devices, "allocated").Set(stock.allocated);
        gauge(devices, "shared").Set(stock.shared);
        gauge(devices, "tainted").Set(stock.tainted);
        gone.erase(devices);
        shown.insert(devices);
      }
    }
    for (const DevicesOf& devices : gone)
      for (const char* state : {"free", "allocated", "shared", "tainted"})
        families_->devices.Remove(&gauge(devices, state));
  });
}

void Metrics::SetBlocked(const std::map<std::string_view, reconcile::BlockedFacts>& by_reason) {
  blocked_.With([&](std::set<std::string_view>& shown) {
    for (const auto& [reason, facts] : by_reason) shown.insert(reason);
    for (const std::string_view reason : shown) {
      const auto at = by_reason.find(reason);
      const auto facts = at == by_reason.end() ? reconcile::BlockedFacts{} : at->second;
      const Labels labels{{"reason", std::string(reason)}};
      families_->blocked.Add(labels).Set(facts.count);
      families_->blocked_longest.Add(labels).Set(Seconds(facts.longest));
    }
  });
}

void Metrics::SetManager(bool is_up) {
  families_->up.Add({{"cluster", std::string(tracking::kManagerName)}}).Set(is_up ? 1 : 0);
}

void Metrics::SetCredential(const ClusterName& cluster, std::optional<WallTime> expiry,
                            std::optional<std::chrono::milliseconds> lifetime) {
  SetKnown(families_->credential_expiry, cluster,
           expiry ? std::optional(SinceEpoch(*expiry)) : std::nullopt);
  SetKnown(families_->credential_lifetime, cluster,
           lifetime ? std::optional(Seconds(*lifetime)) : std::nullopt);
}

void Metrics::SetConfigRead(bool ok, WallTime now) {
  families_->config_ok.Set(ok ? 1 : 0);
  if (ok) families_->config_read_at.Set(SinceEpoch(now));
}

void Metrics::SetLeader(const std::optional<LeaderGauges>& replica) {
  families_->leader.Set(!replica || replica->leads ? 1 : 0);
  families_->config_differs.Set(replica && replica->config_differs ? 1 : 0);
  if (!replica) return;
  if (replica->renewed_at) families_->renewed_at.Add({}).Set(SinceEpoch(*replica->renewed_at));
  transitions_counted_.With([&](int& counted) {
    const int more = replica->transitions - std::exchange(counted, replica->transitions);
    if (more > 0) families_->transitions.Increment(more);
  });
}

void Metrics::SetQueueDepth(size_t depth) {
  families_->queue_depth.Set(static_cast<double>(depth));
}
void Metrics::SetThreads(size_t busy, size_t waiting) {
  families_->threads_busy.Set(static_cast<double>(busy));
  families_->calls_waiting.Set(static_cast<double>(waiting));
}
void Metrics::SetEventsDropped(uint64_t dropped) {
  events_counted_.With([&](uint64_t& counted) {
    if (dropped > counted)
      families_->events_dropped.Increment(static_cast<double>(dropped - counted));
    counted = std::max(counted, dropped);
  });
}
void Metrics::SetWorkloads(const std::string& kind, std::string_view phase, int count) {
  families_->workloads.Add({{"kind", kind}, {"phase", std::string(phase)}}).Set(count);
}
void Metrics::SetStoreSize(uint64_t bytes) {
  families_->store_size.Set(static_cast<double>(bytes));
}

void Metrics::SetProcess(const ProcessStats& stats) {
  // Under a lock: two pages must not add the same time.
  cpu_counted_.With([&](double& counted) {
    if (stats.cpu_seconds > counted) families_->cpu_seconds.Increment(stats.cpu_seconds - counted);
    counted = std::max(counted, stats.cpu_seconds);
  });
  families_->resident_bytes.Set(static_cast<double>(stats.resident_bytes));
  families_->open_files.Set(stats.open_files);
  families_->max_files.Set(static_cast<double>(stats.most_files));
}

std::string Metrics::Text() const {
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace fedra::metrics
