// The text that Prometheus gets.

#include "manager/metrics/metrics.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "manager/metrics/metric_families.h"
#include "manager/placement/attempt_end.h"
#include "tests/support/catch.h"

namespace fedra::metrics::metrics_test {

TEST_CASE("every documented metric appears once it has a value") {
  Metrics metrics("0.1.0", "abc");
  const ClusterName east("gpu-east");
  metrics.Dispatched(east, "ok");
  metrics.Placed(east, std::chrono::seconds(45));
  metrics.Judged(east, {.outcome = verdict::Outcome::kNo,
                        .reasons = {{verdict::ReasonCode::kTemplateMissing, "", {}}}});
  metrics.LookedAt(3);
  metrics.LookedAt(4);
  metrics.Verified(std::chrono::milliseconds(1));
  metrics.Reconciled("ok", std::chrono::milliseconds(1));
  metrics.PassedUnasked();
  metrics.WorkerLost(east);
  metrics.AttemptEnded(east, "LostRace");
  metrics.Answered("socket", "jobs", 503);
  metrics.SetThreads(3, 2);
  metrics.SetEventsDropped(4);
  metrics.SetEventsDropped(9);
  metrics.Requested(east, "GET", "200", std::chrono::milliseconds(1));
  metrics.Read(east, 700, 0);
  metrics.Read(east, 300, 2);
  metrics.StoreTransaction(true, std::chrono::milliseconds(1));
  metrics.SetCredential(east, WallTime(std::chrono::seconds(1'800'000'000)),
                        std::chrono::hours(12));
  metrics.SetClusters({{.name = east,
                        .is_up = true,
                        .clones = 3,
                        .in_line = 4,
                        .head_waits = std::chrono::milliseconds(1500),
                        .last_contact = WallTime(std::chrono::seconds(1'700'000'030)),
                        .orphans = 6,
                        .template_drift = 7,
                        .devices = {{"gpu.example.com", {.free = 5, .allocated = 2}}}}});
  metrics.SetBlocked({{"TemplateMissing", {.count = 4, .longest = std::chrono::seconds(90)}}});
  metrics.SetConfigRead(true, WallTime(std::chrono::seconds(1'700'000'000)));
  metrics.SetConfigRead(false, WallTime(std::chrono::seconds(1'700'000'060)));
  metrics.SetManager(false);
  metrics.SetLeader(LeaderGauges{.leads = true, .transitions = 3});
  metrics.SetLeader(LeaderGauges{.renewed_at = WallTime(std::chrono::seconds(1'700'000'000)),
                                 .transitions = 4,
                                 .config_differs = true});
  metrics.SetQueueDepth(2);
  metrics.SetWorkloads("JobSet", "Running", 5);
  metrics.SetStoreSize(4096);
  metrics.SetProcess({.cpu_seconds = 1.5, .resident_bytes = 8192, .open_files = 7});
  metrics.SetProcess(
      {.cpu_seconds = 2, .resident_bytes = 8192, .open_files = 7, .most_files = 1024});
  const std::string text = metrics.Text();
  for (const MetricFamily& family : MetricFamilies()) {
    INFO(family.name);
    CHECK_THAT(text, ContainsSubstring("# TYPE " + std::string(family.name) + " "));
  }
  CHECK_THAT(
      text,
      ContainsSubstring(
          "fedra_verification_refusals_total{cluster=\"gpu-east\",reason=\"TemplateMissing\"} 1"));
  CHECK_THAT(text, ContainsSubstring("\nfedra_reconcile_workers_total 7\n"));
  CHECK_THAT(text, ContainsSubstring("\nfedra_config_mismatch 1\n"));
  CHECK_THAT(text, ContainsSubstring("\nprocess_cpu_seconds_total 2\n"));
  CHECK_THAT(text, ContainsSubstring("\nprocess_open_fds 7\n"));
  CHECK_THAT(text, ContainsSubstring("\nprocess_max_fds 1024\n"));
  // There before the first failure, so that an increase is seen.
  CHECK_THAT(text, ContainsSubstring(
                       "fedra_store_transaction_duration_seconds_count{result=\"failed\"} 0\n"));
  CHECK_THAT(text, ContainsSubstring("\nfedra_leader 0\n"));
  CHECK_THAT(text, ContainsSubstring("\nfedra_leader_renewed_timestamp_seconds 1700000000\n"));
  CHECK_THAT(text, ContainsSubstring("\nfedra_leader_transitions_total 4\n"));
  // The configuration that was read last is not the one in use.
  CHECK_THAT(text, ContainsSubstring("\nfedra_config_last_reload_successful 0\n"));
  CHECK_THAT(
      text, ContainsSubstring("\nfedra_config_last_reload_success_timestamp_seconds 1700000000\n"));
  CHECK_THAT(text, ContainsSubstring("fedra_cluster_up{cluster=\"manager\"} 0"));
  CHECK_THAT(text, ContainsSubstring("fedra_cluster_credential_expiry_timestamp_seconds{cluster="
                                     "\"gpu-east\"} 1800000000"));
  CHECK_THAT(text, ContainsSubstring("fedra_cluster_credential_lifetime_seconds{cluster="
                                     "\"gpu-east\"} 43200"));
  CHECK_THAT(text, ContainsSubstring("fedra_placement_wait_seconds_bucket{cluster=\"gpu-east\","
                                     "le=\"30\"} 0"));
  CHECK_THAT(text, ContainsSubstring("fedra_placement_wait_seconds_bucket{cluster=\"gpu-east\","
                                     "le=\"60\"} 1"));
  const std::string devices =
      "fedra_devices{cluster=\"gpu-east\",driver=\"gpu.example.com\",state=";
  CHECK_THAT(text, ContainsSubstring(devices + "\"free\"} 5"));
  CHECK_THAT(text, ContainsSubstring(devices + "\"allocated\"} 2"));
  CHECK_THAT(text, ContainsSubstring("fedra_blocked_workloads{reason=\"TemplateMissing\"} 4"));
  CHECK_THAT(text, ContainsSubstring("fedra_line_passed_unasked_total 1\n"));
  CHECK_THAT(text, ContainsSubstring("fedra_line_length{cluster=\"gpu-east\"} 4\n"));
  CHECK_THAT(text, ContainsSubstring("fedra_line_head_seconds{cluster=\"gpu-east\"} 1.5\n"));
  CHECK_THAT(text,
             ContainsSubstring("fedra_blocked_longest_seconds{reason=\"TemplateMissing\"} 90\n"));
  CHECK_THAT(text, ContainsSubstring("fedra_orphans{cluster=\"gpu-east\"} 6\n"));
  CHECK_THAT(text, ContainsSubstring("fedra_template_drift{cluster=\"gpu-east\"} 7\n"));
  CHECK_THAT(text, ContainsSubstring("fedra_cluster_last_contact_timestamp_seconds{cluster="
                                     "\"gpu-east\"} 1700000030\n"));
  CHECK_THAT(text, ContainsSubstring("fedra_attempts_ended_total{cluster=\"gpu-east\",outcome="
                                     "\"LostRace\"} 1\n"));
  CHECK_THAT(text, ContainsSubstring("fedra_http_requests_total{code=\"503\",endpoint=\"jobs\","
                                     "listener=\"socket\"} 1\n"));
  CHECK_THAT(text, ContainsSubstring("\nfedra_reconcile_threads_busy 3\n"));
  CHECK_THAT(text, ContainsSubstring("\nfedra_worker_calls_waiting 2\n"));
  CHECK_THAT(text, ContainsSubstring("\nfedra_events_dropped_total 9\n"));
  CHECK_THAT(text,
             ContainsSubstring("fedra_cluster_read_bytes_total{cluster=\"gpu-east\"} 1000\n"));
  CHECK_THAT(text, ContainsSubstring("fedra_watch_events_total{cluster=\"gpu-east\"} 2\n"));
  // What is no more is not shown as it was.
  metrics.SetClusters({{.name = east, .is_up = true}});
  metrics.SetBlocked({{"QueueMissing", {.count = 1}}});
  CHECK_THAT(metrics.Text(), !ContainsSubstring("gpu.example.com"));
  CHECK_THAT(metrics.Text(),
             ContainsSubstring("fedra_blocked_workloads{reason=\"TemplateMissing\"} 0"));
  CHECK_THAT(metrics.Text(),
             ContainsSubstring("fedra_blocked_longest_seconds{reason=\"TemplateMissing\"} 0\n"));
  CHECK_THAT(metrics.Text(), ContainsSubstring("fedra_line_length{cluster=\"gpu-east\"} 0\n"));
  CHECK_THAT(metrics.Text(),
             ContainsSubstring("fedra_line_head_seconds{cluster=\"gpu-east\"} 0\n"));
  CHECK_THAT(metrics.Text(), !ContainsSubstring("fedra_orphans{"));
  CHECK_THAT(metrics.Text(), !ContainsSubstring("fedra_template_drift{"));
  metrics.SetCredential(east, std::nullopt, std::nullopt);
  CHECK_THAT(metrics.Text(), !ContainsSubstring("1800000000"));
  CHECK_THAT(text, !ContainsSubstring("fedra_cluster_clones{cluster=\"manager\"}"));
}

TEST_CASE("1,000 workers have at most 100 series each, however many jobs they run") {
  Metrics metrics("0.1.0", "abc");
  constexpr int kWorkers = 1'000;
  std::vector<ClusterGauges> clusters;
  for (int i = 0; i < kWorkers; ++i) {
    const ClusterName name("gpu-" + std::to_string(i));
    clusters.push_back({.name = name,
                        .is_up = true,
                        .last_contact = WallTime(std::chrono::seconds(1)),
                        .orphans = 0,
                        .template_drift = 0,
                        .devices = {{"gpu.example.com", {}}}});
    metrics.SetCredential(name, WallTime(std::chrono::seconds(1)), std::chrono::seconds(1));
    for (int job = 0; job < 3; ++job) {
      for (const char* result : {"ok", "conflict"}) metrics.Dispatched(name, result);
      metrics.Placed(name, std::chrono::seconds(job));
      metrics.Judged(name, {.outcome = verdict::Outcome::kYes, .reasons = {}});
      for (const auto reason : {verdict::ReasonCode::kDevicesAllocated,
                                verdict::ReasonCode::kInLine, verdict::ReasonCode::kQueueFull})
        metrics.Judged(name, {.outcome = verdict::Outcome::kNo, .reasons = {{reason, "", {}}}});
      for (const placement::AttemptEnd end : placement::kAttemptEnds)
        metrics.AttemptEnded(name, placement::ToString(end));
      for (const char* verb : {"GET", "POST", "PATCH", "DELETE"})
        for (const char* code : {"200", "404", "409"})
          metrics.Requested(name, verb, code, std::chrono::milliseconds(job));
    }
  }
  metrics.SetClusters(clusters);
  const std::string text = metrics.Text();
  size_t series = 0;
  for (size_t at = 0; (at = text.find("cluster=\"gpu-", at)) != text.npos; ++at) ++series;
  CHECK(series <= 100 * kWorkers);
  // What fedra itself has does not grow with the workers.
  CHECK(static_cast<size_t>(std::ranges::count(text, '\n')) < series + 200);
}

TEST_CASE("verdicts of many threads are counted once each, by worker, result and reason") {
  Metrics metrics("0.1.0", "abc");
  constexpr int kEach = 500;
  const auto judge = [&metrics] {
    const verdict::Verdict no{.outcome = verdict::Outcome::kNo,
                              .reasons = {{verdict::ReasonCode::kInLine, "", {}}}};
    for (int i = 0; i < kEach; ++i) {
      for (const char* worker : {"gpu-east", "gpu-west"}) {
        metrics.Judged(ClusterName(worker), {.outcome = verdict::Outcome::kYes, .reasons = {}});
        metrics.Judged(ClusterName(worker), no);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(judge);
  for (std::thread& thread : threads) thread.join();
  const std::string text = metrics.Text();
  for (const char* series :
       {"fedra_verifications_total{cluster=\"gpu-east\",result=\"Yes\"} ",
        "fedra_verifications_total{cluster=\"gpu-west\",result=\"No\"} ",
        "fedra_verification_refusals_total{cluster=\"gpu-west\",reason=\"InLine\"} "})
    CHECK_THAT(text, ContainsSubstring(std::string(series) + std::to_string(4 * kEach) + "\n"));
}

TEST_CASE("losses are counted from zero, so that the first one is an increase") {
  Metrics metrics("0.1.0", "abc");
  const ClusterName east("gpu-east");
  const std::string lost = "fedra_worker_lost_total{cluster=\"gpu-east\"} ";
  metrics.SetClusters({{.name = east, .is_up = true}});
  CHECK_THAT(metrics.Text(), ContainsSubstring(lost + "0\n"));
  metrics.WorkerLost(east);
  CHECK_THAT(metrics.Text(), ContainsSubstring(lost + "1\n"));
}

}  // namespace fedra::metrics::metrics_test
