#include "cel/lib/url.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "cel/lib/network.h"
#include "cel/library.h"

namespace fedra::cel {
namespace {

bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Where a text stands decides what it may hold (net/url's encoding modes).
enum class Place { kPath, kHost, kUser, kQuery };

bool NeedsEscape(char c, Place part) {
  if (IsAlphanumeric(c) || IsOneOf(c, "-_.~")) return false;
  if (part == Place::kHost) return !IsOneOf(c, "!$&'()*+,;=:[]<>\"");
  if (part == Place::kPath) return !IsOneOf(c, "$&+,/:;=@");
  return true;
}

std::optional<std::string> Unescaped(std::string_view text, Place part) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = HexValue(text[i + 1]);
      const int low = HexValue(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      if (part == Place::kHost && high < 8 && text.substr(i, 3) != "%25") return std::nullopt;
      result += static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && part == Place::kQuery) {
      result += ' ';
    } else {
      if (part == Place::kHost && static_cast<unsigned char>(c) < 0x80 && NeedsEscape(c, part))
        return std::nullopt;
      result += c;
    }
  }
  return result;
}

std::string Escaped(std::string_view text, Place part) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (!NeedsEscape(c, part)) {
      result += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    result += '%';
    result += kHex[byte >> 4];
    result += kHex[byte & 15];
  }
  return result;
}

std::pair<std::string_view, std::string_view> Cut(std::string_view text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

bool IsOptionalPort(std::string_view port) {
  return port.empty() || (port[0] == ':' && std::all_of(port.begin() + 1, port.end(), IsDigit));
}

class UrlParser final {
 public:
  explicit UrlParser(std::string_view text) : text_(text) {}

  // `request`: ParseRequestURI, which wants an absolute URL or path and knows no fragment.
  Result<UrlParts> Parse(bool request) {
    for (const char c : text_) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
        return Bad("net/url: invalid control character in URL");
    }
    if (text_.empty()) return Bad("empty url");
    std::string_view rest = text_;
    std::string_view fragment;
    if (!request) std::tie(rest, fragment) = Cut(rest, '#');
    if (rest == "*") return WithPath("*", "");
    if (!TakeScheme(rest)) return Bad("missing protocol scheme");
    std::string_view query;
    const bool bare_question_mark = !rest.empty() && rest.find('?') == rest.size() - 1;
    std::tie(rest, query) = Cut(rest, '?');
    if (rest.substr(0, 1) != "/") {
      if (url_.scheme.empty()) return Bad("invalid URI for request");
      url_.text = url_.scheme + ":" + std::string(rest);
    } else {
      auto parsed = Hierarchical(rest);
      if (!parsed) return Fail(parsed.error());
    }
    if (bare_question_mark || !query.empty()) url_.text += "?" + std::string(query);
    if (!fragment.empty()) url_.text += "#" + std::string(fragment);
    ParseQuery(query);
    return std::move(url_);
  }

 private:
  static tl::unexpected<Error> Bad(std::string message) {
    return Fail(ErrorCode::kInvalidArgument, std::move(message));
  }

  Result<UrlParts> WithPath(std::string_view path, std::string_view prefix) {
    url_.escaped_path = path;
    url_.text = std::string(prefix) + std::string(path);
    return std::move(url_);
  }

  // False if the text begins with a colon.
  bool TakeScheme(std::string_view& rest) {
    for (size_t i = 0; i < rest.size(); ++i) {
      const char c = rest[i];
      if (IsLetter(c)) continue;
      if (IsDigit(c) || IsOneOf(c, "+-.")) {
        if (i == 0) return true;
        continue;
      }
      if (c != ':') return true;
      if (i == 0) return false;
      url_.scheme = rest.substr(0, i);
      for (char& letter : url_.scheme) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
      }
      rest.remove_prefix(i + 1);
      return true;
    }
    return true;
  }

  Result<bool> Hierarchical(std::string_view rest) {
    std::string prefix = url_.scheme.empty() ? "" : url_.scheme + ":";
    if (!url_.scheme.empty() && rest.substr(0, 2) == "//") {
      rest.remove_prefix(2);
      const size_t slash = std::min(rest.find('/'), rest.size());
      FEDRA_ASSIGN_OR_RETURN(const std::string authority, Authority(rest.substr(0, slash)));
      prefix += "//" + authority;
      rest.remove_prefix(slash);
    }
    const auto path = Unescaped(rest, Place::kPath);
    if (!path) return Bad("invalid URL escape");
    const bool valid = std::all_of(rest.begin(), rest.end(), [](char c) {
      return IsOneOf(c, "!$&'()*+,;=:@[]%") || !NeedsEscape(c, Place::kPath);
    });
    url_.escaped_path = valid ? std::string(rest) : Escaped(*path, Place::kPath);
    url_.text = prefix + url_.escaped_path;
    return true;
  }

  // Checks and returns "user@host:port".
  Result<std::string> Authority(std::string_view authority) {
    const size_t at = authority.rfind('@');
    std::string user;
    if (at != std::string_view::npos) {
      user = std::string(authority.substr(0, at));
      const bool valid = std::all_of(user.begin(), user.end(), [](char c) {
        return IsAlphanumeric(c) || IsOneOf(c, "-._:~!$&'()*+,;=%@");
      });
      if (!valid || !Unescaped(user, Place::kUser)) return Bad("net/url: invalid userinfo");
      user += "@";
      authority.remove_prefix(at + 1);
    }
    FEDRA_ASSIGN_OR_RETURN(url_.host, Host(authority));
    SplitHost();
    return user + Escaped(url_.host, Place::kHost);
  }

  Result<std::string> Host(std::string_view host) {
    const size_t bracket = host.rfind('[');
    if (bracket != std::string_view::npos) return BracketedHost(host, bracket);
    size_t colon = host.find(':');
    // http allows one colon only; for other schemes the last one starts the port (Go 1.26).
    if (url_.scheme != "http" && url_.scheme != "https") colon = host.rfind(':');
    if (colon != std::string_view::npos && !IsOptionalPort(host.substr(colon))) {
      return Bad("invalid port \"" + std::string(host.substr(colon)) + "\" after host");
    }
    const auto unescaped = Unescaped(host, Place::kHost);
    if (!unescaped) return Bad("invalid character in host name");
    return *unescaped;
  }

  Result<std::string> BracketedHost(std::string_view host, size_t bracket) {
    if (bracket != 0) return Bad("invalid IP-literal");
    const size_t close = host.rfind(']');
    if (close == std::string_view::npos) return Bad("missing ']' in host");
    const std::string_view port = host.substr(close + 1);
    if (!IsOptionalPort(port)) return Bad("invalid port \"" + std::string(port) + "\" after host");
    const std::string_view inside = host.substr(1, close - 1);
    const size_t zone = inside.find("%25");
    const auto unescaped =
        Unescaped(inside, zone == std::string_view::npos ? Place::kHost : Place::kUser);
    if (!unescaped) return Bad("invalid host");
    const std::string address = unescaped->substr(0, unescaped->find('%'));
    // Only the shape is tested, as by Go: IPv4-mapped addresses are fine here.
    if (!IsIpv6(address)) return Bad("invalid host");
    return "[" + *unescaped + "]" + std::string(port);
  }

  void SplitHost() {
    std::string_view host = url_.host;
    const size_t colon = host.rfind(':');
    if (colon != std::string_view::npos && IsOptionalPort(host.substr(colon))) {
      url_.port = host.substr(colon + 1);
      host = host.substr(0, colon);
    }
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']')
      host = host.substr(1, host.size() - 2);
    url_.hostname = host;
  }

  // Pairs that do not decode are left out, as in Go.
  void ParseQuery(std::string_view query) {
    while (!query.empty()) {
      std::string_view pair;
      std::tie(pair, query) = Cut(query, '&');
      if (pair.empty() || pair.find(';') != std::string_view::npos) continue;
      const auto [name, value] = Cut(pair, '=');
      const auto key = Unescaped(name, Place::kQuery);
      const auto decoded = Unescaped(value, Place::kQuery);
      if (!key || !decoded) continue;
      const auto known = std::find_if(url_.query.begin(), url_.query.end(),
                                      [&](const auto& entry) { return entry.first == *key; });
      if (known == url_.query.end()) {
        url_.query.push_back({*key, {*decoded}});
      } else {
        known->second.push_back(*decoded);
      }
    }
  }

  const std::string_view text_;
  UrlParts url_;
};

Value UrlFromText(Evaluation& evaluation, const Value* args) {
  auto url = ParseUrl(args[0].AsText());
  if (!url)
    return evaluation.Error("URL parse error during conversion from string: " +
                            url.error().message);
  const auto* copy = evaluation.arena().New<UrlParts>(std::move(*url));
  return copy == nullptr ? evaluation.OutOfMemory() : Value::Url(copy);
}

Value IsUrl(Evaluation&, const Value* args) {
  return Value::Bool(ParseUrl(args[0].AsText()).has_value());
}

template <std::string UrlParts::* Field>
Value Part(Evaluation& evaluation, const Value* args) {
  return evaluation.String(args[0].AsUrl().*Field);
}

Value Query(Evaluation& evaluation, const Value* args) {
  MapBuilder map(evaluation);
  for (const auto& [key, values] : args[0].AsUrl().query) {
    ListBuilder list(evaluation);
    for (const std::string& value : values) list.Add(evaluation.String(value));
    map.Put(evaluation.String(key), list.Finish(), MapBuilder::Mode::kReplace);
  }
  return map.Finish();
}

constexpr Type kQueryType{TypeKind::kMap, "map", &kStringType, &kListOfString};

constexpr Overload kUrlOverloads[] = {
    Global("url", "string_to_url", {&kStringType}, kUrlType, UrlFromText, Price::kTraverse),
    Global("isURL", "is_url_string", {&kStringType}, kBoolType, IsUrl),
    Member("getScheme", "url_get_scheme", {&kUrlType}, kStringType, Part<&UrlParts::scheme>),
    Member("getHost", "url_get_host", {&kUrlType}, kStringType, Part<&UrlParts::host>),
    Member("getHostname", "url_get_hostname", {&kUrlType}, kStringType, Part<&UrlParts::hostname>),
    Member("getPort", "url_get_port", {&kUrlType}, kStringType, Part<&UrlParts::port>),
    Member("getEscapedPath", "url_get_escaped_path", {&kUrlType}, kStringType,
           Part<&UrlParts::escaped_path>),
    Member("getQuery", "url_get_query", {&kUrlType}, kQueryType, Query),
};

}  // namespace

Result<UrlParts> ParseUrl(std::string_view text) {
  const auto request = UrlParser(text).Parse(true);
  if (!request) return Fail(request.error());
  return UrlParser(text).Parse(false);
}

std::span<const Overload> UrlLibrary() { return kUrlOverloads; }

}  // namespace fedra::cel
