// Everything else that a server or a credential plugin may answer: Status, discovery,
// ExecCredential.

#include <cstdint>
#include <string>

#include "base/assert.h"
#include "cluster-clients/kube/discovery_answers.h"
#include "cluster-clients/kube/exec_credential.h"
#include "cluster-clients/kube/status.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  fedra::http::Reply reply;
  reply.status = 100 + (data[0] | (data[1] << 8)) % 500;
  reply.body.assign(reinterpret_cast<const char*>(data + 2), size - 2);
  const std::string body = reply.body;
  if (!reply.ok()) {
    const fedra::Error error = fedra::kube::ErrorOf(reply);
    FEDRA_ASSERT(error.message.size() < 1024, "messages are bounded");
    FEDRA_ASSERT(error.message.find('\n') == std::string::npos, "messages are one line");
  }
  (void)fedra::kube::TakeObject(std::move(reply));
  fedra::kube::ServerInfo info;
  (void)fedra::kube::ReadVersion(body, info);
  (void)fedra::kube::ReadGroups(body, info);
  (void)fedra::kube::ReadResources(body, "batch/v1", info);
  fedra::kube::ExecPlugin plugin;
  plugin.api_version = "client.authentication.k8s.io/v1";
  plugin.command = "plugin";
  (void)fedra::kube::ReadExecCredential(plugin, body);
  return 0;
}
