#include "tests/sim/http/http2.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace fedra::sim {
namespace {

// As kube-apiserver sets golang.org/x/net/http2.
constexpr uint32_t kStreams = 100;
constexpr uint32_t kStreamWindow = 256u << 10;  // also the largest frame
constexpr int32_t kConnectionWindow = kStreams * kStreamWindow;
constexpr uint32_t kHeaderList =
    (1u << 20) + 10 * 32;  // net/http's 1 MiB, and what ten fields cost

using HeaderFields = std::vector<std::pair<std::string, std::string>>;

nghttp2_nv NameAndValue(const std::string& name, const std::string& value) {
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));  // only read
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// The status first, and names in lower case, as HTTP/2 has them.
HeaderFields HeadFields(int status, const AnswerHead& head) {
  HeaderFields fields = {{":status", std::to_string(status)}};
  for (auto [name, value] : head.fields) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    fields.emplace_back(std::move(name), std::move(value));
  }
  if (head.length) fields.emplace_back("content-length", std::to_string(*head.length));
  return fields;
}

// nghttp2 copies what it is given.
std::vector<nghttp2_nv> NamesAndValues(const HeaderFields& fields) {
  std::vector<nghttp2_nv> view;
  for (const auto& [name, value] : fields) view.push_back(NameAndValue(name, value));
  return view;
}

// Where the value of a header goes; null pointer: it is not read.
std::string* PlaceOf(HttpRequest& request, std::string_view name) {
  if (name == ":method") return &request.method;
  if (name == ":path") return &request.target;
  if (name == "content-type") return &request.content_type;
  if (name == "user-agent") return &request.user_agent;
  return name == "authorization" ? &request.authorization : nullptr;
}

// Lifetime: owns the nghttp2 session and, by it, the streams: one is in `streams_` from its first
// header until nghttp2 says that it is closed, or the connection is. The session calls back only
// from within Receive and Take, which are not called after Close.
class Http2 final : public Protocol {
 public:
  Http2(std::shared_ptr<Core> core, Peer peer, Wake wake);

  bool Receive(std::string_view bytes) override;
  std::string Take() override;
  bool Over() const override;
  void Leave() override;
  void Close() override;

 private:
  struct Stream {
    HttpRequest request;
    std::shared_ptr<Exchange> exchange;  // null pointer: the request is being read
    bool answered = false;               // the head has been given to nghttp2
    std::string body;                    // of the answer, the part that is being sent
    size_t sent = 0;                     // of `body`
    bool last = false;                   // the answer ends with `body`
  };
  struct Delete {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  void MakeSession();
  void Submit(int result);
  Stream* Find(int32_t id);
  void Begin(int32_t id, Stream& stream);
  void Advance(int32_t id, Stream& stream);
  void OnWake(int32_t id);
  ssize_t Read(int32_t id, uint8_t* to, size_t size, uint32_t* flags);

  // Callbacks of nghttp2; `self` is this.
  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* self);
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t flags,
                      void* self);
  static int OnData(nghttp2_session*, uint8_t flags, int32_t id, const uint8_t* bytes, size_t size,
                    void* self);
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self);
  static int OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* self);
  static int OnClosed(nghttp2_session*, int32_t id, uint32_t error, void* self);
  static ssize_t OnRead(nghttp2_session*, int32_t id, uint8_t* to, size_t size, uint32_t* flags,
                        nghttp2_data_source*, void* self);

  const std::shared_ptr<Core> core_;
  const Peer peer_;
  const Wake wake_;
  std::unique_ptr<nghttp2_session, Delete> session_;
  std::map<int32_t, Stream> streams_;
  bool over_ = false;  // whatever the session would still say
};

Http2::Http2(std::shared_ptr<Core> core, Peer peer, Wake wake)
    : core_(std::move(core)), peer_(std::move(peer)), wake_(std::move(wake)) {
  MakeSession();
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kStreams},
                                             {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
                                             {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, kStreamWindow},
                                             {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kHeaderList}};
  Submit(nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings, std::size(settings)));
  Submit(nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0,
                                               kConnectionWindow));
}

void Http2::MakeSession() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* options = nullptr;
  FEDRA_ASSERT(nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&options) == 0,
               "there is memory for the callbacks of a session");
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, &Http2::OnBeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &Http2::OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &Http2::OnData);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &Http2::OnFrame);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, &Http2::OnFrameSent);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &Http2::OnClosed);
  // Streams that have ended would be kept for the priorities of others.
  nghttp2_option_set_no_closed_streams(options, 1);
  nghttp2_session* session = nullptr;
  const int made = nghttp2_session_server_new2(&session, callbacks, this, options);
  nghttp2_option_del(options);
  nghttp2_session_callbacks_del(callbacks);
  FEDRA_ASSERT(made == 0, "there is memory for a session");
  session_.reset(session);
}

// What is submitted fails for want of memory, or when the session is about to end.
void Http2::Submit(int result) { over_ = over_ || nghttp2_is_fatal(result) != 0; }

bool Http2::Receive(std::string_view bytes) {
  if (over_) return true;
  const ssize_t used = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  // Of what breaks the protocol the session tells the client itself, with GOAWAY.
  return used >= 0;
}

std::string Http2::Take() {
  std::string bytes;
  while (!over_ && bytes.size() < kTakeSize) {
    const uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &data);
    if (size < 0) over_ = true;
    if (size <= 0) break;
    bytes.append(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
  }
  return bytes;
}

bool Http2::Over() const {
  return over_ || (nghttp2_session_want_read(session_.get()) == 0 &&
                   nghttp2_session_want_write(session_.get()) == 0);
}

void Http2::Leave() { Submit(nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR)); }

void Http2::Close() {
  over_ = true;
  for (auto& [id, stream] : streams_) {
    if (stream.exchange) stream.exchange->Close();
  }
  streams_.clear();
}

Http2::Stream* Http2::Find(int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : &found->second;
}

void Http2::Begin(int32_t id, Stream& stream) {
  stream.exchange = std::make_shared<Exchange>(core_, [this, id] { OnWake(id); });
  stream.exchange->Begin(std::move(stream.request), peer_);
  Advance(id, stream);
}

void Http2::OnWake(int32_t id) {
  Stream* const stream = Find(id);
  if (stream == nullptr) return;
  if (stream->answered) {
    // Refused while the body does not wait: then it will be read anyway.
    (void)nghttp2_session_resume_data(session_.get(), id);
  } else {
    Advance(id, *stream);
  }
  wake_();
}

// Up to the head of the answer; the body is read by the session.
void Http2::Advance(int32_t id, Stream& stream) {
  const AnswerPart part = stream.exchange->Next();
  switch (part.kind) {
    case AnswerPart::Kind::kHead: {
      const HeaderFields fields = HeadFields(part.head.status, part.head);
      const auto view = NamesAndValues(fields);
      nghttp2_data_provider body{};
      body.read_callback = &Http2::OnRead;
      stream.answered = true;
      return Submit(nghttp2_submit_response(session_.get(), id, view.data(), view.size(),
                                            part.last ? nullptr : &body));
    }
    case AnswerPart::Kind::kFields: {
      // A header block has an end, the answers before the answer (1xx) have none.
      const HeaderFields fields = HeadFields(103, part.head);
      const auto view = NamesAndValues(fields);
      return Submit(nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, id, nullptr,
                                           view.data(), view.size(), nullptr));
    }
    case AnswerPart::Kind::kCut:
      over_ = true;
      return;
    case AnswerPart::Kind::kBody:
    case AnswerPart::Kind::kNothing:
      return;
  }
}

ssize_t Http2::Read(int32_t id, uint8_t* to, size_t size, uint32_t* flags) {
  Stream* const stream = Find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  while (stream->sent == stream->body.size() && !stream->last) {
    stream->body = {};  // a watch may wait for long
    stream->sent = 0;
    AnswerPart part = stream->exchange->Next();
    over_ = over_ || part.kind == AnswerPart::Kind::kCut;
    if (part.kind != AnswerPart::Kind::kBody) return NGHTTP2_ERR_DEFERRED;
    stream->body = std::move(part.body);
    stream->last = part.last;
  }
  const size_t count = std::min(size, stream->body.size() - stream->sent);
  std::copy_n(stream->body.data() + stream->sent, count, to);
  stream->sent += count;
  if (stream->last && stream->sent == stream->body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(count);
}

int Http2::OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  const bool begins =
      frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
  if (begins) static_cast<Http2*>(self)->streams_.try_emplace(frame->hd.stream_id);
  return 0;
}

int Http2::OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                    size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                    void* self) {
  Stream* const stream = static_cast<Http2*>(self)->Find(frame->hd.stream_id);
  if (stream == nullptr || stream->exchange) return 0;
  std::string* const place =
      PlaceOf(stream->request, {reinterpret_cast<const char*>(name), name_size});
  if (place != nullptr) place->assign(reinterpret_cast<const char*>(value), value_size);
  return 0;
}

int Http2::OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* bytes, size_t size,
                  void* self) {
  Stream* const stream = static_cast<Http2*>(self)->Find(id);
  if (stream == nullptr || stream->exchange) return 0;
  HttpRequest& request = stream->request;
  request.too_large = request.too_large || request.body.size() + size > kMaxBody;
  if (request.too_large) {
    request.body.clear();
  } else {
    request.body.append(reinterpret_cast<const char*>(bytes), size);
  }
  return 0;
}

int Http2::OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  auto& http2 = *static_cast<Http2*>(self);
  const bool of_request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
  if (!of_request || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
  Stream* const stream = http2.Find(frame->hd.stream_id);
  if (stream != nullptr && !stream->exchange) http2.Begin(frame->hd.stream_id, *stream);
  return 0;
}

int Http2::OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  auto& http2 = *static_cast<Http2*>(self);
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  Stream* const stream = http2.Find(frame->hd.stream_id);
  if (stream != nullptr && !stream->answered) http2.Advance(frame->hd.stream_id, *stream);
  return 0;
}

int Http2::OnClosed(nghttp2_session*, int32_t id, uint32_t, void* self) {
  auto& http2 = *static_cast<Http2*>(self);
  if (Stream* const stream = http2.Find(id); stream != nullptr && stream->exchange) {
    stream->exchange->Close();
  }
  http2.streams_.erase(id);
  return 0;
}

ssize_t Http2::OnRead(nghttp2_session*, int32_t id, uint8_t* to, size_t size, uint32_t* flags,
                      nghttp2_data_source*, void* self) {
  return static_cast<Http2*>(self)->Read(id, to, size, flags);
}

}  // namespace

std::unique_ptr<Protocol> MakeHttp2(std::shared_ptr<Core> core, Peer peer, Protocol::Wake wake) {
  return std::make_unique<Http2>(std::move(core), std::move(peer), std::move(wake));
}

}  // namespace fedra::sim
