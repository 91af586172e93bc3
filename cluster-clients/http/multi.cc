#include "cluster-clients/http/multi.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <utility>
#include <vector>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include "base/assert.h"

namespace fedra::http {
namespace {

ino_t Inode(int descriptor) {
  struct stat status{};
  return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

}  // namespace

// A socket of libcurl's, seen through a descriptor of our own.
struct Multi::Socket {
  Socket(boost::asio::io_context& context, curl_socket_t theirs)
      : number(theirs), inode(Inode(theirs)), ours(context) {
    const int copy = fcntl(theirs, F_DUPFD_CLOEXEC, 3);
    if (copy >= 0) ours.assign(copy);
  }

  void Close() {
    closed = true;
    boost::system::error_code ignored;
    ours.close(ignored);
  }

  const curl_socket_t number;
  const ino_t inode;
  boost::asio::posix::stream_descriptor ours;
  int want = 0;
  bool closed = false;
  bool reading = false;  // a wait for this direction is under way
  bool writing = false;
};

Multi::Multi(boost::asio::io_context& context, OnDone on_done)
    : context_(context), on_done_(std::move(on_done)), multi_(curl_multi_init()), timer_(context) {
  FEDRA_ASSERT(multi_ != nullptr, "there is memory for a multi handle");
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Multi::OnSocket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Multi::OnTimer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
}

Multi::~Multi() { Close(); }

void Multi::SetLimits(Limits limits) {
  curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, limits.open);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, limits.kept);
}

void Multi::Add(CURL* easy) { curl_multi_add_handle(multi_, easy); }

void Multi::Remove(CURL* easy) { curl_multi_remove_handle(multi_, easy); }

void Multi::Close() {
  if (multi_ == nullptr) return;
  curl_multi_cleanup(std::exchange(multi_, nullptr));
  due_ = kNever;
  timer_.cancel();
  for (auto& [number, socket] : sockets_) socket->Close();
  sockets_.clear();
}

int Multi::OnSocket(CURL* /*easy*/, curl_socket_t socket, int what, void* self, void* /*unused*/) {
  auto& multi = *static_cast<Multi*>(self);
  if (what == CURL_POLL_REMOVE) {
    multi.Forget(socket);
  } else {
    multi.Watch(socket, what);
  }
  return 0;
}

void Multi::Watch(curl_socket_t number, int what) {
  auto& socket = sockets_[number];
  if (socket && socket->inode != Inode(number)) {  // the number has been used again
    socket->Close();
    socket.reset();
  }
  if (!socket) socket = std::make_shared<Socket>(context_, number);
  socket->want = what;
  Arm(socket);
}

// The socket may be closed already.
void Multi::Forget(curl_socket_t number) {
  const auto found = sockets_.find(number);
  if (found == sockets_.end()) return;
  found->second->Close();
  sockets_.erase(found);
}

void Multi::Arm(const std::shared_ptr<Socket>& socket) {
  if (socket->closed || !socket->ours.is_open()) return;
  if ((socket->want & CURL_POLL_IN) != 0 && !socket->reading) Wait(socket, true);
  if ((socket->want & CURL_POLL_OUT) != 0 && !socket->writing) Wait(socket, false);
}

void Multi::Wait(const std::shared_ptr<Socket>& socket, bool reading) {
  using Descriptor = boost::asio::posix::stream_descriptor;
  bool& busy = reading ? socket->reading : socket->writing;
  busy = true;
  socket->ours.async_wait(
      reading ? Descriptor::wait_read : Descriptor::wait_write,
      [weak = weak_from_this(), socket, reading](const boost::system::error_code& error) {
        (reading ? socket->reading : socket->writing) = false;
        const auto self = weak.lock();
        if (!self || socket->closed || error) return;
        const int wanted = reading ? CURL_POLL_IN : CURL_POLL_OUT;
        if ((socket->want & wanted) == 0) return;
        self->Act(socket->number, reading ? CURL_CSELECT_IN : CURL_CSELECT_OUT);
        self->Arm(socket);  // libcurl only tells changes
      });
}

int Multi::OnTimer(CURLM* /*multi*/, long timeout_ms, void* self) {
  static_cast<Multi*>(self)->SetTimer(timeout_ms);
  return 0;
}

// libcurl asks again with most frames of HTTP/2, often for "now". The system's timer is set only
// when it would end too late; one that ends too early is harmless.
void Multi::SetTimer(long timeout_ms) {
  due_ = timeout_ms < 0 ? kNever : SystemClock().Steady() + std::chrono::milliseconds(timeout_ms);
  if (timeout_ms == 0) {  // through the loop: libcurl must not be entered from its own callback
    boost::asio::post(context_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->ActWhenDue();
    });
  } else if (due_ < armed_) {
    ArmTimer();
  }
}

void Multi::ArmTimer() {
  armed_ = due_;
  timer_.expires_at(due_);
  timer_.async_wait([weak = weak_from_this()](const auto& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->armed_ = kNever;
    if (!self->ActWhenDue() && self->due_ != kNever) self->ArmTimer();
  });
}

bool Multi::ActWhenDue() {
  if (due_ > SystemClock().Steady()) return false;
  due_ = kNever;  // libcurl says when next, even if it finds that this was too early
  Act(CURL_SOCKET_TIMEOUT, 0);
  return true;
}

void Multi::Act(curl_socket_t socket, int events) {
  if (multi_ == nullptr) return;
  int running = 0;
  curl_multi_socket_action(multi_, socket, events, &running);
  std::vector<std::pair<CURL*, CURLcode>> done;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg == CURLMSG_DONE) {
      done.emplace_back(message->easy_handle, message->data.result);
    }
  }
  for (const auto& [easy, code] : done) curl_multi_remove_handle(multi_, easy);
  for (const auto& [easy, code] : done) {
    if (multi_ == nullptr) return;  // the one before has closed us, and the handles are gone
    on_done_(easy, code);
  }
}

}  // namespace fedra::http
