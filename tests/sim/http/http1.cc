#include "tests/sim/http/http1.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <utility>

namespace fedra::sim {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

std::string StatusLine(int status) {
  const auto phrase = http::obsolete_reason(static_cast<http::status>(status));
  return fmt::format("HTTP/1.1 {} {}\r\n", status, std::string_view(phrase.data(), phrase.size()));
}

std::string FieldLines(const AnswerHead& head) {
  std::string lines;
  for (const auto& [name, value] : head.fields) lines += fmt::format("{}: {}\r\n", name, value);
  return lines;
}

std::string HeadText(const AnswerHead& head) {
  const std::string length = head.length ? fmt::format("Content-Length: {}\r\n", *head.length)
                                         : "Transfer-Encoding: chunked\r\n";
  return StatusLine(head.status) + FieldLines(head) + length + "\r\n";
}

// Of nothing: the end of the body.
std::string Chunk(std::string_view data) {
  return fmt::format("{:x}\r\n", data.size()).append(data).append("\r\n");
}

class Http1 final : public Protocol {
 public:
  Http1(std::shared_ptr<Core> core, Peer peer, Wake wake)
      : core_(std::move(core)), peer_(std::move(peer)), wake_(std::move(wake)) {}

  bool Receive(std::string_view bytes) override {
    if (over_) return true;
    // A client that goes on sending while it is being answered.
    if (input_.size() + bytes.size() > 2 * kMaxBody) return false;
    const auto room = input_.prepare(bytes.size());
    boost::asio::buffer_copy(room, boost::asio::buffer(bytes.data(), bytes.size()));
    input_.commit(bytes.size());
    return exchange_ != nullptr || Parse();
  }

  std::string Take() override {
    std::string bytes;
    while (exchange_ && bytes.size() < kTakeSize) {
      AnswerPart part = exchange_->Next();
      if (part.kind == AnswerPart::Kind::kNothing) break;
      Append(bytes, part);
      if (part.last || part.kind == AnswerPart::Kind::kCut) End();
    }
    return bytes;
  }

  bool Over() const override { return over_; }

  void Leave() override {
    over_ = true;
    Close();
  }

  void Close() override {
    if (exchange_) exchange_->Close();
    exchange_.reset();
  }

 private:
  using Parser = http::request_parser<http::string_body>;

  // False: what was received is no HTTP.
  bool Parse() {
    if (!parser_) {
      parser_.emplace();
      parser_->eager(true);
      parser_->body_limit(kMaxBody);
    }
    bool too_large = false;
    while (!parser_->is_done() && input_.size() > 0 && !too_large) {
      error_code error;
      input_.consume(parser_->put(input_.data(), error));
      if (error == http::error::need_more) break;
      too_large = error == http::error::body_limit;
      if (error && !too_large) return false;
    }
    if (parser_->is_done() || too_large) Begin(too_large);
    return true;
  }

  void Begin(bool too_large) {
    auto& message = parser_->get();
    const auto text = [](boost::beast::string_view view) { return std::string(view); };
    HttpRequest request{.method = text(message.method_string()),
                        .target = text(message.target()),
                        .content_type = text(message[http::field::content_type]),
                        .user_agent = text(message[http::field::user_agent]),
                        .authorization = text(message[http::field::authorization]),
                        .body = std::move(message.body()),
                        .too_large = too_large};
    parser_.reset();
    ends_after_ = too_large;  // where the next request begins is not known
    exchange_ = std::make_shared<Exchange>(core_, wake_);
    exchange_->Begin(std::move(request), peer_);
  }

  void Append(std::string& bytes, const AnswerPart& part) {
    switch (part.kind) {
      case AnswerPart::Kind::kHead:
        chunked_ = !part.head.length;
        bytes += HeadText(part.head);
        break;
      case AnswerPart::Kind::kFields:
        if (!std::exchange(head_begun_, true)) bytes += StatusLine(200);
        bytes += FieldLines(part.head);
        break;
      case AnswerPart::Kind::kBody:
        // An empty chunk would be the end.
        if (!chunked_) {
          bytes += part.body;
        } else if (!part.body.empty()) {
          bytes += Chunk(part.body);
        }
        break;
      case AnswerPart::Kind::kCut:
        over_ = true;
        break;
      case AnswerPart::Kind::kNothing:
        break;
    }
    if (part.last && chunked_) bytes += Chunk("");
  }

  // Of an answer. The next request may be there already.
  void End() {
    Close();
    over_ = over_ || ends_after_;
    if (!over_ && input_.size() > 0 && !Parse()) over_ = true;
  }

  const std::shared_ptr<Core> core_;
  const Peer peer_;
  const Wake wake_;
  boost::beast::flat_buffer input_;
  std::optional<Parser> parser_;
  std::shared_ptr<Exchange> exchange_;  // null pointer: a request is being read
  bool head_begun_ = false;             // of an answer whose head does not end
  bool chunked_ = false;
  bool ends_after_ = false;  // the connection, with this answer
  bool over_ = false;
};

}  // namespace

std::unique_ptr<Protocol> MakeHttp1(std::shared_ptr<Core> core, Peer peer, Protocol::Wake wake) {
  return std::make_unique<Http1>(std::move(core), std::move(peer), std::move(wake));
}

}  // namespace fedra::sim
