#include "manager/cli/daemon_address.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "manager/cli/service_tunnel.h"
#include "manager/cli/terminal/read_input.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kHttps = "https://";
constexpr std::string_view kService = "service";
constexpr size_t kMostCertificates = size_t{1} << 20;

// Who the caller is: by the file, or as kubectl would say it.
Result<kube::AccessSettings> UserOf(const ServerOptions& options) {
  kube::AccessSettings user;
  if (!options.token_file.empty()) {
    user.token_file = std::filesystem::absolute(options.token_file).string();
    return user;
  }
  const Result<config::KubeAccess> access = FindContext(options.context);
  if (!access)
    return Fail(access.error().code,
                fmt::format("your token is to be read from a kubeconfig, {}; name another one by "
                            "--kubeconfig, or a file with a token by --token-file",
                            access.error().message));
  user = ToAccess(*access);
  if (user.token.empty() && user.token_file.empty() && user.exec.empty())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the user of the kubeconfig's context {} has no token, and a daemon "
                            "knows its users by their tokens: name a file with one by "
                            "--token-file (kubectl create token NAME makes one)",
                            access->context));
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

// "service:ml/fedra"; nothing: it is written otherwise.
std::optional<ServiceChoice> ServiceIn(std::string_view server) {
  if (server == kService) return ServiceChoice{};
  if (!server.starts_with(std::string(kService) + ":")) return std::nullopt;
  server.remove_prefix(kService.size() + 1);
  const size_t slash = server.find('/');
  ServiceChoice choice{.ns = std::string(server.substr(0, slash)), .name = {}};
  if (slash != server.npos) choice.name = server.substr(slash + 1);
  if (choice.ns.empty() || (slash != server.npos && choice.name.empty())) return std::nullopt;
  return choice;
}

Result<DaemonAddress> ServiceAddress(const ServerOptions& options, const ServiceChoice& choice) {
  // What is wrong with the user is found before anything is started.
  FEDRA_ASSIGN_OR_RETURN(DaemonAddress address, TlsAddress(options));
  FEDRA_ASSIGN_OR_RETURN(const ApiService service, FindApiService(choice, options.context));
  FEDRA_ASSIGN_OR_RETURN(address.tunnel, ServiceTunnel::Open(service, options.context));
  address.url = fmt::format("https://127.0.0.1:{}", address.tunnel->port());
  address.service = service.ToString();
  address.trusts_tunnel = address.ca_pem.empty();
  if (address.tls_server_name.empty())
    address.tls_server_name = fmt::format("{}.{}.svc", service.name, service.ns);
  return address;
}

}  // namespace

bool HasTlsOptions(const ServerOptions& options) {
  return !options.token_file.empty() || !options.certificate_authority.empty() ||
         !options.tls_server_name.empty() || !options.context.kubeconfig.empty() ||
         !options.context.context.empty();
}

Result<DaemonAddress> AddressIn(const ServerOptions& options) {
  const std::string_view server = options.server;
  if (const auto choice = ServiceIn(server)) return ServiceAddress(options, *choice);
  if (server.starts_with(kHttps) && server.size() > kHttps.size()) return TlsAddress(options);
  if (!server.starts_with(kUnix) || server.size() == kUnix.size())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--server {}: write unix:PATH, such as unix:/run/fedra/fedra.sock, "
                            "https://HOST:PORT, or service:NAMESPACE/NAME",
                            server));
  if (HasTlsOptions(options))
    return Fail(ErrorCode::kInvalidArgument,
                "a token and certificates are for a daemon at https://HOST:PORT; who may open its "
                "Unix socket needs none");
  return DaemonAddress{.socket = std::string(server.substr(kUnix.size()))};
}

}  // namespace fedra::cli
