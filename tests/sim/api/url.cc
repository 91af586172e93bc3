#include "tests/sim/api/url.h"

#include <charconv>

namespace fedra::sim {
namespace {

std::string Decode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    int byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ec == std::errc()) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

template <class F>
void Split(std::string_view text, char separator, const F& each) {
  while (!text.empty()) {
    const size_t end = text.find(separator);
    each(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string Url::Query(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

bool Url::Flag(const std::string& name) const {
  const std::string value = Query(name);
  return value == "true" || value == "1" || value == "t" || value == "True";
}

Url ParseUrl(std::string_view target) {
  Url url;
  const size_t question = target.find('?');
  const std::string_view path = target.substr(0, question);
  url.path = Decode(path, false);
  Split(path, '/', [&url](std::string_view segment) {
    if (!segment.empty()) url.segments.push_back(Decode(segment, false));
  });
  if (question == std::string_view::npos) return url;
  Split(target.substr(question + 1), '&', [&url](std::string_view parameter) {
    const size_t equals = parameter.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? "" : parameter.substr(equals + 1);
    url.query.emplace(Decode(parameter.substr(0, equals), true), Decode(value, true));
  });
  return url;
}

std::optional<ResourcePath> ParseResourcePath(const Url& url) {
  const auto& segments = url.segments;
  const bool core = !segments.empty() && segments[0] == "api";
  const bool grouped = !segments.empty() && segments[0] == "apis";
  size_t at = core ? 2 : 3;
  if ((!core && !grouped) || segments.size() <= at) return std::nullopt;
  ResourcePath path;
  if (grouped) path.group = segments[1];
  path.version = segments[at - 1];
  // "namespaces" leads to another resource unless it is the resource itself.
  const bool inside = segments[at] == "namespaces" && segments.size() > at + 2 &&
                      segments[at + 2] != "status" && segments[at + 2] != "finalize";
  if (inside) {
    path.ns = segments[at + 1];
    at += 2;
  }
  path.plural = segments[at];
  if (segments.size() > at + 1) path.name = segments[at + 1];
  if (segments.size() > at + 2) path.subresource = segments[at + 2];
  if (segments.size() > at + 3) return std::nullopt;
  return path;
}

}  // namespace fedra::sim
