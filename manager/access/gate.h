#pragma once
//
// Who asks, and whether they may: the manager's API server is asked, and its answers are kept for a
// moment. Without an answer the client is refused.
//
// A token is never kept, logged or put into a message; what is kept of it is a keyed hash. Each
// question that reaches the server is counted against the client's address or the user, so that a
// flood of them ends here and not there.
//
// Thread rules: any thread but the io loop's. Lifetime: the clock must outlive it.

#include <chrono>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "manager/access/rate_limit.h"
#include "manager/access/recent.h"
#include "manager/access/reviews.h"

namespace fedra::access {

struct GateLimits {
  std::chrono::seconds known_token{60};
  std::chrono::seconds wrong_token{10};
  std::chrono::seconds allowed{30};
  std::chrono::seconds denied{5};
  std::chrono::seconds looked_again{10};
  size_t tokens = 1024;     // that are remembered, right ones and wrong ones apart
  size_t decisions = 8192;  // that are
  size_t clients = 1024;    // that are counted, addresses and users apart
  // Tokens that are asked about, of one address and in all.
  Rate client{20, 2};
  Rate all_clients{100, 50};
  // Rights that are asked about, of one user and in all.
  Rate user{300, 20};
  Rate all_users{1000, 200};
};

// Why there is no answer: 401, 429 or 503, and words for the client.
struct Refusal {
  int status = 0;
  std::string message;

  // Not refused for good: later there may be an answer.
  bool is_for_now() const { return status == 429 || status == 503; }

  bool operator==(const Refusal&) const = default;
};

// What an answer of the manager's is for, and so how old it may be.
enum class Purpose {
  kRequest,    // `known_token`, `allowed`, `denied`
  kProbe,      // which of many namespaces a list shows: a denial may be as old as what is `allowed`
  kLookAgain,  // whether a stream goes on: `looked_again`, so that streams of one user share it
};

class Gate final {
 public:
  Gate(std::unique_ptr<Reviews> reviews, const Clock& clock, GateLimits limits = {});
  ~Gate();

  // `authorization`: the header. `client`: who connects, as of httpd::Request::peer.
  tl::expected<User, Refusal> Identify(const std::string& authorization, const std::string& client,
                                       Purpose purpose = Purpose::kRequest);
  // Never 401.
  tl::expected<bool, Refusal> May(const User& user, const Attributes& attributes,
                                  Purpose purpose = Purpose::kRequest);

 private:
  using Counted = Recent<RateLimit>;
  template <class T>
  struct Dated;
  struct State;

  std::chrono::seconds OldestToken(Purpose purpose) const;
  std::chrono::seconds OldestDecision(Purpose purpose, bool allowed) const;
  bool MayAsk(Counted& each, RateLimit& all, const std::string& who, Rate rate, SteadyTime now);
  void Note(const Error* failure);

  const std::unique_ptr<Reviews> reviews_;
  const Clock& clock_;
  const GateLimits limits_;
  const std::string salt_;  // random: what is kept says nothing about tokens, in a core dump either
  Guarded<std::unique_ptr<State>> state_;
};

}  // namespace fedra::access
