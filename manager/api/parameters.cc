#include "manager/api/parameters.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.h"
#include "base/text.h"
#include "config/names.h"

namespace fedra::api {
namespace {

// Of values that are quoted in a message.
constexpr size_t kMostQuoted = 80;
// Far more than any terminal, or any store, has.
constexpr size_t kMostNumber = 1'000'000'000;

// nullopt: a "%" that two hexadecimal digits do not follow, or a zero byte.
std::optional<std::string> Decoded(std::string_view text, bool is_query) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && is_query) c = ' ';
    if (text[i] == '%') {
      if (i + 2 >= text.size() || !IsHexDigit(text[i + 1]) || !IsHexDigit(text[i + 2]))
        return std::nullopt;
      c = static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
      i += 2;
    }
    if (c == '\0') return std::nullopt;
    plain += c;
  }
  return plain;
}

std::string Encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (IsAlphanumeric(c) || std::string_view("-._~/,").find(c) != std::string_view::npos)
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

tl::unexpected<Error> Wrong(std::string_view name, const std::string& what) {
  return Fail(WrongOption(name, what));
}

std::string Quoted(std::string_view text) { return "\"" + Cut(text, kMostQuoted) + "\""; }

std::optional<size_t> NumberIn(std::string_view text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > kMostNumber)
    return std::nullopt;
  return number;
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

// A variable that is not set in a script must not choose everything. An empty `continue` is the
// first page, as in lists of Kubernetes.
bool IsLeftEmpty(const Parameter& parameter, const std::string& value) {
  const bool chooses = parameter.form == ParameterForm::kText
                           ? parameter.name != "continue"
                           : parameter.form == ParameterForm::kList;
  return value.empty() && chooses && !parameter.is_required;
}

Result<void> CheckValue(const Parameter& parameter, const std::string& value) {
  if (IsLeftEmpty(parameter, value))
    return Wrong(parameter.name, "is empty: give it a value, or leave it out");
  switch (parameter.form) {
    case ParameterForm::kNumber:
      if (NumberIn(value)) return {};
      return Wrong(parameter.name,
                   fmt::format("{} is not a number from 0 to {}", Quoted(value), kMostNumber));
    case ParameterForm::kFlag:
      if (value.empty() || value == "true" || value == "false") return {};
      return Wrong(parameter.name, Quoted(value) + " is neither true nor false");
    case ParameterForm::kChoice:
      if (std::ranges::find(parameter.choices, value) != parameter.choices.end()) return {};
      return Wrong(parameter.name, fmt::format("{} is not one of {}", Quoted(value),
                                               fmt::join(parameter.choices, ", ")));
    case ParameterForm::kList:
      for (const std::string& part : SplitAtCommas(value)) {
        if (!parameter.choices.empty() && !Contains(parameter.choices, part))
          return Wrong(parameter.name, fmt::format("{} is not one of {}", Quoted(part),
                                                   fmt::join(parameter.choices, ", ")));
      }
      return {};
    case ParameterForm::kText:
      break;
  }
  return {};
}

std::string NoSuchParameter(const Route& route, const std::string& name) {
  std::vector<std::string> known;
  for (const Parameter& each : route.parameters) known.emplace_back(each.name);
  if (IsPrinted(route))
    for (const Parameter& each : CommonParameters()) known.emplace_back(each.name);
  const std::string closest = config::ClosestName(name, known);
  return fmt::format("{} has no such parameter; {}", route.path,
                     closest.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                     : fmt::format("did you mean {}?", closest));
}

}  // namespace

Result<std::string> PathOf(std::string_view target) {
  const auto path = Decoded(target.substr(0, target.find('?')), /*is_query=*/false);
  if (!path) return Fail(ErrorCode::kInvalidArgument, "the path is not well encoded");
  return *path;
}

bool IsOpenApi(std::string_view target) {
  const Result<std::string> path = PathOf(target);
  return path && path->starts_with(kPrefix) &&
         std::string_view(*path).substr(kPrefix.size()) == kOpenApiPath;
}

Result<const Route*> RouteOf(std::string_view target) {
  FEDRA_ASSIGN_OR_RETURN(const std::string path, PathOf(target));
  const Route* const route = path.starts_with(kPrefix)
                                 ? FindRoute(std::string_view(path).substr(kPrefix.size()))
                                 : nullptr;
  if (route == nullptr)
    return Fail(ErrorCode::kNotFound,
                fmt::format("there is no such page; below {} there are {}", kPrefix, PathsText()));
  return route;
}

std::string_view EndpointOf(std::string_view target) {
  if (IsOpenApi(target)) return kOpenApiPath;
  const Result<const Route*> route = RouteOf(target);
  return route ? (*route)->path : "other";
}

bool IsForPost(const httpd::Request& request) {
  const Result<const Route*> route = RouteOf(request.target);
  return route && IsPosted(**route);
}

Result<Parameters> Parameters::Parse(const Route& route, std::string_view target) {
  Parameters parameters;
  const size_t mark = target.find('?');
  std::string_view rest = mark == target.npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    if (part.empty()) continue;
    const size_t equals = std::min(part.find('='), part.size());
    const auto name = Decoded(part.substr(0, equals), /*is_query=*/true);
    const auto value = Decoded(part.substr(std::min(equals + 1, part.size())), /*is_query=*/true);
    if (!name || !value)
      return Fail(ErrorCode::kInvalidArgument, Quoted(part) + " is not well encoded");
    const Parameter* const known = FindParameter(route, *name);
    if (known == nullptr) return Wrong(Cut(*name, kMostQuoted), NoSuchParameter(route, *name));
    FEDRA_RETURN_IF_ERROR(CheckValue(*known, *value));
    std::vector<std::string>& values = parameters.values_[*name];
    if (known->form == ParameterForm::kList) {
      std::ranges::move(SplitAtCommas(*value), std::back_inserter(values));
    } else if (!values.empty()) {
      return Wrong(*name, "is there twice");
    } else {
      values.push_back(*value);
    }
  }
  for (const Parameter& parameter : route.parameters) {
    if (parameter.is_required && parameters.Text(parameter.name).empty())
      return Wrong(parameter.name, "is missing: " + std::string(parameter.meaning));
    if (parameter.most > 0 && parameters.List(parameter.name).size() > parameter.most)
      return Wrong(parameter.name, fmt::format("at most {} at once", parameter.most));
  }
  return parameters;
}

std::string Parameters::Text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.empty() ? std::string() : found->second.front();
}

std::vector<std::string> Parameters::List(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

size_t Parameters::Number(std::string_view name) const { return NumberIn(Text(name)).value_or(0); }

bool Parameters::Flag(std::string_view name, bool if_missing) const {
  return values_.contains(name) ? Text(name) != "false" : if_missing;
}

std::string QueryOf(const std::vector<std::pair<std::string, std::string>>& values) {
  std::string query;
  for (const auto& [name, value] : values) {
    if (value.empty()) continue;
    query += fmt::format("{}{}={}", query.empty() ? '?' : '&', name, Encoded(value));
  }
  return query;
}

}  // namespace fedra::api
