#include "tests/unit/cluster-clients/support/socks_proxy.h"

#include <array>
#include <functional>
#include <thread>

#include <boost/asio.hpp>

#include "base/guarded.h"

namespace fedra {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// One way of a connection.
using Buffer = std::array<char, 16384>;

struct Link {
  explicit Link(tcp::socket client) : near(std::move(client)), far(near.get_executor()) {}
  tcp::socket near;
  tcp::socket far;
  Buffer up{};
  Buffer down{};
};

void Copy(const std::shared_ptr<Link>& link, tcp::socket& from, tcp::socket& to, Buffer& buffer) {
  from.async_read_some(asio::buffer(buffer), [=, &from, &to, &buffer](error_code error, size_t n) {
    if (!error) asio::write(to, asio::buffer(buffer, n), error);
    if (!error) return Copy(link, from, to, buffer);
    link->near.close(error);
    link->far.close(error);
  });
}

template <size_t n>
std::array<uint8_t, n> Read(tcp::socket& socket) {
  std::array<uint8_t, n> bytes{};
  asio::read(socket, asio::buffer(bytes));
  return bytes;
}

std::string ReadText(tcp::socket& socket, size_t size) {
  std::string text(size, 0);
  asio::read(socket, asio::buffer(text));
  return text;
}

}  // namespace

class SocksProxy::Impl {
 public:
  Impl() : acceptor_(context_, {asio::ip::address_v4::loopback(), 0}) {
    Accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Impl() {
    context_.stop();
    thread_.join();
  }

  uint16_t port() const { return acceptor_.local_endpoint().port(); }
  std::vector<std::string> Asked() const { return asked_.Copy(); }
  void LeadTo(uint16_t port) {
    leads_to_.With([&](uint16_t& now) { now = port; });
  }

 private:
  void Accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket client) {
      if (error) return;
      const auto link = std::make_shared<Link>(std::move(client));
      try {
        Greet(*link);
        Copy(link, link->near, link->far, link->up);
        Copy(link, link->far, link->near, link->down);
      } catch (const std::exception&) {
        link->near.close(error);  // the client has gone, or wants what this proxy cannot do
      }
      Accept();
    });
  }

  // RFC 1928, without authentication. Blocks, as a client says at once what it wants.
  void Greet(Link& link) {
    const auto methods = Read<2>(link.near);
    ReadText(link.near, methods[1]);
    asio::write(link.near, asio::buffer(std::array<uint8_t, 2>{5, 0}));
    const auto request = Read<4>(link.near);
    constexpr uint8_t kName = 3;
    std::string name = "(address)";
    if (request[3] == kName) {
      name = ReadText(link.near, Read<1>(link.near)[0]);
    } else {
      ReadText(link.near, request[3] == 1 ? 4 : 16);
    }
    const auto bytes = Read<2>(link.near);
    const auto port = static_cast<uint16_t>(bytes[0] << 8 | bytes[1]);
    asked_.With([&](auto& asked) { asked.push_back(name + ":" + std::to_string(port)); });
    const uint16_t instead = leads_to_.Copy();
    link.far.connect({asio::ip::address_v4::loopback(), instead == 0 ? port : instead});
    asio::write(link.near, asio::buffer(std::array<uint8_t, 10>{5, 0, 0, 1}));
  }

  asio::io_context context_;
  tcp::acceptor acceptor_;
  Guarded<std::vector<std::string>> asked_;
  Guarded<uint16_t> leads_to_;  // 0: where is asked for
  std::thread thread_;
};

SocksProxy::SocksProxy() : impl_(std::make_unique<Impl>()) {}
SocksProxy::~SocksProxy() = default;

std::string SocksProxy::Url() const {
  return "socks5://127.0.0.1:" + std::to_string(impl_->port());
}
std::vector<std::string> SocksProxy::Asked() const { return impl_->Asked(); }
void SocksProxy::LeadTo(uint16_t port) { impl_->LeadTo(port); }

}  // namespace fedra
