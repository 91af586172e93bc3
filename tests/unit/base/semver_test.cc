#include "base/semver.h"

#include "tests/support/catch.h"

namespace fedra::semver_test {
namespace {

Semver V(std::string_view text) {
  const auto version = Semver::Parse(text);
  INFO(text);
  REQUIRE(version);
  return *version;
}

TEST_CASE("versions are ordered as semver 2.0.0 says") {
  const char* const ascending[] = {
      "0.0.1",      "0.1.0",        "1.0.0-alpha",   "1.0.0-alpha.1", "1.0.0-alpha.beta",
      "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",    "1.0.0",
      "1.0.1",      "1.2.0",        "1.10.0",        "2.0.0",         "10.0.0"};
  for (size_t i = 0; i + 1 < std::size(ascending); ++i) {
    INFO(ascending[i] << " < " << ascending[i + 1]);
    CHECK(V(ascending[i]) < V(ascending[i + 1]));
    CHECK(V(ascending[i + 1]) > V(ascending[i]));
  }
}

TEST_CASE("build metadata does not count") {
  CHECK(V("1.0.0+a") == V("1.0.0+b"));
  CHECK(V("1.0.0-rc.1+a") == V("1.0.0-rc.1"));
}

TEST_CASE("strict parsing refuses everything else") {
  for (const char* text : {"", "1", "1.2", "v1.2.3", "1.2.3.4", "01.2.3", "1.02.3", "1.2.03",
                           "1.2.x", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3-a..b", "1.2.3-ä",
                           " 1.2.3", "1.2.3 ", "18446744073709551616.0.0", "-1.2.3"}) {
    INFO(text);
    CHECK_FALSE(Semver::Parse(text));
  }
}

TEST_CASE("normalize drops the v, fills up and removes leading zeros") {
  CHECK(*Semver::ParseNormalized("v1.2.3") == V("1.2.3"));
  CHECK(*Semver::ParseNormalized("v1") == V("1.0.0"));
  CHECK(*Semver::ParseNormalized("1.2") == V("1.2.0"));
  CHECK(*Semver::ParseNormalized("01.002.0003") == V("1.2.3"));
  CHECK(*Semver::ParseNormalized("1.2.03-rc1") == V("1.2.3-rc1"));
  CHECK_FALSE(Semver::ParseNormalized("1.2-rc1"));
  CHECK_FALSE(Semver::ParseNormalized(""));
  CHECK_FALSE(Semver::ParseNormalized("vv1.2.3"));
}

TEST_CASE("a version is written as it was read") {
  for (const char* text : {"1.2.3", "0.0.0", "1.2.3-rc.1", "1.2.3+build.5", "1.2.3-x-y.7+b-1.2"}) {
    CHECK(V(text).ToString() == text);
  }
}

}  // namespace
}  // namespace fedra::semver_test
