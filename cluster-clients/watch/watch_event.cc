#include "cluster-clients/watch/watch_event.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "cluster-clients/kube/json_text.h"

namespace fedra::watch {
namespace {

struct TypeName {
  std::string_view name;
  EventType type;
};
constexpr std::array kTypes = {
    TypeName{"ADDED", EventType::kAdded}, TypeName{"MODIFIED", EventType::kModified},
    TypeName{"DELETED", EventType::kDeleted}, TypeName{"BOOKMARK", EventType::kBookmark},
    TypeName{"ERROR", EventType::kError}};

std::optional<EventType> TypeOf(std::string_view name) {
  for (const TypeName& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

Result<void> LineSplitter::Feed(std::string_view chunk,
                                const std::function<bool(std::string_view)>& on_line) {
  while (!chunk.empty()) {
    const size_t end = chunk.find('\n');
    const std::string_view piece = chunk.substr(0, end);
    if (begun_.size() + piece.size() > max_line_bytes_) {
      return Fail(ErrorCode::kTooLarge,
                  fmt::format("a watch event is larger than {} bytes", max_line_bytes_));
    }
    if (end == std::string_view::npos) {
      begun_.append(piece);
      return {};
    }
    chunk.remove_prefix(end + 1);
    std::string_view line = piece;
    if (!begun_.empty()) line = begun_.append(piece);
    const bool go_on = IsBlank(line) || on_line(line);
    begun_.clear();
    if (!go_on) return {};
  }
  return {};
}

Result<WatchEvent> ReadWatchEvent(std::string_view line) {
  const auto members = kube::ReadMembers(line, {"type", "object"});
  if (!members) return Fail(ErrorCode::kBadResponse, "a watch event is not a JSON object");
  const auto type = TypeOf(kube::Unquote((*members)[0]).value_or(""));
  const std::string_view object = (*members)[1];
  if (!type || !object.starts_with('{'))
    return Fail(ErrorCode::kBadResponse, "a watch event has no known type or no object");
  WatchEvent event{*type, object, {}};
  if (*type == EventType::kError) return event;
  if (const auto metadata = kube::FindMember(object, "metadata")) {
    event.version = ResourceVersion(kube::FindString(*metadata, "resourceVersion").value_or(""));
  }
  return event;
}

}  // namespace fedra::watch
