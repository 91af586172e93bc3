#pragma once
//
// The body of a watch: one JSON document per line, each an event.

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace fedra::watch {

// Cuts a stream that arrives in pieces into lines. Empty lines are left out.
// Errors: kTooLarge for a line above the bound; nothing more may be fed then.
class LineSplitter final {
 public:
  explicit LineSplitter(size_t max_line_bytes = 16u << 20) : max_line_bytes_(max_line_bytes) {}

  // `on_line` returns false to stop; the rest of the chunk is then dropped.
  Result<void> Feed(std::string_view chunk,
                    const std::function<bool(std::string_view line)>& on_line);

 private:
  const size_t max_line_bytes_;
  std::string begun_;  // a line whose end has not arrived
};

enum class EventType { kAdded, kModified, kDeleted, kBookmark, kError };

struct WatchEvent {
  EventType type = EventType::kError;
  std::string_view object;  // points into the line; a Status for kError
  ResourceVersion version;  // of the object; empty for kError
};

// kBadResponse when the line is no event.
Result<WatchEvent> ReadWatchEvent(std::string_view line);

}  // namespace fedra::watch
