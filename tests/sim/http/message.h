#pragma once
//
// A request and the parts of its answer, as both versions of HTTP know them.
//
// Thread rules: plain values.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fedra::sim {

// Of a request's body, in bytes; what is longer is refused (k8s.io/apiserver pkg/server/config.go,
// MaxRequestBodyBytes).
constexpr size_t kMaxBody = 3u << 20;

struct HttpRequest {
  std::string method;
  std::string target;  // path and query
  std::string content_type;
  std::string user_agent;
  std::string authorization;  // the whole header; empty: none
  std::string body;
  bool too_large = false;  // the body was longer than kMaxBody and is not in `body`
};

struct AnswerHead {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> fields;  // named as HTTP/1.1 writes them
  // Of the body in bytes; nothing: it goes on until it ends.
  std::optional<size_t> length;
};

struct AnswerPart {
  enum class Kind {
    kNothing,  // yet
    kHead,
    kFields,  // some of a head that never ends: no real server sends it
    kBody,
    kCut,  // the connection is to end here
  };

  Kind kind = Kind::kNothing;
  AnswerHead head;    // of kHead; of kFields only its fields
  std::string body;   // of kBody
  bool last = false;  // the answer is complete with it
};

}  // namespace fedra::sim
