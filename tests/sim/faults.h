#pragma once
//
// What may go wrong with one simulated API server. Plain values, off by default; set at run time
// with Server::SetFaults, in force from the next byte on.

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace fedra::sim {

// An answer given instead of the real one to requests that match.
struct InjectedAnswer {
  enum class Kind {
    kStatus,         // a Status error with `code`, and Retry-After when set
    kHtml,           // "<html>..." with `code`, as a load balancer in front of the server answers
    kTruncatedJson,  // the real answer cut in the middle, with the Content-Length of what is sent
    kCutConnection,  // the real answer cut in the middle, then the connection is closed, for all
                     // that it carries
    kHang,           // the request is read and never answered
    kLatency,        // the real answer, `delay` later
    kHostile,        // `hostile` of http/hostile.h
  };

  Kind kind = Kind::kStatus;
  std::string method;                  // "GET", ...; empty: every method
  std::string path_contains;           // part of path and query; empty: every path
  int times = -1;                      // how many requests get it; negative: no end
  int code = 500;                      // of kStatus and kHtml
  int retry_after_seconds = -1;        // negative: no Retry-After header
  std::string location;                // where a redirect points to
  std::chrono::milliseconds delay{0};  // of kLatency
  std::string hostile;                 // of kHostile: "endless-list"
};

struct Faults {
  std::chrono::milliseconds latency{0};  // before every answer
  // Connections are accepted and nothing is ever said on them; open watches fall silent.
  bool hang = false;
  // The port is closed (connection refused) and open connections are reset. The port stays
  // reserved, so that the same address works again when this is false again.
  bool refuse = false;
  bool reject_credentials = false;   // 401 for everybody
  bool expired_certificate = false;  // new connections see a certificate that ended yesterday
  bool foreign_ca = false;  // new connections see a certificate of a CA that no client trusts

  // Its clock is ahead, as Date tells; negative: behind. What it writes has the true time.
  std::chrono::seconds clock_ahead{0};

  // Another release answers: what /version says; empty: as in the options.
  std::string git_version;
  // "resource.k8s.io/v1": in no discovery document, and 404 for its resources. Open watches go on.
  std::set<std::string> not_served;

  size_t close_watch_after = 0;  // a watch ends after this many events; 0: never
  bool watch_too_old =
      false;  // every watch with a resourceVersion is answered with an ERROR event 410
  bool expire_continue = false;  // every continue token is answered with 410
  bool watch_garbage = false;    // the next event of every watch is bytes that are no JSON
  bool lose_events =
      false;  // watches skip what happens now and never tell. No real server does this

  std::vector<InjectedAnswer> answers;  // the first that matches is used
};

}  // namespace fedra::sim
