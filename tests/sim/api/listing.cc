#include "tests/sim/api/listing.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

namespace fedra::sim {
namespace {

constexpr const char* kContinueExpired =
    "The provided continue parameter is too old to display a consistent list result. You can "
    "start a new list without the continue parameter, or use the continue token in this response "
    "to retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list.";

bool ParseVersion(std::string_view text, uint64_t& version) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), version);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

Failure TooOld(uint64_t asked, uint64_t oldest) {
  return Expired(fmt::format("too old resource version: {} ({})", asked, oldest));
}

Failure InvalidVersion(std::string_view text) {
  return InternalError(fmt::format(
      "resourceVersion: Invalid value: \"{}\": strconv.ParseUint: parsing \"{}\": invalid syntax",
      text, text));
}

Failure TooLarge(uint64_t asked, uint64_t current) {
  Failure failure{.code = 504,
                  .reason = "Timeout",
                  .message = fmt::format("Timeout: Too large resource version: {}, current: {}",
                                         asked, current)};
  failure.details = {
      {"causes",
       {{{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}}}}};
  failure.retry_after_seconds = 1;
  return failure;
}

// Where the next page begins: the version of the whole list and the last key of the page before.
struct Token {
  uint64_t version = 0;
  ObjectKey last;
};

std::string Encode(const Token& token) {
  const std::string text = fmt::format("{}\n{}\n{}", token.version, token.last.ns, token.last.name);
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

bool Decode(std::string_view hex, Token& token) {
  std::string text;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    int byte = 0;
    if (std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16).ec != std::errc())
      return false;
    text += static_cast<char>(byte);
  }
  const size_t first = text.find('\n');
  const size_t second = text.find('\n', first == std::string::npos ? first : first + 1);
  if (second == std::string::npos) return false;
  token.last = {text.substr(first + 1, second - first - 1), text.substr(second + 1)};
  return ParseVersion(std::string_view(text).substr(0, first), token.version);
}

// What differs between the objects now and as they were at `version`: the text and labels then, or
// null.
struct Past {
  Text text;
  std::shared_ptr<const Labels> labels;
};
std::map<ObjectKey, Past> Undo(const Store& store, const ResourceType& type, uint64_t version) {
  std::map<ObjectKey, Past> past;
  const auto end = store.Events(type).end();
  for (auto event = store.After(type, version); event != end; ++event) {
    past.try_emplace(event->key, Past{event->before, event->labels_before});
  }
  return past;
}

// The objects as of a version, in order of their keys.
std::vector<std::pair<ObjectKey, Text>> Select(const Store& store, const Filter& filter,
                                               uint64_t version, const ObjectKey& after,
                                               size_t limit) {
  auto past = Undo(store, *filter.type, version);
  std::vector<std::pair<ObjectKey, Text>> selected;
  const auto add = [&](const ObjectKey& key, const Text& text, const Labels& labels) {
    if (filter.Matches(key, labels)) selected.emplace_back(key, text);
  };
  auto old = past.upper_bound(after);
  const auto add_past = [&](const ObjectKey* before) {
    for (; old != past.end() && (before == nullptr || old->first < *before); ++old) {
      if (old->second.text != nullptr) add(old->first, old->second.text, *old->second.labels);
    }
  };
  const auto& objects = store.All(*filter.type);
  for (auto now = objects.upper_bound(after); now != objects.end(); ++now) {
    if (limit > 0 && selected.size() > limit) return selected;
    add_past(&now->first);
    if (old != past.end() && old->first == now->first) continue;
    add(now->first, now->second.text, *now->second.labels);
  }
  add_past(nullptr);
  return selected;
}

std::string Render(const ResourceType& type, uint64_t version,
                   std::vector<std::pair<ObjectKey, Text>>& selected, size_t limit) {
  Json metadata = {{"resourceVersion", std::to_string(version)}};
  if (limit > 0 && selected.size() > limit) {
    selected.resize(limit);
    metadata["continue"] = Encode({version, selected.back().first});
  }
  std::string body = fmt::format(R"({{"kind":"{}List","apiVersion":"{}","metadata":{},"items":[)",
                                 type.kind, type.ApiVersion(), Serialize(metadata));
  size_t size = body.size() + 2;
  for (const auto& [key, text] : selected) size += text->size() + 1;
  body.reserve(size);
  for (size_t i = 0; i < selected.size(); ++i) {
    if (i > 0) body += ',';
    body += *selected[i].second;
  }
  return body + "]}";
}

}  // namespace

bool Filter::Matches(const ObjectKey& key, const Labels& object_labels) const {
  return (ns.empty() || key.ns == ns) && labels.Matches(object_labels) &&
         fields.Matches(key.ns, key.name);
}

Outcome<std::string> List(const Store& store, const ListRequest& request) {
  const ResourceType& type = *request.filter.type;
  Token token{store.version(), {}};
  if (!request.continue_token.empty()) {
    if (!Decode(request.continue_token, token)) {
      return Refuse(BadRequest("invalid continue token: continue key is not valid"));
    }
    if (request.expire_continue || !store.Remembers(type, token.version)) {
      Failure failure = Expired(kContinueExpired);
      failure.metadata = {{"continue", Encode({store.version(), token.last})}};
      return Refuse(std::move(failure));
    }
  } else if (!request.version.empty() && request.version != "0") {
    uint64_t asked = 0;
    if (!ParseVersion(request.version, asked)) return Refuse(InvalidVersion(request.version));
    if (asked > store.version()) return Refuse(TooLarge(asked, store.version()));
    if (request.exact) {
      if (!store.Remembers(type, asked)) {
        return Refuse(
            Expired(fmt::format("The resourceVersion for the provided list is too old.")));
      }
      token.version = asked;
    }
  }
  auto selected = Select(store, request.filter, token.version, token.last, request.limit);
  return Render(type, token.version, selected, request.limit);
}

std::optional<EventType> SeenAs(const Event& event, const Filter& filter) {
  const bool before =
      event.labels_before != nullptr && filter.Matches(event.key, *event.labels_before);
  const bool after =
      event.type != EventType::kDeleted && filter.Matches(event.key, *event.labels_after);
  if (before && after) return EventType::kModified;
  if (after) return EventType::kAdded;
  if (before) return EventType::kDeleted;
  return std::nullopt;
}

Outcome<WatchCursor> WatchCursor::Open(const Store& store, Filter filter,
                                       std::string_view version) {
  WatchCursor cursor(std::move(filter));
  const ResourceType& type = *cursor.filter_.type;
  if (version.empty() || version == "0") {
    cursor.version_ = store.version();
    for (const auto& [key, object] : store.All(type)) {
      if (!cursor.filter_.Matches(key, *object.labels)) continue;
      cursor.initial_.push_back({EventType::kAdded, object.text, object.version});
    }
    return cursor;
  }
  if (!ParseVersion(version, cursor.version_)) return Refuse(InvalidVersion(version));
  if (!store.Remembers(type, cursor.version_)) {
    return Refuse(TooOld(cursor.version_, store.version()));
  }
  return cursor;
}

Outcome<std::vector<WatchEvent>> WatchCursor::Read(const Store& store, size_t limit) {
  std::vector<WatchEvent> events;
  for (; next_initial_ < initial_.size() && events.size() < limit; ++next_initial_) {
    events.push_back(std::move(initial_[next_initial_]));
  }
  if (next_initial_ < initial_.size()) return events;
  initial_.clear();
  next_initial_ = 0;
  const ResourceType& type = *filter_.type;
  if (!store.Remembers(type, version_)) return Refuse(TooOld(version_, store.version()));
  if (ahead(store)) return events;
  const auto end = store.Events(type).end();
  for (auto event = store.After(type, version_); event != end; ++event) {
    if (events.size() >= limit) return events;
    version_ = event->version;
    const auto seen = SeenAs(*event, filter_);
    if (seen) events.push_back({*seen, event->after, event->version});
  }
  version_ = store.version();
  return events;
}

}  // namespace fedra::sim
