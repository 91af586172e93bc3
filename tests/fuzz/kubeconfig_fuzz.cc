// Any bytes as a kubeconfig, and as what a ClusterProfile says of a cluster. Files that the former
// names are opened: the folder below does not exist.

#include <cstdint>
#include <string>

#include "base/assert.h"
#include "config/kubeconfig.h"
#include "config/profile_access.h"

namespace {

void ReadAsProfile(const std::string& text, fedra::WallTime now) {
  using namespace fedra::config;
  AccessProvider provider;
  provider.name = "p";
  provider.exec.command = "plugin";
  const auto access = ReadProfileAccess({{"p", text, "cluster"}}, {provider}, "profile", now);
  if (!access) {
    FEDRA_ASSERT(!access.error().problems.empty(), "a refusal names a problem");
    return;
  }
  FEDRA_ASSERT(access->server.starts_with("https://"), "nothing is sent in the clear");
  FEDRA_ASSERT(!access->insecure_skip_tls_verify, "the server is verified");
  FEDRA_ASSERT(access->files.empty(), "no file is read");
  FEDRA_ASSERT(access->exec->command == "plugin", "the program is the configuration's");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fedra::config;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const KubeconfigOptions options{"", (size & 1U) != 0,
                                  fedra::WallTime(std::chrono::seconds(1'780'000'000))};
  ReadAsProfile(text, options.now);
  const auto access = ParseKubeconfig(text, "/nonexistent/kubeconfig", options);
  if (!access) {
    FEDRA_ASSERT(!access.error().problems.empty(), "a refusal names a problem");
    return 0;
  }
  FEDRA_ASSERT(!access->server.empty(), "usable access has a server");
  FEDRA_ASSERT(!access->insecure_skip_tls_verify || options.allow_insecure,
               "insecure only when allowed");
  FEDRA_ASSERT(access->token.find('\n') == std::string::npos, "a token fits into a header");
  return 0;
}
