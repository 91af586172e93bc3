// What clients say that they take.

#include "manager/api/delivery.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/gunzip.h"

namespace fedra::delivery_test {

namespace {

std::string Header(const httpd::Answer& answer, std::string_view name) {
  std::string values;
  for (const auto& [key, value] : answer.headers)
    if (key == name) values += value;
  return values;
}

int RefusedWith(std::map<std::string, std::string, std::less<>> headers) {
  const auto refusal = api::RefusalOf({"/", std::move(headers)});
  return refusal ? refusal->status : 0;
}

TEST_CASE("media types") {
  struct Row {
    const char* accept;
    bool takes;
  };
  const Row rows[] = {
      {"", true},
      {"*/*", true},
      {"application/json", true},
      {"Application/JSON; charset=utf-8", true},
      {"text/html, application/*;q=0.5", true},
      {"text/html, */*;q=0.1", true},
      {"text/html", false},
      {"*/*, application/json;q=0", false},
      {"application/json;q=0.0, */*", false},
      {"application/json;q=0.001", true},
      {",;,", false},
  };
  for (const Row& row : rows) {
    INFO(row.accept);
    CHECK(api::Accepts(row.accept, "application/json") == row.takes);
  }
}

TEST_CASE("encodings") {
  CHECK(api::AcceptsGzip("deflate, gzip, br"));
  CHECK(api::AcceptsGzip("*"));
  CHECK(!api::AcceptsGzip(""));
  CHECK(!api::AcceptsGzip("identity"));
  CHECK(!api::AcceptsGzip("gzip;q=0, *"));
}

TEST_CASE("tags are compared weakly") {
  CHECK(api::HasTag("W/\"a\"", "W/\"a\""));
  CHECK(api::HasTag("\"b\" , \"a\"", "W/\"a\""));
  CHECK(api::HasTag("*", "W/\"a\""));
  CHECK(!api::HasTag("", "W/\"a\""));
  CHECK(!api::HasTag("\"ab\"", "W/\"a\""));
}

TEST_CASE("what a client has is not sent again") {
  const httpd::Answer first = api::Deliver({"/"}, {.body = "aged 1s"}, "news");
  CHECK(first.status == 200);
  const std::string tag = Header(first, "ETag");
  CHECK_THAT(tag, Catch::Matchers::StartsWith("W/\""));
  const httpd::Answer again =
      api::Deliver({"/", {{"if-none-match", tag}}}, {.body = "aged 2s"}, "news");
  CHECK(again.status == 304);
  CHECK(again.body.empty());
  CHECK(Header(again, "ETag") == tag);
  CHECK(api::Deliver({"/", {{"if-none-match", tag}}}, {.body = "x"}, "other").status == 200);
  // What was posted is asked anew each time.
  for (const std::string& known : {tag, std::string("*")}) {
    const httpd::Answer posted =
        api::Deliver({.target = "/", .headers = {{"if-none-match", known}}, .is_post = true},
                     {.body = "x"}, "news");
    CHECK(posted.status == 200);
    CHECK(posted.body == "x");
    for (const auto& [name, value] : posted.headers) {
      CHECK(name != "ETag");
      if (name == "Cache-Control") CHECK(value == "no-store");
    }
  }
}

TEST_CASE("long answers are packed for those who unpack them") {
  const std::string text(5'000, 'x');
  const httpd::Request packer{"/", {{"accept-encoding", "gzip"}}};
  const httpd::Answer packed = api::Deliver(packer, {.body = text}, text);
  CHECK(Header(packed, "Content-Encoding") == "gzip");
  CHECK(packed.body.size() < 200);
  CHECK(Gunzip(packed.body) == text);
  CHECK(Header(packed, "Vary") == "Accept-Encoding");
  const httpd::Answer plain = api::Deliver({"/"}, {.body = text}, text);
  CHECK(plain.body == text);
  CHECK(Header(plain, "Vary") == "Accept-Encoding");
  CHECK(api::Deliver(packer, {.body = "short"}, "short").body == "short");
}

TEST_CASE("pages of other sites may not ask") {
  CHECK(RefusedWith({}) == 0);
  for (const char* const host :
       {"localhost", "LOCALHOST:9480", "127.0.0.1:80", "[::1]:80", "10.1.2.3", "fedra", ""}) {
    INFO(host);
    CHECK(RefusedWith({{"host", host}}) == 0);
  }
  for (const char* const host : {"evil.example", "evil.example:9480", "127.0.0.1.evil.example"}) {
    INFO(host);
    CHECK(RefusedWith({{"host", host}}) == 421);
  }
  CHECK(RefusedWith({{"sec-fetch-site", "same-origin"}}) == 0);
  CHECK(RefusedWith({{"sec-fetch-site", "none"}}) == 0);
  CHECK(RefusedWith({{"sec-fetch-site", "cross-site"}}) == 403);
  CHECK(RefusedWith({{"sec-fetch-site", "same-site"}}) == 403);
}

}  // namespace

}  // namespace fedra::delivery_test
