#include "cluster-clients/kube/auth.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/log.h"
#include "base/worker_pool.h"
#include "cluster-clients/http/program.h"
#include "cluster-clients/kube/exec_credential.h"
#include "cluster-clients/kube/json_text.h"

namespace fedra::kube {
namespace {

using std::chrono::seconds;

// kubelet replaces projected tokens at 80 % of their life; client-go 1.36 reads the file every
// minute.
constexpr seconds kTokenFileAge{60};
constexpr seconds kPluginTimeout{30};
// So long before its end a credential is replaced.
constexpr seconds kExpiryMargin{30};
// After a failure a credential that is still valid is used so long before the next attempt.
constexpr seconds kRenewPause{10};
constexpr size_t kMaxTokenFile = 64 * 1024;

CredentialsPtr Fixed(const AccessSettings& access) {
  auto credentials = std::make_shared<Credentials>();
  if (!access.token.empty()) {
    credentials->authorization = "Bearer " + access.token;
  } else if (!access.username.empty()) {
    credentials->authorization = "Basic " + Base64Encode(access.username + ":" + access.password);
  }
  return credentials;
}

std::string Trim(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

Error PluginError(const ExecPlugin& plugin, const Error& why) {
  Error error;
  error.code = ErrorCode::kUnauthorized;
  error.message = fmt::format("credential plugin {}: {}", plugin.command, why.message);
  if (why.code == ErrorCode::kNotFound && !plugin.install_hint.empty()) {
    error.message += "; " + OneLine(plugin.install_hint, 300);
  }
  return error;
}

Result<CredentialsPtr> FromPlugin(const ExecPlugin& plugin,
                                  const Result<http::ProgramResult>& result) {
  if (!result) return Fail(PluginError(plugin, result.error()));
  if (result->exit_code != 0) {
    // What it writes to stderr may be a token, and this text is shown to every tenant.
    return Fail(ErrorCode::kUnauthorized,
                fmt::format("credential plugin {} ended with exit code {}; run it by hand, as the "
                            "user of the daemon, to see why",
                            plugin.command, result->exit_code));
  }
  FEDRA_ASSIGN_OR_RETURN(Credentials credentials, ReadExecCredential(plugin, result->out));
  return std::make_shared<const Credentials>(std::move(credentials));
}

}  // namespace

CredentialSource::CredentialSource(const AccessSettings& access, http::HttpLoop& loop,
                                   WorkerPool& workers, const Clock& clock)
    : access_(access), loop_(loop), workers_(workers), clock_(clock) {
  if (!renewable()) {
    state_.With([&](State& state) { state.current = Fixed(access); });
  }
}

bool CredentialSource::Valid(const State& state) const {
  if (!state.current || state.refused) return false;
  return !state.current->expires || clock_.Now() < *state.current->expires;
}

bool CredentialSource::Fresh(const State& state) const {
  if (!Valid(state)) return false;
  if (clock_.Steady() < state.renew_from) return true;
  if (!access_.exec.empty()) {
    return !state.current->expires || clock_.Now() + kExpiryMargin < *state.current->expires;
  }
  return access_.token_file.empty() || clock_.Steady() - state.obtained < kTokenFileAge;
}

void CredentialSource::Obtain(Done done) {
  bool fetch = false;
  bool stopped = false;
  const CredentialsPtr ready = state_.With([&](State& state) -> CredentialsPtr {
    stopped = state.stopped;
    if (Fresh(state)) return state.current;
    if (stopped) return nullptr;
    state.waiting.push_back(done);
    fetch = !std::exchange(state.fetching, true);
    return nullptr;
  });
  if (ready) return done(ready);
  if (stopped) return done(Fail(ErrorCode::kCancelled, "shutting down"));
  if (!fetch) return;
  if (access_.exec.empty()) return Fetched(ReadTokenFile());
  Defer([self = shared_from_this()] { self->RunPlugin(); });
}

void CredentialSource::Refuse(const CredentialsPtr& refused) {
  if (!renewable()) return;
  state_.With([&](State& state) {
    if (state.current == refused) state.refused = true;
  });
}

Result<CredentialsPtr> CredentialSource::ReadTokenFile() const {
  std::ifstream file(access_.token_file, std::ios::binary);
  if (!file) {
    return Fail(ErrorCode::kUnauthorized,
                fmt::format("{}: {}", access_.token_file, std::generic_category().message(errno)));
  }
  std::string token(kMaxTokenFile, '\0');
  file.read(token.data(), static_cast<std::streamsize>(token.size()));
  token.resize(static_cast<size_t>(file.gcount()));
  token = Trim(token);
  if (token.empty()) {
    return Fail(ErrorCode::kUnauthorized, fmt::format("no token in {}", access_.token_file));
  }
  if (token.find_first_of(" \t\r\n") != std::string::npos) {
    return Fail(ErrorCode::kUnauthorized,
                fmt::format("{} contains more than a token", access_.token_file));
  }
  auto credentials = std::make_shared<Credentials>();
  credentials->authorization = "Bearer " + token;
  return credentials;
}

void CredentialSource::RunPlugin() {
  const ExecPlugin& plugin = access_.exec.front();
  http::Program program;
  program.command = plugin.command;
  program.args = plugin.args;
  program.env = plugin.env;
  program.env["KUBERNETES_EXEC_INFO"] = ExecInfo(access_, plugin);
  program.timeout = kPluginTimeout;
  http::RunProgram(loop_, program, [self = shared_from_this()](Result<http::ProgramResult> result) {
    // Reading the answer is too much for the io loop.
    self->Defer([self, result = std::move(result)] {
      self->Fetched(FromPlugin(self->access_.exec.front(), result));
    });
  });
}

void CredentialSource::Stop() {
  const auto waiting = state_.With([](State& state) {
    state.stopped = true;
    return std::exchange(state.waiting, {});
  });
  for (const Done& done : waiting) done(Fail(ErrorCode::kCancelled, "shutting down"));
}

// The pool must not be touched after Stop(), so it is asked under the lock.
void CredentialSource::Defer(std::function<void()> task) {
  state_.With([&](const State& state) {
    if (!state.stopped) workers_.Submit(std::move(task));
  });
}

// The issuer of credentials may be away for a moment; the one at hand is no worse for that
// (client-go 1.36 does so with token files).
void CredentialSource::Fetched(Result<CredentialsPtr> result) {
  std::optional<Error> hidden;
  const auto waiting = state_.With([&](State& state) {
    state.fetching = false;
    if (result) {
      state.current = *result;
      state.obtained = clock_.Steady();
      state.refused = false;
    } else if (Valid(state)) {
      state.renew_from = clock_.Steady() + kRenewPause;
      hidden = result.error();
      result = state.current;
    }
    return std::exchange(state.waiting, {});
  });
  if (hidden) {
    log::Warn("credentials cannot be renewed; the present ones are still valid",
              {{"error", hidden->message}});
  }
  for (const Done& done : waiting) done(result);
}

}  // namespace fedra::kube
