#include "manager/cli/daemon_address.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "manager/cli/terminal/read_input.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kHttps = "https://";
constexpr size_t kMostCertificates = size_t{1} << 20;

bool HasTlsOptions(const ServerOptions& options) {
  return !options.token_file.empty() || !options.certificate_authority.empty() ||
         !options.tls_server_name.empty() || !options.context.kubeconfig.empty() ||
         !options.context.context.empty();
}

// Who the caller is: by the file, or as kubectl would say it.
Result<kube::AccessSettings> UserOf(const ServerOptions& options) {
  kube::AccessSettings user;
  if (!options.token_file.empty()) {
    user.token_file = std::filesystem::absolute(options.token_file).string();
    return user;
  }
  FEDRA_ASSIGN_OR_RETURN(const config::KubeAccess access, FindContext(options.context));
  user = ToAccess(access);
  if (user.token.empty() && user.token_file.empty() && user.exec.empty())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the user of the kubeconfig's context {} has no token, and a daemon "
                            "knows its users by their tokens: name a file with one by "
                            "--token-file (kubectl create token NAME makes one)",
                            access.context));
  return user;
}

Result<DaemonAddress> TlsAddress(const ServerOptions& options) {
  DaemonAddress address;
  address.url = options.server.substr(0, options.server.find_last_not_of('/') + 1);
  address.tls_server_name = options.tls_server_name;
  FEDRA_ASSIGN_OR_RETURN(address.user, UserOf(options));
  if (!options.certificate_authority.empty()) {
    FEDRA_ASSIGN_OR_RETURN(address.ca_pem,
                           ReadInput(options.certificate_authority, kMostCertificates));
  }
  return address;
}

}  // namespace

Result<DaemonAddress> AddressIn(const ServerOptions& options) {
  const std::string_view server = options.server;
  if (server.starts_with(kHttps) && server.size() > kHttps.size()) return TlsAddress(options);
  if (!server.starts_with(kUnix) || server.size() == kUnix.size())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--server {}: write unix:PATH, such as unix:/run/fedra/fedra.sock, or "
                            "https://HOST:PORT",
                            server));
  if (HasTlsOptions(options))
    return Fail(ErrorCode::kInvalidArgument,
                "a token and certificates are for a daemon at https://HOST:PORT; who may open its "
                "Unix socket needs none");
  return DaemonAddress{.socket = std::string(server.substr(kUnix.size()))};
}

}  // namespace fedra::cli
