// What is wrong with the files of a server's certificate, in words that name the file and none of
// its data.

#include "config/serving_certificate.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/config/support.h"

namespace fedra::config::serving_certificate_test {

using namespace std::chrono_literals;

namespace {

struct Fixture {
  std::string Problem(const std::string& certificate, const std::string& key) const {
    const auto read =
        ReadServingCertificate(folder.Write("tls.crt", certificate), folder.Write("tls.key", key));
    return read ? "" : read.error().message.substr(folder.Path("").size());
  }

  const TempFolder folder;
  const test::KeyPair one = test::MakeCertificate("one", test::Now(), test::Now() + 24h);
  const test::KeyPair other = test::MakeCertificate("other", test::Now(), test::Now() + 24h);
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a certificate with its key is taken as it is") {
  const auto read =
      ReadServingCertificate(folder.Write("tls.crt", one.certificate_pem + other.certificate_pem),
                             folder.Write("tls.key", one.key_pem));
  REQUIRE(read);
  CHECK(read->certificates == one.certificate_pem + other.certificate_pem);
  CHECK(read->key == one.key_pem);
}

TEST_CASE_METHOD(Fixture, "what cannot be used is told by its file") {
  CHECK(Problem("", one.key_pem) == "tls.crt: has no certificate in PEM form, or a broken one");
  CHECK(Problem(one.certificate_pem, "") == "tls.key: has no private key in PEM form");
  CHECK_THAT(Problem(one.certificate_pem, test::EncryptKey(one.key_pem)),
             ContainsSubstring("tls.key: needs a passphrase"));
  CHECK_THAT(Problem(one.certificate_pem, other.key_pem),
             ContainsSubstring("tls.key: is not the key of the first certificate in "));
  CHECK(Problem(one.key_pem, one.certificate_pem) ==
        "tls.crt: has no certificate in PEM form, or a broken one");
  const auto none =
      ReadServingCertificate(folder.Path("none"), folder.Write("tls.key", one.key_pem));
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message, ContainsSubstring("none: no such file"));
}

}  // namespace fedra::config::serving_certificate_test
