#include "cluster-clients/http/transfer.h"

#include <algorithm>
#include <utility>

#include "cluster-clients/http/transport_error.h"

namespace fedra::http {
namespace {

// Enough for any Status; a refused stream may answer with anything.
constexpr size_t kMaxErrorBody = 64 * 1024;
// Of one answer, 1xx and trailers included; a kube-apiserver sends about one.
constexpr size_t kMaxHeaders = 256 * 1024;

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// Of one answer; an API server sends a few, for kubectl.
constexpr size_t kMaxWarnings = 16;

std::vector<std::string> WarningsIn(CURL* easy) {
  std::vector<std::string> warnings;
  curl_header* header = nullptr;
  while (warnings.size() < kMaxWarnings &&
         curl_easy_header(easy, "Warning", warnings.size(), CURLH_HEADER, -1, &header) == CURLHE_OK)
    warnings.emplace_back(header->value);
  return warnings;
}

// Empty: it was not sent.
std::string HeaderIn(CURL* easy, const std::string& name) {
  curl_header* header = nullptr;
  const bool is_there = !name.empty() && curl_easy_header(easy, name.c_str(), 0, CURLH_HEADER, -1,
                                                          &header) == CURLHE_OK;
  return is_there ? header->value : std::string();
}

std::optional<WallTime> DateIn(CURL* easy) {
  const time_t seconds = curl_getdate(HeaderIn(easy, "Date").c_str(), nullptr);
  if (seconds <= 0) return std::nullopt;
  return WallTime(std::chrono::seconds(seconds));
}

bool IsSuccess(int status) { return status >= 200 && status < 300; }

}  // namespace

Transfer::Transfer(uint64_t id, Request request, std::function<void(Reply)> done)
    : id_(id),
      request_(std::move(request)),
      stream_(false),
      asked_(std::chrono::steady_clock::now()),
      done_(std::move(done)) {}

Transfer::Transfer(uint64_t id, Request request, StreamHandler handler)
    : id_(id),
      request_(std::move(request)),
      stream_(true),
      asked_(std::chrono::steady_clock::now()),
      handler_(std::move(handler)) {}

Transfer::~Transfer() {
  curl_slist_free_all(headers_);
  curl_slist_free_all(connect_to_);
}

bool Transfer::Passes(const WriteGate* gate, SteadyTime now) {
  if (gate == nullptr || request_.method == "GET" || request_.stores_nothing) return true;
  const std::optional<WriteGate::Permit> permit = gate->Ask();
  if (!permit || permit->left <= milliseconds(0)) return false;
  request_.timeout =
      std::min(request_.timeout, duration_cast<milliseconds>(now - asked_) + permit->left);
  server_timeout_ = permit->server;
  if (easy_) curl_easy_setopt(easy_.get(), CURLOPT_TIMEOUT_MS, LeftAt(now).count());
  return true;
}

milliseconds Transfer::LeftAt(SteadyTime now) const {
  return request_.timeout - duration_cast<milliseconds>(now - asked_);
}

bool Transfer::Begin(Easy easy, const Connection& connection, bool http1, SteadyTime now) {
  const milliseconds left = LeftAt(now);
  easy_ = std::move(easy);
  connection_ = &connection;
  if (left <= milliseconds(0)) return false;
  SetRequest(connection, http1, left);
  return true;
}

std::string Transfer::PathAndQuery() const {
  if (server_timeout_ <= milliseconds(0)) return request_.path;
  const char sign = request_.path.find('?') == std::string::npos ? '?' : '&';
  return request_.path + sign + "timeout=" + std::to_string(server_timeout_.count()) + "ms";
}

void Transfer::SetRequest(const Connection& connection, bool http1, milliseconds left) {
  CURL* const easy = easy_.get();
  const auto add = [&](const std::string& line) {
    headers_ = curl_slist_append(headers_, line.c_str());
  };
  add("Accept: " + request_.accept);
  add("Expect:");  // never wait for "100 Continue"
  if (!connection.url.host.empty()) add("Host: " + connection.url.host);
  if (!request_.authorization.empty()) add("Authorization: " + request_.authorization);
  for (const auto& [name, value] : request_.headers)
    if (!value.empty()) add(name + ": " + value);
  if (!request_.body.empty()) {
    add("Content-Type: " + request_.content_type);
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request_.body.data());
  } else {
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_);
  if (!connection.url.connect_to.empty()) {
    connect_to_ = curl_slist_append(nullptr, connection.url.connect_to.c_str());
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_);
  }
  curl_easy_setopt(easy, CURLOPT_URL, (connection.url.base + PathAndQuery()).c_str());
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(left.count()));
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, request_.stall_timeout.count() > 0 ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(request_.stall_timeout.count()));
  // Waiting for a connection that others share is right for HTTP/2 only.
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, http1 ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_.data());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Transfer::OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
}

// An empty line ends the headers; libcurl passes every line by itself.
size_t Transfer::OnHeader(char* data, size_t size, size_t count, void* self) {
  const std::string_view line(data, size * count);
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.header_bytes_ += line.size();
  if (transfer.header_bytes_ > kMaxHeaders) return 0;  // ends the transfer
  if (line == "\r\n" || line == "\n") transfer.HeadersComplete();
  return size * count;
}

void Transfer::HeadersComplete() {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status < 200 || opened_) return;  // 1xx, or trailers
  opened_ = true;
  status_ = static_cast<int>(status);
  curl_easy_getinfo(easy_.get(), CURLINFO_HTTP_VERSION, &http_version_);
  if (on_headers) on_headers();
  if (stream_ && handler_.on_open) handler_.on_open(status_);
}

size_t Transfer::OnBody(char* data, size_t size, size_t count, void* self) {
  const std::string_view bytes(data, size * count);
  return static_cast<Transfer*>(self)->Body(bytes) ? bytes.size() : 0;
}

bool Transfer::Body(std::string_view bytes) {
  if (stream_ && !IsSuccess(status_)) {
    body_.append(bytes.substr(0, kMaxErrorBody - std::min(kMaxErrorBody, body_.size())));
    return true;
  }
  received_ += bytes.size();
  if (received_ > request_.max_bytes) {
    too_large_ = true;
    return false;
  }
  if (stream_) {
    handler_.on_data(bytes);
  } else {
    body_.append(bytes);
  }
  return true;
}

Reply Transfer::MakeReply(CURLcode code) {
  Reply reply;
  // libcurl 7.88 calls it no error when a connection of HTTP/2 ends under a request.
  if (code == CURLE_OK && !opened_) code = CURLE_GOT_NOTHING;
  if (code != CURLE_OK) {
    long os_error = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &os_error);
    if (os_error == 0 && connection_ != nullptr) os_error = connection_->socket_error;
    reply.failure = TransportError(code, error_.data(), os_error);
    if (too_large_ || header_bytes_ > kMaxHeaders) {
      reply.failure->code = ErrorCode::kTooLarge;
      reply.failure->message =
          too_large_ ? "the answer is larger than " + std::to_string(request_.max_bytes) + " bytes"
                     : "the headers of the answer are larger than " + std::to_string(kMaxHeaders) +
                           " bytes";
    }
    reply.unsent = !Sent();
    return reply;
  }
  reply.status = status_;
  reply.body = std::move(body_);
  char* type = nullptr;
  curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_TYPE, &type);
  if (type != nullptr)
    reply.content_type = std::string_view(type).substr(0, std::string_view(type).find(';'));
  reply.warnings = WarningsIn(easy_.get());
  reply.date = DateIn(easy_.get());
  reply.header = HeaderIn(easy_.get(), request_.wanted_header);
  curl_off_t seconds = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RETRY_AFTER, &seconds);
  if (seconds > 0) reply.retry_after = std::chrono::seconds(std::min<curl_off_t>(seconds, 3600));
  return reply;
}

bool Transfer::Sent() const {
  long bytes = 0;
  if (easy_) curl_easy_getinfo(easy_.get(), CURLINFO_REQUEST_SIZE, &bytes);
  return bytes > 0;
}

void Transfer::End(CURLcode code) { Finish(MakeReply(code)); }

void Transfer::Fail(Error error) {
  Reply reply;
  reply.unsent = !Sent();
  reply.failure = std::move(error);
  Finish(std::move(reply));
}

void Transfer::Finish(Reply reply) {
  if (stream_) {
    handler_.on_end(std::move(reply));
  } else {
    done_(std::move(reply));
  }
}

Easy Transfer::ReleaseEasy() {
  // A handle that waits for its next transfer must not point into this one.
  if (CURL* easy = easy_.get(); easy != nullptr) {
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, nullptr);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, nullptr);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, nullptr);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, nullptr);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, nullptr);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, nullptr);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, nullptr);
  }
  return std::move(easy_);
}

}  // namespace fedra::http
