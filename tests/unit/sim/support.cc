#include "tests/unit/sim/support.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <charconv>

namespace fedra::sim {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

JsonReply Parsed(const Reply& reply) {
  return {reply.status, Json::parse(reply.body, nullptr, false)};
}

}  // namespace

JsonReply Get(Server& server, const std::string& target, const std::string& user) {
  return Parsed(server.Call("GET", target, "", "", user));
}

JsonReply Post(Server& server, const std::string& target, const Json& body,
               const std::string& user) {
  return Parsed(server.Call("POST", target, body.dump(), "application/json", user));
}

JsonReply Put(Server& server, const std::string& target, const Json& body) {
  return Parsed(server.Call("PUT", target, body.dump()));
}

JsonReply Merge(Server& server, const std::string& target, const Json& patch) {
  return Parsed(server.Call("PATCH", target, patch.dump(), "application/merge-patch+json"));
}

JsonReply Apply(Server& server, const std::string& target, const std::string& manager,
                const Json& config, const std::string& more) {
  return Parsed(server.Call("PATCH", target + "?fieldManager=" + manager + more, config.dump(),
                            "application/apply-patch+yaml"));
}

JsonReply Remove(Server& server, const std::string& target, const Json& options) {
  return Parsed(server.Call("DELETE", target, options.dump()));
}

Json ConfigMap(const std::string& name, const Json& data) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"data", data}};
}

Json Job(const std::string& ns, const std::string& name) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec",
           {{"template",
             {{"spec",
               {{"restartPolicy", "Never"},
                {"containers", {{{"name", "main"}, {"image", "busybox:1"}}}}}}}}}}};
}

class Client::Impl {
 public:
  using Stream = asio::ssl::stream<asio::ip::tcp::socket>;

  Impl(uint16_t port, const std::string& ca_pem, const ClientCertificate& certificate)
      : port_(port), tls_(asio::ssl::context::tls_client) {
    tls_.add_certificate_authority(asio::buffer(ca_pem));
    tls_.set_verify_mode(asio::ssl::verify_peer);
    if (!certificate.key_pem.empty()) {
      tls_.use_certificate_chain(asio::buffer(certificate.certificate_pem));
      tls_.use_private_key(asio::buffer(certificate.key_pem), asio::ssl::context::pem);
    }
  }

  // Runs one asynchronous operation to its end, or cancels it when time is up.
  template <class F>
  error_code Run(std::chrono::milliseconds limit, const F& start) {
    error_code result = asio::error::would_block;
    start([&result](error_code outcome, auto&&...) { result = outcome; });
    context_.restart();
    context_.run_for(limit);
    if (!context_.stopped()) {
      error_code ignored;
      (void)stream_->next_layer().close(ignored);
      context_.run();
      result = asio::error::timed_out;
    }
    return result;
  }

  bool Connect(std::chrono::milliseconds limit) {
    stream_.emplace(context_, tls_);
    const asio::ip::tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port_);
    error_code failed = Run(
        limit, [&](auto done) { stream_->next_layer().async_connect(endpoint, std::move(done)); });
    if (!failed) {
      failed =
          Run(limit, [&](auto done) { stream_->async_handshake(Stream::client, std::move(done)); });
    }
    error = failed.message();
    return !failed;
  }

  bool Write(const std::string& bytes) {
    return !Run(std::chrono::seconds(5), [&](auto done) {
      asio::async_write(*stream_, asio::buffer(bytes), std::move(done));
    });
  }

  bool ReadSome(std::chrono::milliseconds limit) {
    char bytes[8192];
    size_t size = 0;
    const error_code failed = Run(limit, [&](auto done) {
      stream_->async_read_some(asio::buffer(bytes), [&size, done](error_code e, size_t n) {
        size = n;
        done(e);
      });
    });
    input.append(bytes, size);
    error = failed.message();
    return !failed;
  }

  std::string error;
  std::string input;

 private:
  const uint16_t port_;
  asio::io_context context_;
  asio::ssl::context tls_;
  std::optional<Stream> stream_;
};

Client::Client(uint16_t port, const std::string& ca_pem, const ClientCertificate& certificate)
    : impl_(std::make_unique<Impl>(port, ca_pem, certificate)) {}
Client::~Client() = default;

bool Client::Connect(std::chrono::milliseconds limit) { return impl_->Connect(limit); }
const std::string& Client::error() const { return impl_->error; }

bool Client::Send(const std::string& method, const std::string& target, const std::string& body,
                  const std::string& content_type, const std::string& token) {
  std::string request = fmt::format("{} {} HTTP/1.1\r\nHost: sim\r\n", method, target);
  if (!token.empty()) request += fmt::format("Authorization: Bearer {}\r\n", token);
  if (!body.empty()) {
    request += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", content_type, body.size());
  }
  return impl_->Write(request + "\r\n" + body);
}

std::optional<Reply> Client::Receive(std::chrono::milliseconds limit) {
  std::string& input = impl_->input;
  size_t head = std::string::npos;
  while ((head = input.find("\r\n\r\n")) == std::string::npos) {
    if (!impl_->ReadSome(limit)) return std::nullopt;
  }
  Reply reply;
  std::from_chars(input.data() + 9, input.data() + 12, reply.status);
  constexpr std::string_view kLength = "Content-Length: ";
  const size_t length_at = input.find(kLength);
  size_t length = 0;
  if (length_at < head) {
    std::from_chars(input.data() + length_at + kLength.size(), input.data() + head, length);
  }
  reply.headers["head"] = input.substr(0, head);
  input.erase(0, head + 4);
  while (input.size() < length) {
    if (!impl_->ReadSome(limit)) return std::nullopt;
  }
  reply.body = input.substr(0, length);
  input.erase(0, length);
  return reply;
}

std::optional<std::string> Client::ReceiveLine(std::chrono::milliseconds limit) {
  std::string& input = impl_->input;
  size_t end = std::string::npos;
  while ((end = input.find('\n')) == std::string::npos) {
    if (!impl_->ReadSome(limit)) return std::nullopt;
  }
  std::string line = input.substr(0, end);
  input.erase(0, end + 1);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

}  // namespace fedra::sim
