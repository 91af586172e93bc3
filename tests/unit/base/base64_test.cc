// Base64 as kubeconfigs carry it: whole or refused.

#include "base/base64.h"

#include "tests/support/catch.h"

namespace fedra::base64_test {
namespace {

TEST_CASE("base64: both ways") {
  struct Row {
    std::string bytes;
    std::string text;
  };
  // RFC 4648 section 10.
  const auto row = GENERATE(values<Row>({{"", ""},
                                         {"f", "Zg=="},
                                         {"fo", "Zm8="},
                                         {"foo", "Zm9v"},
                                         {"foob", "Zm9vYg=="},
                                         {std::string("\0\xff\xfe", 3), "AP/+"}}));
  CHECK(Base64Encode(row.bytes) == row.text);
  CHECK(Base64Decode(row.text) == row.bytes);
}

TEST_CASE("base64: line breaks are ignored") { CHECK(Base64Decode("Zm9v\r\nYg==\n") == "foob"); }

TEST_CASE("base64: what is refused") {
  const std::string text =
      GENERATE(as<std::string>(), "Z", "Zg",
               "Zg=", "Zg===", "Z===", "====", "Zg==Zg==", "Z=g=", " Zg==", "Zg== ", "Zg==-",
               "Zm9-", "Zm_v", "Zm\xc3\xa4", "Zm9v!");
  INFO(text);
  CHECK(Base64Decode(text) == std::nullopt);
}

}  // namespace
}  // namespace fedra::base64_test
