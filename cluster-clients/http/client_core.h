#pragma once
//
// The part of Client that lives on the io loop. Internal to http/.
//
// Thread rules: io loop thread only, but for construction. `done` and stream handlers may be called
// from within every function.

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "cluster-clients/http/client.h"
#include "cluster-clients/http/loop.h"
#include "cluster-clients/http/multi.h"
#include "cluster-clients/http/transfer.h"

namespace fedra::http {

class Client::Core final : public std::enable_shared_from_this<Client::Core> {
 public:
  Core(HttpLoop& loop, Endpoint endpoint);
  ~Core();

  void Start(std::shared_ptr<Transfer> transfer);
  void Cancel(TransferId id);
  void Reset(const std::string& why);
  void EndStreams(const std::string& why);
  void SetClientCertificate(const std::string& certificate_pem, const std::string& key_pem);
  void Shutdown();

 private:
  using TransferPtr = std::shared_ptr<Transfer>;

  // The first connection of a client needs a place of the ConnectLimiter.
  enum class Gate { kOpen, kWaiting, kConnecting };

  void OpenMulti();
  void PassGate();
  void LeaveGate();
  // False: it has failed.
  bool PassesGate(Transfer& transfer);
  void Begin(const TransferPtr& transfer);
  void BeginAgain(const TransferPtr& transfer);
  void GuardOpening(const Transfer& transfer);
  void OnHeaders(const Transfer& transfer);
  void OnDone(CURL* easy, CURLcode code);
  void CountTimeout();
  void UseHttp1(bool http1);
  void EndAll(const Error& why, bool streams_only);
  void DropAll(const Error& why);
  void Recycle(Transfer& transfer);
  Multi::Limits CurrentLimits() const;

  HttpLoop& loop_;
  Endpoint endpoint_;
  Result<EndpointUrl> url_;

  // The easy handles and connections of `multi_` refer to `connection_`.
  std::unique_ptr<Connection> connection_;
  std::shared_ptr<Multi> multi_;
  std::vector<Easy> idle_;  // handles to use again
  std::map<TransferId, TransferPtr> active_;
  std::deque<TransferPtr> waiting_;  // for the gate

  Gate gate_ = Gate::kOpen;
  uint64_t gate_round_ = 0;
  bool http1_ = false;  // HTTP/2 was offered, and the server chose 1.1
  int timeouts_ = 0;    // in a row
  bool shut_ = false;
};

}  // namespace fedra::http
