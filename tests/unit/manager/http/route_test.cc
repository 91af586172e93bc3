// The daemon's pages, without sockets.

#include "manager/http/metrics.h"
#include "manager/http/server.h"
#include "tests/support/catch.h"

namespace fedra::route_test {

using httpd::HealthCheck;
using httpd::Route;

namespace {

httpd::Pages PagesWith(const std::vector<HealthCheck>& checks) {
  return {.livez = [] { return std::vector<HealthCheck>{{"store", ""}}; },
          .readyz = [checks] { return checks; },
          .metrics = [] { return std::string("m 1\n"); },
          .version = [] { return std::string("{}"); }};
}

}  // namespace

TEST_CASE("readyz is ok with a dead worker and fails without the manager") {
  const auto pages =
      PagesWith({{"manager", ""},
                 {"manager/clusterqueues.kueue.x-k8s.io", "forbidden: no order", true},
                 {"worker/a", "connection refused", true}});
  CHECK(Route("/readyz", pages).status == 200);
  CHECK(Route("/readyz", pages).body == "ok");
  CHECK(Route("/readyz?verbose", pages).body ==
        "[+]manager ok\n[!]manager/clusterqueues.kueue.x-k8s.io forbidden: no order\n"
        "[!]worker/a connection refused\nreadyz check passed\n");
  const auto failing = PagesWith({{"manager", "no contact"}});
  CHECK(Route("/readyz", failing).status == 500);
  CHECK(Route("/readyz", failing).body == "[-]manager no contact\nreadyz check failed\n");
  CHECK(Route("/readyz?exclude=manager", failing).status == 200);
}

TEST_CASE("unknown pages say which there are") {
  const auto answer = Route("/nothing", PagesWith({}));
  CHECK(answer.status == 404);
  CHECK_THAT(answer.body, ContainsSubstring("/metrics"));
}

TEST_CASE("livez, healthz, metrics and version answer") {
  const auto pages = PagesWith({});
  CHECK(Route("/livez", pages).body == "ok");
  CHECK(Route("/healthz", pages).status == 200);
  CHECK(Route("/metrics", pages).body == "m 1\n");
  CHECK(Route("/version", pages).content_type == "application/json");
}

TEST_CASE("every documented metric appears once it has a value") {
  httpd::Metrics metrics("0.1.0", "abc");
  const ClusterName east("gpu-east");
  metrics.Dispatched(east, "ok");
  metrics.Placed(east, std::chrono::seconds(45));
  metrics.Judged(east, {.outcome = verdict::Outcome::kNo,
                        .reasons = {{verdict::ReasonCode::kTemplateMissing, "", {}}}});
  metrics.Verified(std::chrono::milliseconds(1));
  metrics.Reconciled("ok", std::chrono::milliseconds(1));
  metrics.PassedUnasked();
  metrics.WorkerLost(east);
  metrics.Requested(east, "GET", "200", std::chrono::milliseconds(1));
  metrics.StoreTransaction(true, std::chrono::milliseconds(1));
  metrics.SetCredentialExpiry(east, WallTime(std::chrono::seconds(1'800'000'000)));
  metrics.SetClusters({{.name = east,
                        .is_up = true,
                        .clones = 3,
                        .in_line = 4,
                        .head_waits = std::chrono::milliseconds(1500),
                        .devices = {{"gpu.example.com", {.free = 5, .allocated = 2}}}}});
  metrics.SetBlocked({{"TemplateMissing", {.count = 4, .longest = std::chrono::seconds(90)}}});
  metrics.SetConfigRead(true, WallTime(std::chrono::seconds(1'700'000'000)));
  metrics.SetConfigRead(false, WallTime(std::chrono::seconds(1'700'000'060)));
  metrics.SetManager(false);
  metrics.SetLeader(httpd::LeaderGauges{.leads = true, .transitions = 3});
  metrics.SetLeader(httpd::LeaderGauges{.renewed_at = WallTime(std::chrono::seconds(1'700'000'000)),
                                        .transitions = 4,
                                        .config_differs = true});
  metrics.SetQueueDepth(2);
  metrics.SetWorkloads("JobSet", "Running", 5);
  metrics.SetStoreSize(4096);
  metrics.SetProcess({.cpu_seconds = 1.5, .resident_bytes = 8192, .open_files = 7});
  metrics.SetProcess(
      {.cpu_seconds = 2, .resident_bytes = 8192, .open_files = 7, .most_files = 1024});
  const std::string text = metrics.Text();
  for (const httpd::MetricFamily& family : httpd::MetricFamilies()) {
    INFO(family.name);
    CHECK_THAT(text, ContainsSubstring("# TYPE " + std::string(family.name) + " "));
  }
  CHECK_THAT(
      text,
      ContainsSubstring(
          "fedra_verification_refusals_total{cluster=\"gpu-east\",reason=\"TemplateMissing\"} 1"));
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
  metrics.SetCredentialExpiry(east, std::nullopt);
  CHECK_THAT(metrics.Text(), !ContainsSubstring("1800000000"));
  CHECK_THAT(text, !ContainsSubstring("fedra_cluster_clones{cluster=\"manager\"}"));
}

TEST_CASE("losses are counted from zero, so that the first one is an increase") {
  httpd::Metrics metrics("0.1.0", "abc");
  const ClusterName east("gpu-east");
  const std::string lost = "fedra_worker_lost_total{cluster=\"gpu-east\"} ";
  metrics.SetClusters({{.name = east, .is_up = true}});
  CHECK_THAT(metrics.Text(), ContainsSubstring(lost + "0\n"));
  metrics.WorkerLost(east);
  CHECK_THAT(metrics.Text(), ContainsSubstring(lost + "1\n"));
}

}  // namespace fedra::route_test
