#include "manager/access/gate.h"

#include <sys/random.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/log.h"
#include "base/sha256.h"
#include "manager/access/review_json.h"

namespace fedra::access {
namespace {

// How long a client that has stopped asking is remembered: longer than its bucket takes to fill.
constexpr std::chrono::minutes kCounted{10};

std::string RandomSalt() {
  std::string salt(32, '\0');
  // Fails only before the kernel has any randomness, at boot.
  if (getrandom(salt.data(), salt.size(), 0) != static_cast<ssize_t>(salt.size())) std::abort();
  return salt;
}

// RFC 6750, 2.1. Empty: there is none.
std::string TokenIn(const std::string& authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (ToLower(authorization.substr(0, kScheme.size())) != kScheme) return {};
  std::string token = authorization.substr(kScheme.size());
  const bool is_token = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
  return is_token ? token : std::string();
}

Refusal NoToken() {
  return {401, "send a token of the manager's API server: Authorization: Bearer TOKEN"};
}
Refusal WrongToken() { return {401, "the manager's API server does not know this token"}; }
Refusal TooMany() { return {429, "too many questions about rights: ask again later"}; }
Refusal NotAsked() {
  return {503, "the manager's API server cannot be asked about you now; fedra's log says why"};
}

}  // namespace

template <class T>
struct Gate::Dated {
  T answer;
  SteadyTime at;
};

struct Gate::State {
  State(const GateLimits& limits, SteadyTime now)
      : users(limits.tokens),
        wrong(limits.tokens),
        decisions(limits.decisions),
        asking_clients(limits.clients),
        asking_users(limits.clients),
        all_clients(limits.all_clients, now),
        all_users(limits.all_users, now) {}

  Recent<Dated<User>> users;      // by token
  Recent<bool> wrong;             // tokens
  Recent<Dated<bool>> decisions;  // by user and attributes
  Counted asking_clients;
  Counted asking_users;
  RateLimit all_clients;
  RateLimit all_users;
  bool fails = false;  // the last question to the server had no answer
};

Gate::Gate(std::unique_ptr<Reviews> reviews, const Clock& clock, GateLimits limits)
    : reviews_(std::move(reviews)),
      clock_(clock),
      limits_(limits),
      salt_(RandomSalt()),
      state_(std::make_unique<State>(limits, clock.Steady())) {}

Gate::~Gate() = default;

std::chrono::seconds Gate::OldestToken(Purpose purpose) const {
  return purpose == Purpose::kLookAgain ? limits_.looked_again : limits_.known_token;
}

std::chrono::seconds Gate::OldestDecision(Purpose purpose, bool allowed) const {
  if (purpose == Purpose::kLookAgain) return limits_.looked_again;
  return allowed || purpose == Purpose::kProbe ? limits_.allowed : limits_.denied;
}

// The smaller limit first: who is over it takes nothing from the others.
bool Gate::MayAsk(Counted& each, RateLimit& all, const std::string& who, Rate rate,
                  SteadyTime now) {
  RateLimit* own = each.Find(who, now);
  if (own == nullptr) own = &each.Put(who, RateLimit(rate, now), now + kCounted);
  return own->Take(now) && all.Take(now);
}

// Once when it begins and once when it ends: a client could fill the log.
void Gate::Note(const Error* failure) {
  const bool is_news = state_.With([&](const std::unique_ptr<State>& state) {
    return std::exchange(state->fails, failure != nullptr) != (failure != nullptr);
  });
  if (!is_news) return;
  if (failure != nullptr)
    log::Warn("clients of the secure API are refused: the manager does not answer about them",
              {{"error", ToString(*failure)}});
  else
    log::Info("the manager answers about clients of the secure API");
}

tl::expected<User, Refusal> Gate::Identify(const std::string& authorization,
                                           const std::string& client, Purpose purpose) {
  const std::string token = TokenIn(authorization);
  if (token.empty()) return tl::make_unexpected(NoToken());
  const std::string key = Sha256(salt_ + token);
  // An answer is as old as its question: what it says may change before it arrives.
  const SteadyTime now = clock_.Steady();
  std::optional<tl::expected<User, Refusal>> known;
  state_.With([&](const std::unique_ptr<State>& state) {
    const auto* const user = state->users.Find(key, now);
    if (user != nullptr && now - user->at < OldestToken(purpose))
      known = user->answer;
    else if (state->wrong.Find(key, now) != nullptr)
      known = tl::make_unexpected(WrongToken());
    else if (!MayAsk(state->asking_clients, state->all_clients, client, limits_.client, now))
      known = tl::make_unexpected(TooMany());
  });
  if (known) return *std::move(known);
  const Result<std::optional<User>> found = reviews_->WhoHas(token);
  Note(found ? nullptr : &found.error());
  if (!found) return tl::make_unexpected(NotAsked());
  state_.With([&](const std::unique_ptr<State>& state) {
    state->users.Forget(key);
    if (*found)
      state->users.Put(key, {**found, now}, now + limits_.known_token);
    else
      state->wrong.Put(key, true, now + limits_.wrong_token);
  });
  if (!*found) return tl::make_unexpected(WrongToken());
  return **found;
}

tl::expected<bool, Refusal> Gate::May(const User& user, const Attributes& attributes,
                                      Purpose purpose) {
  const std::string key = Sha256(AccessReviewOf(user, attributes));
  const SteadyTime now = clock_.Steady();  // as old as its question, here too
  std::optional<tl::expected<bool, Refusal>> known;
  state_.With([&](const std::unique_ptr<State>& state) {
    const auto* const decision = state->decisions.Find(key, now);
    if (decision != nullptr && now - decision->at < OldestDecision(purpose, decision->answer))
      known = decision->answer;
    else if (!MayAsk(state->asking_users, state->all_users, user.name, limits_.user, now))
      known = tl::make_unexpected(TooMany());
  });
  if (known) return *known;
  const Result<bool> allowed = reviews_->May(user, attributes);
  Note(allowed ? nullptr : &allowed.error());
  if (!allowed) return tl::make_unexpected(NotAsked());
  state_.With([&](const std::unique_ptr<State>& state) {
    state->decisions.Put(key, {*allowed, now}, now + limits_.allowed);
  });
  return *allowed;
}

}  // namespace fedra::access
