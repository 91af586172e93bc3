#pragma once
//
// One request under way: a libcurl easy handle and what has arrived for it. Internal to http/.
//
// Thread rules: io loop thread only, but for construction.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <curl/curl.h>

#include "base/clock.h"
#include "cluster-clients/http/endpoint_url.h"
#include "cluster-clients/http/message.h"
#include "cluster-clients/http/write_gate.h"

namespace fedra::http {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

// What all easy handles of one client have in common. Must outlive them: keys and certificates are
// not copied.
struct Connection {
  Endpoint endpoint;
  EndpointUrl url;
  long open_sockets = 0;
  int socket_error = 0;  // errno, if the last socket could not be opened
};

// A handle with everything set that does not change from request to request.
Easy NewEasy(Connection& connection);

class Transfer final {
 public:
  // For a request; `handler` stays empty.
  Transfer(uint64_t id, Request request, std::function<void(Reply)> done);
  // For a stream.
  Transfer(uint64_t id, Request request, StreamHandler handler);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Whether it passes a gate that is asked now. False: not even to be begun. Again before it is
  // begun again.
  bool Passes(const WriteGate* gate, SteadyTime now);
  // Takes a handle and sets it up; false when no time is left.
  bool Begin(Easy easy, const Connection& connection, bool http1, SteadyTime now);
  // Reports the result. The handle must have been removed from its multi handle.
  void End(CURLcode code);
  void Fail(Error error);

  uint64_t id() const { return id_; }
  bool is_stream() const { return stream_; }
  CURL* easy() const { return easy_.get(); }
  bool opened() const { return opened_; }
  // Whether anything of the request has left this machine.
  bool Sent() const;
  // Of the answer, once it has begun: CURL_HTTP_VERSION_1_1, _2, ...
  long http_version() const { return http_version_; }
  const Request& request() const { return request_; }
  Easy ReleaseEasy();

  // Called when the headers of the answer are complete. Inside of a libcurl callback.
  std::function<void()> on_headers;

 private:
  static size_t OnHeader(char* data, size_t size, size_t count, void* self);
  static size_t OnBody(char* data, size_t size, size_t count, void* self);
  std::chrono::milliseconds LeftAt(SteadyTime now) const;
  std::string PathAndQuery() const;
  void SetRequest(const Connection& connection, bool http1, std::chrono::milliseconds left);
  void HeadersComplete();
  bool Body(std::string_view bytes);
  Reply MakeReply(CURLcode code);
  void Finish(Reply reply);

  const uint64_t id_;
  Request request_;
  const bool stream_;
  const SteadyTime asked_;
  std::function<void(Reply)> done_;
  StreamHandler handler_;
  std::chrono::milliseconds server_timeout_{0};  // as of WriteGate::Permit

  const Connection* connection_ = nullptr;
  Easy easy_;
  curl_slist* headers_ = nullptr;  // libcurl keeps only the pointers
  curl_slist* connect_to_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> error_{};
  bool opened_ = false;
  long http_version_ = 0;
  int status_ = 0;
  size_t received_ = 0;
  size_t header_bytes_ = 0;
  bool too_large_ = false;
  std::string body_;
};

}  // namespace fedra::http
