#pragma once
//
// Requests of the Kubernetes API, without the wire: URL to verb, access, content types, answers.
//
// Thread rules: any thread; takes the store's lock itself.

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "tests/sim/api/conversion.h"
#include "tests/sim/api/listing.h"
#include "tests/sim/core.h"

namespace fedra::sim {

struct ApiRequest {
  std::string method;
  std::string target;  // path and query
  std::string content_type;
  std::string user_agent;  // its first word is the default field manager
  std::string body;
  std::shared_ptr<const User> user;  // null pointer: anonymous
};

// A watch that was accepted: the connection reads from it until it ends.
struct WatchPlan {
  View view;
  Filter filter;
  std::string version;
  bool bookmarks = false;
  bool initial_events_end = false;  // sendInitialEvents: a bookmark marks the end of what existed
  std::optional<std::chrono::seconds> timeout;
};

struct ApiReply {
  int code = 200;
  std::string content_type = "application/json";
  std::string body;
  int retry_after_seconds = -1;
  std::string location;  // header; empty: none
  std::optional<WatchPlan> watch;
};

ApiReply Handle(Core& core, const ApiRequest& request);
ApiReply ToReply(const Failure& failure);

// One line of a watch: {"type":...,"object":...}.
std::string WatchLine(const View& view, const WatchEvent& event);
std::string BookmarkLine(const View& view, uint64_t version, bool initial_events_end);
std::string ErrorLine(const Failure& failure);

}  // namespace fedra::sim
