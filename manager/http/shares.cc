#include "manager/http/shares.h"

#include <algorithm>
#include <utility>

namespace fedra::httpd {
namespace {

void Replace(Share& share, const Share& before, const Share& now) {
  share.connections += now.connections - before.connections;
  share.questions += now.questions - before.questions;
  share.bodies += now.bodies - before.bodies;
  share.bytes += now.bytes - before.bytes;
  share.streams += now.streams - before.streams;
}

}  // namespace

Share Shares::All() const {
  return state_.With([](const State& state) { return state.all; });
}

Share Shares::Of(const std::string& client) const {
  return state_.With([&](const State& state) {
    const auto found = state.clients.find(client);
    return found == state.clients.end() ? Share{} : found->second;
  });
}

void Shares::Change(const std::string& client, const Share& before, const Share& now) {
  state_.With([&](State& state) {
    const auto entry = state.clients.try_emplace(client).first;
    Replace(entry->second, before, now);
    if (entry->second == Share{}) state.clients.erase(entry);
  });
}

void Shares::ChangeAll(const Share& before, const Share& now) {
  state_.With([&](State& state) { Replace(state.all, before, now); });
}

Stake::Stake(std::shared_ptr<Shares> shares, std::string peer)
    : shares_(std::move(shares)), peer_("from " + std::move(peer)) {
  Become({.connections = 1});
}

Stake::~Stake() { Become({}); }

void Stake::SetUser(const std::string& user) {
  const std::string name = user.empty() ? std::string() : "user " + user;
  if (name == user_) return;
  if (!user_.empty()) shares_->Change(user_, own_, {});
  user_ = name;
  if (!user_.empty()) shares_->Change(user_, {}, own_);
}

void Stake::SetAsks(bool asks, size_t body) {
  Share now = own_;
  now.questions = asks ? 1 : 0;
  now.bodies = body;
  Become(now);
}

void Stake::SetBytes(size_t bytes) {
  Share now = own_;
  now.bytes = bytes;
  Become(now);
}

void Stake::SetStreams(bool streams) {
  Share now = own_;
  now.streams = streams ? 1 : 0;
  Become(now);
}

Share Stake::OfClient() const {
  const Share of_peer = shares_->Of(peer_);
  const Share of_user = user_.empty() ? Share{} : shares_->Of(user_);
  return {.connections = std::max(of_peer.connections, of_user.connections),
          .questions = std::max(of_peer.questions, of_user.questions),
          .bodies = std::max(of_peer.bodies, of_user.bodies),
          .bytes = std::max(of_peer.bytes, of_user.bytes),
          .streams = std::max(of_peer.streams, of_user.streams)};
}

bool Stake::MayStream(size_t all, size_t of_client) const {
  const size_t of_peer = shares_->Of(peer_).streams;
  const size_t of_who = user_.empty() ? of_peer : shares_->Of(user_).streams;
  return of_who < of_client && MayTake(of_peer, shares_->All().streams, all);
}

void Stake::Become(const Share& now) {
  if (now == own_) return;
  shares_->Change(peer_, own_, now);
  if (!user_.empty()) shares_->Change(user_, own_, now);
  shares_->ChangeAll(own_, now);
  own_ = now;
}

bool MayTake(size_t of_client, size_t of_all, size_t places, size_t more) {
  return of_all + more <= places && of_client + more <= 3 * (places - of_all);
}

}  // namespace fedra::httpd
