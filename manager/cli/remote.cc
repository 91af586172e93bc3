#include "manager/cli/remote.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <future>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "config/configuration.h"
#include "manager/api/routes.h"
#include "manager/report/exit_code.h"

namespace fedra::cli {
namespace {

// A daemon with 100,000 jobs answers within seconds; one that hangs never does.
constexpr std::chrono::milliseconds kLimit{60'000};
constexpr int kMostCode = 125;  // beyond are the shells' own

// The daemon's words for what went wrong.
std::string MessageIn(const http::Reply& reply) {
  const auto document = nlohmann::json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  const auto message = document.is_object() ? document.find("message") : document.end();
  if (!document.is_object() || message == document.end() || !message->is_string())
    return fmt::format("the daemon answers {}", reply.status);
  return OnlyText(message->get<std::string>());
}

ErrorCode CodeOf(int status) {
  if (status == 400) return ErrorCode::kInvalidArgument;
  if (status == 401) return ErrorCode::kUnauthorized;
  if (status == 403) return ErrorCode::kForbidden;
  if (status == 404) return ErrorCode::kNotFound;
  if (status == 413) return ErrorCode::kInvalidArgument;
  return ErrorCode::kUnavailable;
}

// "4"; what is no exit code is none of this program's.
int CodeIn(const std::string& header) {
  int code = 0;
  const auto [end, error] = std::from_chars(header.data(), header.data() + header.size(), code);
  const bool is_whole = error == std::errc() && end == header.data() + header.size();
  return is_whole && code >= 0 && code <= kMostCode ? code : 0;
}

// 299 fedra "No jobs found." -> No jobs found.
std::string TextOf(const std::string& warning) {
  const size_t begin = warning.find('"');
  std::string text;
  for (size_t i = begin + 1; begin != warning.npos && i < warning.size() && warning[i] != '"';
       ++i) {
    if (warning[i] == '\\' && i + 1 < warning.size()) ++i;
    text += warning[i];
  }
  return text;
}

// Bytes of a colour, "\033[1;31m", at the front of `text`; 0: there is none.
size_t ColourSize(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end != text.npos && text[end] == 'm' ? end + 1 : 0;
}

http::Endpoint EndpointOf(const DaemonAddress& address) {
  http::Endpoint endpoint{.url = "http://fedra", .unix_socket = address.socket, .http2 = false};
  if (!address.socket.empty()) return endpoint;
  endpoint.url = address.url;
  endpoint.ca_pem = address.ca_pem;
  endpoint.tls_server_name = address.tls_server_name;
  endpoint.insecure_skip_tls_verify = address.trusts_tunnel;
  return endpoint;
}

bool IsRefused(const std::string& path) {
  return ::access(path.c_str(), R_OK | W_OK) != 0 && errno == EACCES;
}

// With what to do about a certificate that does not verify, and about a socket that is refused.
Error Explained(Error failure, const std::string& daemon, bool is_socket) {
  if (is_socket && IsRefused(daemon)) failure.message += "; " + WhoMayAsk(daemon);
  if (failure.code == ErrorCode::kTlsUntrusted)
    failure.message +=
        "; name the CA of its certificate by --certificate-authority, and the name in it by "
        "--tls-server-name where that is not the address";
  return std::move(failure).WithContext(fmt::format("the daemon at {}", daemon));
}

}  // namespace

std::optional<std::string> FindSocket(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    struct stat found{};
    if (::stat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode) &&
        ::access(path.c_str(), R_OK | W_OK) == 0)
      return path;
  }
  return std::nullopt;
}

std::optional<std::string> FindForbiddenSocket(const std::vector<std::string>& paths) {
  std::optional<std::string> hidden;
  for (const std::string& path : paths) {
    if (!IsRefused(path)) continue;
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0) {
      if (!hidden) hidden = path;
    } else if (S_ISSOCK(found.st_mode)) {
      return path;
    }
  }
  return hidden;
}

std::string WhoMayAsk(const std::string& socket) {
  struct stat found{};
  if (::stat(socket.c_str(), &found) != 0)
    return fmt::format(
        "members of the group of api.group may ask it, which is {} unless it is "
        "configured",
        config::ApiSettings().group);
  constexpr mode_t kOfGroup = S_IRGRP | S_IWGRP;
  if ((found.st_mode & kOfGroup) != kOfGroup) return "only its owner may ask it (api.group)";
  const group* const known = ::getgrgid(found.st_gid);
  return fmt::format("members of the group {} may ask it (api.group)",
                     known != nullptr ? known->gr_name : std::to_string(found.st_gid));
}

RemoteDaemon::RemoteDaemon(const DaemonAddress& address)
    : name_(address.Name()),
      tunnel_(address.tunnel),
      user_(address.socket.empty() ? std::make_shared<kube::CredentialSource>(
                                         address.user, threads_.loop, threads_.pool, SystemClock())
                                   : nullptr),
      client_(threads_.loop, EndpointOf(address)) {}

RemoteDaemon::~RemoteDaemon() {
  if (user_) user_->Stop();
}

void RemoteDaemon::Stop() {
  if (user_) user_->Stop();
  client_.Shutdown();
}

Result<std::string> RemoteDaemon::Authorization() {
  if (!user_) return std::string();
  std::promise<Result<kube::CredentialsPtr>> promise;
  user_->Obtain([&](Result<kube::CredentialsPtr> found) { promise.set_value(std::move(found)); });
  FEDRA_ASSIGN_OR_RETURN(const kube::CredentialsPtr credentials, promise.get_future().get());
  if (!credentials->authorization.starts_with("Bearer "))
    return Fail(
        ErrorCode::kUnauthorized,
        "the kubeconfig's plugin gives a certificate, and a daemon knows its users by their "
        "tokens: name a file with one by --token-file");
  return credentials->authorization;
}

Result<text::Output> RemoteDaemon::Ask(const std::string& target) { return Send({.path = target}); }

Result<text::Output> RemoteDaemon::Post(const std::string& target, std::string document) {
  return Send({.method = "POST",
               .path = target,
               .body = std::move(document),
               .content_type = "application/json",
               .stores_nothing = true});
}

Result<text::Output> RemoteDaemon::Send(http::Request request) {
  FEDRA_ASSIGN_OR_RETURN(request.authorization, Authorization());
  request.accept = "*/*";
  request.timeout = kLimit;
  request.wanted_header = api::kExitCodeHeader;
  std::promise<http::Reply> promise;
  client_.Send(std::move(request), [&](http::Reply reply) { promise.set_value(std::move(reply)); });
  http::Reply reply = promise.get_future().get();
  if (reply.failure) return Fail(Explained(*std::move(reply.failure), name_, user_ == nullptr));
  if (!reply.ok()) return Fail(CodeOf(reply.status), MessageIn(reply));
  text::Output output{OnlyText(reply.body), {}, CodeIn(reply.header)};
  for (const std::string& warning : reply.warnings)
    output.note += (output.note.empty() ? "" : "\n") + OnlyText(TextOf(warning));
  return output;
}

int Finish(const char* command, const Result<text::Output>& answer, Terminal& terminal) {
  if (!answer) {
    terminal.err << fmt::format("fedra {}: {}\n", command, ToString(answer.error()));
    return report::kFailed;
  }
  terminal.out << answer->out;
  if (!answer->note.empty()) terminal.err << answer->note << "\n";
  return answer->code;
}

std::string OnlyText(std::string_view sent) {
  std::string text;
  text.reserve(sent.size());
  while (!sent.empty()) {
    const size_t colour = ColourSize(sent);
    const bool is_text = sent.front() == '\n' || (static_cast<unsigned char>(sent.front()) >= ' ' &&
                                                  sent.front() != '\x7f');
    text += sent.substr(0, colour > 0 ? colour : is_text ? 1 : 0);
    sent.remove_prefix(std::max<size_t>(1, colour));
  }
  return text;
}

}  // namespace fedra::cli
