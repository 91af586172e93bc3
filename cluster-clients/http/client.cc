#include "cluster-clients/http/client.h"

#include <atomic>
#include <utility>

#include "cluster-clients/http/client_core.h"
#include "cluster-clients/http/loop.h"

namespace fedra::http {
namespace {

Client::TransferId NextId() {
  static std::atomic<Client::TransferId> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

Client::Client(HttpLoop& loop, Endpoint endpoint)
    : loop_(loop), core_(std::make_shared<Core>(loop, std::move(endpoint))) {}

Client::~Client() { Shutdown(); }

void Client::Run(std::function<void(Core&)> task) {
  loop_.Post([core = core_, task = std::move(task)] { task(*core); });
}

Client::TransferId Client::Send(Request request, Done done) {
  const TransferId id = NextId();
  auto transfer = std::make_shared<Transfer>(id, std::move(request), std::move(done));
  Run([transfer = std::move(transfer)](Core& core) { core.Start(transfer); });
  return id;
}

Client::TransferId Client::Stream(Request request, StreamHandler handler) {
  const TransferId id = NextId();
  auto transfer = std::make_shared<Transfer>(id, std::move(request), std::move(handler));
  Run([transfer = std::move(transfer)](Core& core) { core.Start(transfer); });
  return id;
}

void Client::Cancel(TransferId transfer) {
  Run([transfer](Core& core) { core.Cancel(transfer); });
}

void Client::Reset(std::string why) {
  Run([why = std::move(why)](Core& core) { core.Reset(why); });
}

void Client::EndStreams(std::string why) {
  Run([why = std::move(why)](Core& core) { core.EndStreams(why); });
}

void Client::SetClientCertificate(std::string certificate_pem, std::string key_pem) {
  Run([certificate = std::move(certificate_pem), key = std::move(key_pem)](Core& core) {
    core.SetClientCertificate(certificate, key);
  });
}

void Client::Shutdown() {
  Run([](Core& core) { core.Shutdown(); });
}

}  // namespace fedra::http
