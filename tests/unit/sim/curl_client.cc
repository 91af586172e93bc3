#include "tests/unit/sim/curl_client.h"

#include <curl/curl.h>

#include <deque>
#include <string_view>

#include "base/assert.h"
#include "tests/support/slowness.h"

namespace fedra::sim {
namespace {

curl_blob BlobOf(const std::string& text) {
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
}

}  // namespace

class CurlClient::Impl {
 public:
  struct Request {
    Transfer transfer;
    std::string body;
    CURL* easy = nullptr;
    curl_slist* headers = nullptr;
  };

  Impl(const Server& server, Offer offer, ClientCertificate certificate)
      : address_(server.Address()),
        ca_(server.CaPem()),
        offer_(offer),
        certificate_(std::move(certificate)) {
    // The server's word counts, not libcurl's own limit.
    curl_multi_setopt(multi_, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000L);
  }

  ~Impl() {
    for (Request& request : requests_) End(request);
    curl_multi_cleanup(multi_);
  }

  size_t Start(const std::string& method, const std::string& target, const std::string& body,
               const std::string& content_type) {
    Request& request = requests_.emplace_back();
    request.body = body;
    request.easy = curl_easy_init();
    FEDRA_ASSERT(request.easy != nullptr, "there is memory for an easy handle");
    SetConnection(request.easy);
    const auto add = [&request](const std::string& line) {
      request.headers = curl_slist_append(request.headers, line.c_str());
    };
    add("Expect:");
    if (certificate_.key_pem.empty()) add("Authorization: Bearer admin-token");
    if (!body.empty()) {
      add("Content-Type: " + content_type);
      curl_easy_setopt(request.easy, CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(request.body.size()));
      curl_easy_setopt(request.easy, CURLOPT_POSTFIELDS, request.body.data());
    }
    curl_easy_setopt(request.easy, CURLOPT_CUSTOMREQUEST, method.c_str());
    curl_easy_setopt(request.easy, CURLOPT_HTTPHEADER, request.headers);
    curl_easy_setopt(request.easy, CURLOPT_URL, (address_ + target).c_str());
    curl_easy_setopt(request.easy, CURLOPT_PRIVATE, &request);
    curl_easy_setopt(request.easy, CURLOPT_WRITEFUNCTION, &Impl::OnBody);
    curl_easy_setopt(request.easy, CURLOPT_WRITEDATA, &request);
    curl_easy_setopt(request.easy, CURLOPT_HEADERFUNCTION, &Impl::OnHeader);
    curl_easy_setopt(request.easy, CURLOPT_HEADERDATA, &request);
    curl_multi_add_handle(multi_, request.easy);
    return requests_.size() - 1;
  }

  bool Run(const std::function<bool()>& holds, std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (true) {
      Perform();
      if (holds()) return true;
      if (std::chrono::steady_clock::now() >= end) return false;
      curl_multi_poll(multi_, nullptr, 0, 5, nullptr);
    }
  }

  void End(Request& request) {
    if (request.easy == nullptr) return;
    request.transfer.ended = true;
    curl_multi_remove_handle(multi_, request.easy);
    curl_easy_cleanup(std::exchange(request.easy, nullptr));
    curl_slist_free_all(std::exchange(request.headers, nullptr));
  }

  std::deque<Request> requests_;
  std::string farewells_;

 private:
  static size_t OnBody(char* data, size_t size, size_t count, void* of_request) {
    static_cast<Request*>(of_request)->transfer.body.append(data, size * count);
    return size * count;
  }

  static size_t OnHeader(char* data, size_t size, size_t count, void* of_request) {
    auto& request = *static_cast<Request*>(of_request);
    const std::string_view line(data, size * count);
    if (line.starts_with("HTTP/")) {
      const size_t space = line.find(' ');
      request.transfer.protocol = line.substr(5, space - 5);
      request.transfer.status = std::stoi(std::string(line.substr(space)));
    }
    return size * count;
  }

  static int OnDebug(CURL*, curl_infotype type, char* data, size_t size, void* farewells) {
    const std::string_view text(data, size);
    if (type == CURLINFO_TEXT && text.find("GOAWAY") != std::string_view::npos) {
      static_cast<std::string*>(farewells)->append(text);
    }
    return 0;
  }

  void SetConnection(CURL* easy) {
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                     static_cast<long>(offer_ == Offer::kHttp2 ? CURL_HTTP_VERSION_2TLS
                                                               : CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, offer_ == Offer::kHttp2 ? 1L : 0L);
    curl_blob ca = BlobOf(ca_);
    curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &ca);
    if (!certificate_.key_pem.empty()) {
      curl_blob certificate = BlobOf(certificate_.certificate_pem);
      curl_blob key = BlobOf(certificate_.key_pem);
      curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &certificate);
      curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &key);
    }
    curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, &Impl::OnDebug);
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, &farewells_);
  }

  void Perform() {
    int running = 0;
    curl_multi_perform(multi_, &running);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      char* of_request = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &of_request);
      auto& request = *reinterpret_cast<Request*>(of_request);
      if (message->data.result != CURLE_OK) {
        request.transfer.failure = curl_easy_strerror(message->data.result);
      }
      End(request);
    }
  }

  const std::string address_;
  const std::string ca_;
  const Offer offer_;
  const ClientCertificate certificate_;
  CURLM* const multi_ = curl_multi_init();
};

CurlClient::CurlClient(const Server& server, Offer offer, const ClientCertificate& certificate)
    : impl_(std::make_unique<Impl>(server, offer, certificate)) {}
CurlClient::~CurlClient() = default;

size_t CurlClient::Start(const std::string& method, const std::string& target,
                         const std::string& body, const std::string& content_type) {
  return impl_->Start(method, target, body, content_type);
}

const CurlClient::Transfer& CurlClient::At(size_t number) const {
  return impl_->requests_.at(number).transfer;
}

void CurlClient::Reset(size_t number) { impl_->End(impl_->requests_.at(number)); }

bool CurlClient::Run(const std::function<bool()>& holds, std::chrono::milliseconds limit) {
  return impl_->Run(holds, Stretched(limit));
}

bool CurlClient::RunFor(const std::function<bool()>& holds, std::chrono::milliseconds time) {
  return impl_->Run(holds, time);
}

const CurlClient::Transfer& CurlClient::Ask(const std::string& method, const std::string& target,
                                            const std::string& body,
                                            const std::string& content_type) {
  const size_t number = Start(method, target, body, content_type);
  Run([&] { return At(number).ended; });
  return At(number);
}

const std::string& CurlClient::farewells() const { return impl_->farewells_; }

}  // namespace fedra::sim
