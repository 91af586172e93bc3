#pragma once
//
// What each client has of a listener: so that the client that takes most makes room before others
// do.
//
// A client is who connects (PeerOf, socket_name.h) and, where it is known, the user who asks: one
// with many addresses has one share, and so have many users behind one address.
//
// Thread rules: any thread.

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "base/guarded.h"

namespace fedra::httpd {

struct Share {
  size_t connections = 0;
  size_t questions = 0;  // whose answers are being made
  size_t bodies = 0;     // bytes that were posted with these
  size_t bytes = 0;      // of answers that have not been taken yet
  size_t streams = 0;    // answers that go on

  bool operator==(const Share&) const = default;
};

class Shares final {
 public:
  Share All() const;
  // Nothing: it has none.
  Share Of(const std::string& client) const;
  // Who has so much now has so much instead.
  void Change(const std::string& client, const Share& before, const Share& now);
  // The same, of all together.
  void ChangeAll(const Share& before, const Share& now);

 private:
  struct State {
    Share all;
    std::map<std::string, Share> clients;  // that have anything
  };
  Guarded<State> state_;
};

// What one connection has, until it ends. By one thread at a time.
class Stake final {
 public:
  Stake(std::shared_ptr<Shares> shares, std::string peer);
  ~Stake();
  Stake(const Stake&) = delete;
  Stake& operator=(const Stake&) = delete;

  // Who asks now; empty: it is not known.
  void SetUser(const std::string& user);
  // `body`: bytes that are posted with the question.
  void SetAsks(bool asks, size_t body = 0);
  void SetBytes(size_t bytes);
  void SetStreams(bool streams);

  const std::string& peer() const { return peer_; }
  const Share& own() const { return own_; }
  // Of the peer or of the user, of each what is more.
  Share OfClient() const;
  // Whether it may have one more of `all` answers that go on. They last, so a client has at most
  // `of_client`: the user, or where none is known the peer. Where one is known the peer may be a
  // proxy with many users behind it: it takes of what others leave (MayTake).
  bool MayStream(size_t all, size_t of_client) const;

 private:
  void Become(const Share& now);

  const std::shared_ptr<Shares> shares_;
  const std::string peer_;
  std::string user_;  // empty: not known
  Share own_;
};

// Whether a client that has `of_client` of so many places, for questions, bytes or streams, may
// take so many more. A quarter of what others leave stays free, so a place is left for the next
// client, however many one takes.
bool MayTake(size_t of_client, size_t of_all, size_t places, size_t more = 1);

}  // namespace fedra::httpd
