#include "manager/cli/fleet/config_connect.h"

#include "tests/support/catch.h"

namespace fedra::cli::config_connect_test {

TEST_CASE("validate --connect: who has rejected whom") {
  const auto text = [](ConnectionPhase phase, ErrorCode code, const char* message) {
    Error error;
    error.code = code;
    error.message = message;
    return WhyUnusable({.phase = phase, .since = {}, .why = std::move(error)});
  };
  CHECK(text(ConnectionPhase::kRejected, ErrorCode::kTlsUntrusted, "unknown CA") ==
        "CertificateUntrusted: unknown CA; see `fedra explain CertificateUntrusted`");
  CHECK(text(ConnectionPhase::kRejected, ErrorCode::kUnauthorized, "HTTP 401") ==
        "CredentialsRejected: HTTP 401; see `fedra explain CredentialsRejected`");
  CHECK(text(ConnectionPhase::kUnreachable, ErrorCode::kConnection, "refused") ==
        "Unreachable: refused");
  CHECK(WhyUnusable({}) == "Connecting: no answer yet");
}

}  // namespace fedra::cli::config_connect_test
