#include "tests/sim/server.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <utility>

#include "tests/sim/actors/garbage_collector.h"
#include "tests/sim/api/api.h"
#include "tests/sim/core.h"
#include "tests/sim/net/listener.h"
#include "tests/sim/net/pki.h"

namespace fedra::sim {
namespace {

std::string Base64(const std::string& bytes) {
  std::string encoded(4 * ((bytes.size() + 2) / 3), '\0');
  // EncodeBlock also writes a zero behind the text, which a std::string has room for.
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return encoded;
}

std::string Credentials(const User& user, const ClientCertificate& certificate) {
  if (!user.token.empty()) return fmt::format("    token: {}\n", user.token);
  return fmt::format("    client-certificate-data: {}\n    client-key-data: {}\n",
                     Base64(certificate.certificate_pem), Base64(certificate.key_pem));
}

void CreateNamespace(Core& core, const std::string& name) {
  core.Write([&](Store& store) {
    (void)core.verbs.Create(store,
                            {.type = core.registry.Get("namespaces"),
                             .key = {},
                             .subresource = {},
                             .manager = "kube-apiserver"},
                            {{"metadata", {{"name", name}}}});
  });
}

// The events that a watch would begin with.
void AnswerWatch(Core& core, const WatchPlan& plan, Reply& answer) {
  const auto events = core.store.With([&](const Store& store) {
    auto cursor = WatchCursor::Open(store, plan.filter, plan.version);
    return cursor ? cursor->Read(store, SIZE_MAX) : Refuse(cursor.error());
  });
  if (events) {
    for (const WatchEvent& event : *events) answer.body += WatchLine(plan.view, event);
  } else if (events.error().code == 410) {
    answer.body = ErrorLine(events.error());
  } else {
    const ApiReply refused = ToReply(events.error());
    answer.status = refused.code;
    answer.body = refused.body;
  }
}

}  // namespace

class Server::Impl {
 public:
  Impl(ServerOptions options, std::shared_ptr<Engine> shared)
      : engine(std::move(shared)),
        core(std::make_shared<Core>(std::move(options), engine->NextLoop())),
        authority(core->options.name + "-ca"),
        listener(core, authority),
        collector(*core),
        objects(*core) {}

  const std::shared_ptr<Engine> engine;
  const std::shared_ptr<Core> core;
  const Authority authority;
  Listener listener;
  GarbageCollector collector;
  Objects objects;
};

Server::Server(ServerOptions options, std::shared_ptr<Engine> engine)
    : impl_(std::make_unique<Impl>(std::move(options),
                                   engine ? std::move(engine) : std::make_shared<Engine>())) {
  SetUser(Administrator("admin", "admin-token"));
  CreateNamespace(*impl_->core, "default");
  CreateNamespace(*impl_->core, "kube-system");
}

Server::~Server() = default;

std::string Server::Address() const {
  return fmt::format("https://127.0.0.1:{}", impl_->listener.port());
}

std::string Server::CaPem() const { return impl_->authority.CertificatePem(); }

std::string Server::Kubeconfig(const std::string& user) const {
  const auto known = impl_->core->UserNamed(user);
  const User nobody{
      .name = user, .groups = {}, .token = {}, .allow = {}, .deny = {}, .account = {}};
  const User& who = known == nullptr ? nobody : *known;
  const std::string& cluster = impl_->core->options.name;
  return fmt::format(
      "apiVersion: v1\nkind: Config\ncurrent-context: {0}\n"
      "clusters:\n- name: {0}\n  cluster:\n    server: {1}\n    certificate-authority-data: {2}\n"
      "users:\n- name: {3}\n  user:\n{4}"
      "contexts:\n- name: {0}\n  context:\n    cluster: {0}\n    user: {3}\n",
      cluster, Address(), Base64(CaPem()), user, Credentials(who, IssueCertificate(user)));
}

ClientCertificate Server::IssueCertificate(const std::string& user) const {
  const auto known = impl_->core->UserNamed(user);
  return impl_->authority.IssueClient(user, known ? known->groups : std::vector<std::string>());
}

void Server::SetUser(User user) {
  auto replacement = std::make_shared<const User>(std::move(user));
  impl_->core->users.With([&](std::vector<std::shared_ptr<const User>>& users) {
    std::erase_if(users, [&](const auto& old) { return old->name == replacement->name; });
    users.push_back(replacement);
  });
}

void Server::SetFaults(Faults faults) {
  impl_->core->faults.With([&](Faults& current) { current = std::move(faults); });
  impl_->listener.ApplyFaults();
}

Faults Server::faults() const { return impl_->core->faults.Copy(); }

void Server::DropConnections() { impl_->listener.DropConnections(); }

void Server::ExpireHistory() {
  impl_->core->Write([](Store& store) { store.ForgetHistory(); });
}

std::map<std::string, size_t> Server::RequestCounts() const { return impl_->core->requests.Copy(); }

size_t Server::ConnectionCount() const { return impl_->listener.accepted(); }

size_t Server::WatchCount() const { return impl_->core->watches; }

Objects& Server::objects() { return impl_->objects; }

Reply Server::Call(const std::string& method, const std::string& target, const std::string& body,
                   const std::string& content_type, const std::string& user) {
  ApiReply reply = Handle(*impl_->core, {.method = method,
                                         .target = target,
                                         .content_type = content_type,
                                         .user_agent = "test",
                                         .body = body,
                                         .user = impl_->core->UserNamed(user)});
  Reply answer{.status = reply.code, .body = std::move(reply.body), .headers = {}};
  answer.headers["Content-Type"] = reply.content_type;
  if (reply.retry_after_seconds >= 0) {
    answer.headers["Retry-After"] = std::to_string(reply.retry_after_seconds);
  }
  if (reply.watch) AnswerWatch(*impl_->core, *reply.watch, answer);
  return answer;
}

Core& Server::core() { return *impl_->core; }

}  // namespace fedra::sim
