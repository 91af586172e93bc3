// The daemon's pages, without sockets.

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

TEST_CASE("kubelets get health and nothing else: no names, no reasons, no other page") {
  const auto ready = PagesWith({{"manager", ""}, {"worker/gpu-east", "10.0.0.7 refused", true}});
  for (const char* page : {"/readyz", "/readyz?verbose", "/livez", "/healthz?verbose"}) {
    INFO(page);
    CHECK(httpd::RouteHealth(page, ready).status == 200);
    CHECK(httpd::RouteHealth(page, ready).body == "ok");
  }
  const auto failing = PagesWith({{"manager", "10.0.0.1: no contact"},
                                  {"reconciler", "waits for manager"},
                                  {"worker/gpu-east", "10.0.0.7 refused", true}});
  CHECK(httpd::RouteHealth("/readyz?verbose", failing).status == 500);
  CHECK(httpd::RouteHealth("/readyz?verbose", failing).body ==
        "[-]manager failed: reason withheld\n[-]reconciler failed: reason withheld\n"
        "readyz check failed\n");
  CHECK(httpd::RouteHealth("/readyz?exclude=manager&exclude=reconciler", failing).status == 200);
  for (const char* page : {"/metrics", "/version", "/", "/api/v1alpha1/jobs", "/readyz/manager"}) {
    INFO(page);
    CHECK(httpd::RouteHealth(page, ready).status == 404);
  }
}

TEST_CASE("pages have names for metrics, and all else has one") {
  CHECK(httpd::PageName("/metrics") == "metrics");
  CHECK(httpd::PageName("/readyz?verbose") == "readyz");
  for (const char* other : {"", "/", "metrics", "/metrics/", "/xmetrics", "/api/v1alpha1/jobs"})
    CHECK(httpd::PageName(other) == "other");
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

}  // namespace fedra::route_test
