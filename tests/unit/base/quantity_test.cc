#include "base/quantity.h"

#include <limits>

#include "tests/support/catch.h"

namespace fedra::quantity_test {
namespace {

Quantity Q(std::string_view text) {
  const auto quantity = Quantity::Parse(text);
  INFO(text);
  REQUIRE(quantity);
  return *quantity;
}

TEST_CASE("quantities of equal value are equal, whatever the suffix") {
  CHECK(Q("1Gi") == Q("1024Mi"));
  CHECK(Q("1Gi") == Q("1073741824"));
  CHECK(Q("1") == Q("1000m"));
  CHECK(Q("1.5") == Q("1500m"));
  CHECK(Q("1e3") == Q("1k"));
  CHECK(Q("1E3") == Q("1000"));
  CHECK(Q("0.5Ki") == Q("512"));
  CHECK(Q("00012") == Q("12"));
  CHECK(Q("+5") == Q("5"));
  CHECK(Q("1.") == Q("1"));
  CHECK(Q(".5") == Q("500m"));
}

TEST_CASE("quantities are ordered exactly") {
  const char* const ascending[] = {"-1Ei", "-5",   "-500m", "-1n",   "0",   "1n",   "1u",  "1m",
                                   "1",    "1023", "1Ki",   "1001k", "1Mi", "1G",   "1Gi", "80Gi",
                                   "1T",   "1P",   "1E",    "8E",    "8Ei", "100E", "1e30"};
  for (size_t i = 0; i + 1 < std::size(ascending); ++i) {
    INFO(ascending[i] << " < " << ascending[i + 1]);
    CHECK(Q(ascending[i]) < Q(ascending[i + 1]));
    CHECK(Q(ascending[i + 1]) > Q(ascending[i]));
  }
}

TEST_CASE("what is no quantity is refused") {
  for (const char* text : {"", "x", "1x", "1 Gi", "1GI", "Gi.", "1Gi1", "1ee3", "1e", "1e3.5",
                           "--1", "1..2", "1Kib"}) {
    INFO(text);
    CHECK_FALSE(Quantity::Parse(text));
  }
}

TEST_CASE("apimachinery's oddities are kept") {
  CHECK(Q("-").Sign() == 0);            // an empty number is 0
  CHECK(Q("Gi") == Q("0"));             // no digits are 0, too
  CHECK(Q("1e4294967296") == Q("1"));   // the exponent is cut to 32 bits
  CHECK(Q("0.0000000001") == Q("1n"));  // digits below nano are rounded away from zero
  CHECK(Q("-0.0000000001") == Q("-1n"));
  CHECK(Q("100Ei") == Q("9223372036854775807"));  // a binary number is capped
  CHECK(Q("-100Ei") == Q("-9223372036854775807"));
  CHECK(Q("100E") > Q("9223372036854775807"));  // a decimal one is not
}

TEST_CASE("AsInt64 wants a number that was written without a fraction") {
  CHECK(Q("80Gi").AsInt64() == 85899345920);
  CHECK(Q("1k").AsInt64() == 1000);
  CHECK(Q("1e3").AsInt64() == 1000);
  CHECK(Q("-5").AsInt64() == -5);
  CHECK_FALSE(Q("1.5Gi").AsInt64());
  CHECK_FALSE(Q("1000m").AsInt64());
  CHECK_FALSE(Q("100E").AsInt64());
  CHECK(Q("9223372036854775807").AsInt64() == std::nullopt);  // 19 digits are held in the big form
  CHECK(Q("922337203685477580").AsInt64() == 922337203685477580);
}

TEST_CASE("Value and MilliValue round away from zero and saturate") {
  CHECK(Q("1500m").Value() == 2);
  CHECK(Q("-1500m").Value() == -2);
  CHECK(Q("1n").Value() == 1);
  CHECK(Q("1.5Gi").Value() == 1610612736);
  CHECK(Q("1u").MilliValue() == 1);
  CHECK(Q("2").MilliValue() == 2000);
  CHECK(Q("100E").Value() == std::numeric_limits<int64_t>::max());
  CHECK(Q("-100E").Value() == -std::numeric_limits<int64_t>::max());
}

TEST_CASE("sums and differences are exact") {
  CHECK(*Q("1Gi").Add(Q("1Mi")) == Q("1025Mi"));
  CHECK(*Q("1").Add(Q("1n")) == Q("1000000001n"));
  CHECK(*Q("1").Sub(Q("1500m")) == Q("-500m"));
  CHECK(*Q("1e20").Sub(Q("1e20")) == Q("0"));
  CHECK(*Quantity().Add(Q("1Gi")) == Q("1Gi"));
  CHECK(Quantity().Add(Q("1Gi"))->ToString() == "1Gi");
  CHECK_FALSE(Q("1e30").Add(Q("1n")));                        // 39 digits
  const Quantity huge = Q("-90000000000000000000000000001");  // as many nano units as there can be
  CHECK_FALSE(huge.Add(huge));
}

TEST_CASE("a sum that no quantity holds is rounded up, never down") {
  CHECK(Q("1Gi").AddUp(Q("1Mi")) == Q("1025Mi"));
  const Quantity most = Q("9e37").AddUp(Q("9e37"));
  CHECK(most == Q("18e37"));
  CHECK(Q("1e30").AddUp(Q("1n")) > Q("1e31"));  // 39 digits
  const Quantity huge = Q("90000000000000000000000000001n").AddUp(Q("1e30"));
  CHECK(huge.AddUp(huge) >= huge);
  // What is taken away may be lost, not doubled.
  CHECK(Q("1e30").AddUp(Q("-1n")) == Q("1e30"));
  CHECK(Q("-1e30").AddUp(Q("-1n")) == Q("-1n"));
}

TEST_CASE("the canonical form of a huge number can be read again") {
  for (const char* text : {"9238547775807854777580233720368477584e34", "10e2147483647"}) {
    CAPTURE(text);
    CHECK(Q(Q(text).ToString()) == Q(text));
  }
}

TEST_CASE("the canonical form keeps the notation") {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},           {"1024Mi", "1Gi"},
      {"1.5Gi", "1536Mi"},  {"1000", "1k"},
      {"1500m", "1500m"},   {"1.5", "1500m"},
      {"0.001", "1m"},      {"12e6", "12e6"},
      {"1e3", "1e3"},       {"-5Ki", "-5Ki"},
      {"1023Ki", "1023Ki"}, {"100Ki", "100Ki"},
      {"0.5Ki", "512"},     {"1234567", "1234567"},
      {"1000000n", "1m"},   {"123456789k", "123456789k"},
      {"1E", "1E"},         {"1000E", "1e21"}};
  for (const auto& [text, canonical] : cases) {
    INFO(text);
    CHECK(Q(text).ToString() == canonical);
  }
}

TEST_CASE("the canonical form parses to the same value") {
  for (const char* text :
       {"1.25Gi", "7", "-3m", "1e18", "99999999999", "0.1", "3Ti", "8191Pi", "1e25"}) {
    INFO(text);
    CHECK(Q(Q(text).ToString()) == Q(text));
  }
}

TEST_CASE("huge exponents are compared without computing them") {
  CHECK(Q("1e2000000000") > Q("1e1999999999"));
  CHECK(Q("1e-2000000000") == Q("1n"));
  CHECK(Q("-1e2000000000") < Q("1n"));
  CHECK(Q("1e2000000000").Value() == std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace fedra::quantity_test
