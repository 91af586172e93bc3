#pragma once
//
// What a browser may ask for on this machine's loopback, and how pages are kept from others.
//
// A loopback port is open to every user of the machine and to every page in the browser. So an
// answer of the API needs the secret of this run, which only the address has that was printed to
// this user: as a fragment, which no browser sends or writes into a Referer. There are no cookies,
// so no other page can ask in this user's name; and a name that is made to lead here (DNS
// rebinding) is refused by its Host. The pages themselves are no secret.
//
// Source: Fetch Metadata (Sec-Fetch-Site), CSP level 3, RFC 6750 (Bearer).
// Thread rules: pure, but for MakeSecret.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "manager/http/message.h"

namespace fedra::dashboard {

// 256 bits of the system's randomness, in hexadecimal digits. kUnavailable.
Result<std::string> MakeSecret();

struct Gate {
  int port = 0;
  std::string secret;  // never empty
};

// Why it is not answered: 421 another host, 403 another site's page, 401 without the secret.
// Nothing when it is a request to the API that may be passed on, or one for a page.
std::optional<httpd::Answer> RefusalOf(const Gate& gate, const httpd::Request& request);

// Whether it is for the daemon.
bool IsForDaemon(const httpd::Request& request);

// The file that is asked for; 404: there is none.
httpd::Answer PageOf(const httpd::Request& request);

// Adds what every answer carries: what a browser must not do with it.
httpd::Answer Guarded(httpd::Answer answer);

}  // namespace fedra::dashboard
