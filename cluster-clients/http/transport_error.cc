#include "cluster-clients/http/transport_error.h"

#include <system_error>

#include "base/ascii.h"

namespace fedra::http {
namespace {

// The codes that libcurl 7.88 was seen to give.
ErrorCode Classify(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return ErrorCode::kTimeout;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return ErrorCode::kTlsUntrusted;
    // Our own settings cannot be used: a CA, certificate or key that is no PEM, or do not match.
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_URL_MALFORMAT:
      return ErrorCode::kInvalidArgument;
    // Bytes that are no HTTP; also what libcurl says of an answer without a status line.
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
      return ErrorCode::kBadResponse;
    case CURLE_WRITE_ERROR:
    case CURLE_FILESIZE_EXCEEDED:
      return ErrorCode::kTooLarge;
    case CURLE_ABORTED_BY_CALLBACK:
      return ErrorCode::kCancelled;
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT:
    case CURLE_BAD_FUNCTION_ARGUMENT:
    case CURLE_UNKNOWN_OPTION:
    case CURLE_NOT_BUILT_IN:
      return ErrorCode::kInternal;
    // 5, 6, 7 could not connect; 16, 92 HTTP/2 framing; 18 cut; 35 cut in the TLS handshake; 52 no
    // answer; 55, 56 reset; and whatever else may happen to a connection.
    default:
      return ErrorCode::kConnection;
  }
}

std::string LowerFirst(std::string text) {
  if (text.size() > 1 && IsLower(text[1])) {
    text[0] = ToLower(text[0]);
  }
  return text;
}

}  // namespace

Error TransportError(CURLcode code, const std::string& detail, long os_error) {
  Error error;
  error.code = Classify(code);
  if (code == CURLE_COULDNT_CONNECT && os_error != 0) {
    error.message = LowerFirst(std::system_category().message(static_cast<int>(os_error)));
  } else if (code == CURLE_OPERATION_TIMEDOUT) {
    // libcurl's text counts milliseconds: every time-out would look like news.
    error.message = "no answer in time";
  } else {
    error.message = LowerFirst(detail.empty() ? curl_easy_strerror(code) : detail);
  }
  return error;
}

}  // namespace fedra::http
