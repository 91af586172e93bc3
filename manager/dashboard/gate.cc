#include "manager/dashboard/gate.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/ascii.h"
#include "manager/api/delivery.h"
#include "manager/api/problem.h"
#include "manager/api/routes.h"
#include "manager/dashboard/assets.h"

namespace fedra::dashboard {
namespace {

constexpr std::string_view kIndex = "index.html";
constexpr std::string_view kBearer = "Bearer ";

// Scripts and styles only from here, nothing in the page itself; no text ever becomes markup.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";

// Takes as long wherever they differ.
bool IsSame(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

bool IsOurHost(const Gate& gate, const std::string& host) {
  const std::string lower = ToLower(host);
  return lower == fmt::format("127.0.0.1:{}", gate.port) ||
         lower == fmt::format("localhost:{}", gate.port);
}

bool HasSecret(const Gate& gate, const httpd::Request& request) {
  const std::string sent = httpd::HeaderOf(request, "authorization");
  return sent.starts_with(kBearer) &&
         IsSame(std::string_view(sent).substr(kBearer.size()), gate.secret);
}

const char* TypeOf(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  return "text/html; charset=utf-8";
}

}  // namespace

Result<std::string> MakeSecret() {
  std::array<unsigned char, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Fail(ErrorCode::kUnavailable,
                fmt::format("no random numbers: {}", std::strerror(errno)));
  std::string secret;
  for (const unsigned char byte : bytes) secret += fmt::format("{:02x}", byte);
  return secret;
}

bool IsForDaemon(const httpd::Request& request) { return request.target.starts_with(api::kPrefix); }

std::optional<httpd::Answer> RefusalOf(const Gate& gate, const httpd::Request& request) {
  if (!IsOurHost(gate, httpd::HeaderOf(request, "host")))
    return api::Problem(421, fmt::format("this is 127.0.0.1:{}, and no other server", gate.port));
  if (!IsForDaemon(request)) return std::nullopt;
  if (auto refusal = api::RefusalOfOtherSites(request)) return refusal;
  if (!HasSecret(gate, request))
    return api::Problem(401, "the secret is missing, or is that of an earlier run");
  return std::nullopt;
}

httpd::Answer PageOf(const httpd::Request& request) {
  std::string_view path = request.target;
  path = path.substr(0, path.find('?'));
  const std::string_view name =
      path == "/" ? kIndex : path.substr(std::min<size_t>(1, path.size()));
  const auto found = std::ranges::find(Assets(), name, &Asset::name);
  if (!path.starts_with('/') || found == Assets().end())
    return api::Problem(404, "there is no such page");
  return {.content_type = TypeOf(name),
          .body = std::string(found->text),
          .headers = {{"Cache-Control", "no-cache"}}};
}

httpd::Answer Guarded(httpd::Answer answer) {
  for (const auto& [name, value] :
       {std::pair("Content-Security-Policy", kPolicy),
        std::pair("X-Content-Type-Options", "nosniff"), std::pair("Referrer-Policy", "no-referrer"),
        std::pair("Cross-Origin-Opener-Policy", "same-origin"),
        std::pair("Cross-Origin-Resource-Policy", "same-origin")})
    answer.headers.emplace_back(name, value);
  return answer;
}

}  // namespace fedra::dashboard
