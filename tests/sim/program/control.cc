#include "tests/sim/program/control.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <list>
#include <thread>
#include <utility>

#include "base/guarded.h"

namespace fedra::sim {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

}  // namespace

class ControlServer::Impl {
 public:
  explicit Impl(Handler handler)
      : handler_(std::move(handler)),
        acceptor_(context_, {asio::ip::address_v4::loopback(), 0}),
        port_(acceptor_.local_endpoint().port()),
        thread_([this] { Accept(); }) {}

  ~Impl() {
    stopping_ = true;
    // A blocking accept ends only with a connection.
    error_code ignored;
    tcp::socket waker(context_);
    waker.connect({asio::ip::address_v4::loopback(), port_}, ignored);
    thread_.join();
    for (std::thread& request : requests_) request.join();
  }

  uint16_t port() const { return port_; }

 private:
  void Accept() {
    while (true) {
      error_code error;
      tcp::socket socket(context_);
      acceptor_.accept(socket, error);
      if (stopping_) return;
      if (error) continue;
      requests_.emplace_back(
          [this, connection = std::move(socket)]() mutable { Serve(std::move(connection)); });
    }
  }

  void Serve(tcp::socket socket) {
    boost::beast::flat_buffer buffer;
    http::request<http::string_body> request;
    error_code error;
    http::read(socket, buffer, request, error);
    if (error) return;
    const ControlReply reply = Call(request);
    http::response<http::string_body> response{static_cast<http::status>(reply.code), 11};
    response.set(http::field::content_type, "application/json");
    response.keep_alive(false);
    response.body() = Serialize(reply.body) + "\n";
    response.prepare_payload();
    http::write(socket, response, error);
  }

  ControlReply Call(const http::request<http::string_body>& request) const {
    const auto body = ParseJson(request.body().empty() ? "{}" : request.body());
    if (!body || !body->is_object()) return {400, {{"error", "the body is not a JSON object"}}};
    return handler_(std::string(request.method_string()), std::string(request.target()), *body);
  }

  const Handler handler_;
  asio::io_context context_;
  tcp::acceptor acceptor_;
  const uint16_t port_;
  std::atomic<bool> stopping_{false};
  std::list<std::thread> requests_;  // accept thread only, and the destructor after it
  std::thread thread_;
};

ControlServer::ControlServer(Handler handler) : impl_(std::make_unique<Impl>(std::move(handler))) {}
ControlServer::~ControlServer() = default;

uint16_t ControlServer::port() const { return impl_->port(); }

}  // namespace fedra::sim
