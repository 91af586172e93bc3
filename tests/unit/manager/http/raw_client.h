#pragma once
//
// A client that says what it likes, over TCP on loopback or a Unix socket.

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/catch.h"

namespace fedra::httpd {

class RawClient final {
 public:
  // `from`: the last byte of its own address, 127.0.0.x.
  explicit RawClient(int port, uint8_t from = 1)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xffu) | from);
    REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  explicit RawClient(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof address.sun_path);
    path.copy(static_cast<char*>(address.sun_path), path.size());
    REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  RawClient(RawClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  RawClient& operator=(RawClient&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }
  ~RawClient() {
    if (socket_ >= 0) ::close(socket_);
  }

  RawClient& Say(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      text.remove_prefix(static_cast<size_t>(sent));
    }
    return *this;
  }

  // Everything until the server closes, or says nothing for `limit`.
  std::string Hear(std::chrono::milliseconds limit = kPatience) {
    std::string heard;
    while (HearMore(heard, limit)) {
    }
    return heard;
  }
  // One answer, by its Content-Length, on a connection that may stay open; what there is of it when
  // the server closes, or says nothing for long.
  std::string HearAnswer() {
    std::string heard;
    while (!IsWhole(heard) && HearMore(heard, kPatience)) {
    }
    return heard;
  }
  // What comes next, some of it.
  std::string HearSome() {
    std::string heard;
    (void)HearMore(heard, kPatience);
    return heard;
  }
  // The rest of an answer of which `heard` has been heard.
  std::string HearRest(const std::string& heard) {
    std::string all = heard;
    while (!IsWhole(all) && HearMore(all, kPatience)) {
    }
    return all.substr(heard.size());
  }
  // Whether it is one answer, by its Content-Length.
  static bool IsWhole(const std::string& heard) {
    constexpr std::string_view kLength = "Content-Length: ";
    const size_t end = heard.find("\r\n\r\n");
    const size_t length = heard.find(kLength);
    return end != std::string::npos && length < end &&
           heard.size() >= end + 4 + std::stoul(heard.substr(length + kLength.size()));
  }
  // As Hear() found it.
  bool closed() const { return closed_; }

 private:
  static constexpr std::chrono::seconds kPatience{30};

  bool HearMore(std::string& heard, std::chrono::milliseconds limit) {
    char piece[4096];
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(limit.count())) <= 0) return false;
    const ssize_t got = ::recv(socket_, piece, sizeof piece, 0);
    if (got <= 0) {
      closed_ = true;
      return false;
    }
    heard.append(piece, static_cast<size_t>(got));
    return true;
  }

  int socket_;
  bool closed_ = false;
};

}  // namespace fedra::httpd
