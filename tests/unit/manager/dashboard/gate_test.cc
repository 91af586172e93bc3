// Who gets what from the dashboard's port, without sockets.

#include "manager/dashboard/gate.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/dashboard/assets.h"
#include "manager/report/job_filter.h"
#include "manager/report/row_states.h"
#include "manager/report/states.h"
#include "tests/support/catch.h"

namespace fedra::dashboard::gate_test {

namespace {

const Gate kGate{.port = 4711, .secret = "5ec2e7"};

using Headers = std::map<std::string, std::string, std::less<>>;

// 0: it is let through.
int Refused(const std::string& target, Headers headers) {
  const auto refusal = RefusalOf(kGate, {target, std::move(headers)});
  return refusal ? refusal->status : 0;
}

std::string HeaderIn(const httpd::Answer& answer, std::string_view name) {
  for (const auto& [key, value] : answer.headers)
    if (key == name) return value;
  return {};
}

}  // namespace

TEST_CASE("dashboard: the API needs the secret, this host and this page") {
  const std::string jobs = "/api/v1alpha1/jobs";
  const Headers good{{"host", "127.0.0.1:4711"}, {"authorization", "Bearer 5ec2e7"}};
  const auto with = [&](const char* name, const char* value) {
    Headers headers = good;
    headers[name] = value;
    return headers;
  };
  CHECK(Refused(jobs, good) == 0);
  CHECK(Refused(jobs, with("host", "LocalHost:4711")) == 0);
  CHECK(Refused(jobs, with("sec-fetch-site", "same-origin")) == 0);
  for (const char* secret :
       {"", "Bearer ", "Bearer 5ec2e6", "Bearer 5ec2e77", "5ec2e7", "Basic 5ec2e7"})
    CHECK(Refused(jobs, with("authorization", secret)) == 401);
  for (const char* host : {"", "evil.example", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:47110",
                           "127.0.0.1.evil.example:4711", "[::1]:4711"})
    CHECK(Refused(jobs, with("host", host)) == 421);
  for (const char* site : {"cross-site", "same-site"})
    CHECK(Refused(jobs, with("sec-fetch-site", site)) == 403);
}

TEST_CASE("dashboard: pages need no secret, but the host") {
  CHECK(Refused("/", {{"host", "localhost:4711"}}) == 0);
  CHECK(Refused("/", {{"host", "evil.example:4711"}}) == 421);
}

TEST_CASE("dashboard: its files, and nothing else") {
  for (const Asset& asset : Assets()) {
    INFO(asset.name);
    const httpd::Answer answer = PageOf({"/" + std::string(asset.name) + "?x=1"});
    CHECK(answer.status == 200);
    CHECK(answer.body == asset.text);
    CHECK_FALSE(asset.text.empty());
  }
  CHECK_THAT(PageOf({"/"}).body, ContainsSubstring("<!doctype html>"));
  CHECK(PageOf({"/app.js"}).content_type == "text/javascript; charset=utf-8");
  for (const char* target : {"/none", "/../app.js", "//app.js", "app.js", "", "/index.html/", "*"})
    CHECK(PageOf({target}).status == 404);
}

TEST_CASE("dashboard: only the API of this version is for the daemon") {
  CHECK(IsForDaemon({"/api/v1alpha1/jobs?limit=1"}));
  for (const char* target : {"/", "/api", "/api/v2/jobs", "/apix", "/metrics", "/app.js"})
    CHECK_FALSE(IsForDaemon({target}));
}

TEST_CASE("dashboard: every answer forbids what the pages do not need") {
  const httpd::Answer answer = Guarded({});
  CHECK_THAT(HeaderIn(answer, "Content-Security-Policy"),
             ContainsSubstring("default-src 'none'") && !ContainsSubstring("unsafe") &&
                 ContainsSubstring("frame-ancestors 'none'"));
  CHECK(HeaderIn(answer, "X-Content-Type-Options") == "nosniff");
  CHECK(HeaderIn(answer, "Referrer-Policy") == "no-referrer");
}

TEST_CASE("dashboard: the files name nothing elsewhere, and hold no script in the page") {
  for (const Asset& asset : Assets()) {
    INFO(asset.name);
    CHECK(asset.text.find("://") == std::string_view::npos);
    CHECK(asset.text.find("innerHTML") == std::string_view::npos);
    CHECK(asset.text.find("style=") == std::string_view::npos);
  }
}

TEST_CASE("dashboard: orders and states are those that lists of jobs have") {
  const auto text = [](std::string_view name) {
    const auto found = std::ranges::find(Assets(), name, &Asset::name);
    REQUIRE(found != Assets().end());
    return std::string(found->text);
  };
  CHECK_THAT(text("jobs.js"),
             ContainsSubstring(fmt::format("const ORDERS = [\"{}\"];",
                                           fmt::join(report::SortColumns(), "\", \""))));
  const std::string history = text("history.js");
  for (const report::StateEntry& entry : report::StateEntries()) {
    if (entry.group != "Job") continue;
    INFO(entry.name);
    const bool is_chosen =
        history.find(fmt::format("[\"{0}\", \"{0}\"]", entry.name)) != history.npos;
    CHECK(is_chosen == report::HasEnded(std::string(entry.name)));
  }
}

TEST_CASE("dashboard: a secret is of 256 bits, and another one each time") {
  const std::string secret = MakeSecret().value();
  CHECK(secret.size() == 64);
  CHECK(secret.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(secret != MakeSecret().value());
}

}  // namespace fedra::dashboard::gate_test
