// Details of Go's standard library that a selector can see. What is expected here was printed by
// Go 1.26.8 (regexp, strconv.ParseFloat, time.Parse).

#include "tests/support/catch.h"
#include "tests/unit/cel/support.h"

namespace fedra::cel::go_details_test {
namespace {

TEST_CASE("repeat counts are numbers up to a thousand or an error, however long") {
  for (const char* pattern : {"x{1001}", "x{99999999}", "x{100000000}", "x{9876543210}",
                              "x{1,9876543210}", "x{999999999999999999999,}", "x{2,1}"}) {
    INFO(pattern);
    CHECK(SubRequest("'abc'.matches('" + std::string(pattern) + "')")
              .starts_with("compile: invalid matches argument"));
    CHECK(SubRequest("'abc'.matches(device.attributes['other.example.com'].note + '" +
                     std::string(pattern) + "')")
              .starts_with("error: error parsing regexp: "));
  }
  // No repeats at all, but texts.
  CHECK(SubRequest("'x{,5}'.matches('^x{,5}$')") == "true");
  CHECK(SubRequest("'x{00}'.matches('^x{00}$')") == "true");
  CHECK(SubRequest("'x{0000000000001}'.matches('^x{0000000000001}$')") == "true");
  CHECK(SubRequest("'{'.matches('^[x{9876543210}]$')") == "true");
  CHECK(SubRequest("'x{9876543210}'.matches('\\\\Qx{9876543210}\\\\E')") == "true");
}

TEST_CASE("a class may begin with its closing bracket") {
  CHECK(SubRequest("'P'.matches('[](?<a>]')") == "false");
  CHECK(SubRequest("']'.matches('^[](?<a>]$')") == "true");
  CHECK(SubRequest("'P'.matches('^[^](?<a>]$')") == "true");
  CHECK(SubRequest("'P'.matches('^[[:digit:](?<a>]$')") == "false");
  CHECK(SubRequest("'('.matches('^[[:digit:](?<a>]$')") == "true");
  CHECK(SubRequest("'aa'.matches('^(?<first>a)(?P<second>a)$')") == "true");
  CHECK(SubRequest("'C'.matches('[\\\\C]')").starts_with("compile: "));
}

TEST_CASE("lists and maps of nothing but a comma") {
  CHECK(SubRequest("[,].size() == 0") == "true");
  CHECK(SubRequest("{,}.size() == 0") == "true");
  CHECK(SubRequest("[,1].size() == 1").starts_with("compile: "));
  CHECK(SubRequest("[,,].size() == 0").starts_with("compile: "));
  CHECK(SubRequest("{,1: 2}.size() == 1").starts_with("compile: "));
}

TEST_CASE("timestamps as time.Parse takes them") {
  const auto same = [](const char* text, const char* canonical) {
    INFO(text);
    CHECK(SubRequest("timestamp('" + std::string(text) + "') == timestamp('" + canonical + "')") ==
          "true");
  };
  same("2020-01-01T00:00:00,5Z", "2020-01-01T00:00:00.5Z");
  same("2020-01-01T0:00:00Z", "2020-01-01T00:00:00Z");
  same("2020-01-01T5:00:00+01:00", "2020-01-01T04:00:00Z");
  same("2020-01-01T01:00:00+00:60", "2020-01-01T00:00:00Z");
  same("2020-01-02T01:00:00+24:60", "2020-01-01T00:00:00Z");
  for (const char* text :
       {"2020-01-01T00:0:00Z", "2020-01-01T00:00:0Z", "2020-1-01T00:00:00Z", "2020-01-01T24:00:00Z",
        "2020-01-01T00:00:00+25:00", "2020-01-01T00:00:00+00:61", "2020-01-01T00:00:00,Z",
        "2020-01-01t00:00:00z", "2020-01-01T00:00:00.5,5Z", "2020-01-01T:00:00Z"}) {
    INFO(text);
    CHECK(SubRequest("timestamp('" + std::string(text) + "') == timestamp(0)")
              .starts_with("compile: "));
  }
}

TEST_CASE("the zone of the scheduler's host is UTC") {
  CHECK(SubRequest("timestamp('2020-01-01T05:00:00Z').getHours('Local') == 5") == "true");
}

TEST_CASE("doubles may have underscores between digits") {
  CHECK(SubRequest("double('1_0') == 10.0") == "true");
  CHECK(SubRequest("double('1_23.50_0_0e+1_2') == 123.5e12") == "true");
  CHECK(SubRequest("double('0x_1_0p0') == 16.0") == "true");
  for (const char* text : {"_1", "1_", "1__0", "1_.5", "1._5", "1e_5", "0_x1p0", "-_1", "i_nf"}) {
    INFO(text);
    CHECK(SubRequest("double('" + std::string(text) + "') == 1.0").starts_with("compile: "));
  }
}

TEST_CASE("selectors of the wrong kind are named as Go names them") {
  CHECK(SubRequest("{1: 2}[dyn([1])] == 2") == "compile: invalid qualifier type: *types.baseList");
  CHECK(SubRequest("{1: 2}[dyn({1: 2})] == 2") ==
        "compile: invalid qualifier type: *types.baseMap");
}

}  // namespace
}  // namespace fedra::cel::go_details_test
