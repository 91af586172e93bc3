#include "base/field_path.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"

namespace fedra {
namespace {

using Step = FieldPath::Step;

tl::unexpected<Error> Wrong(std::string_view text, size_t at, std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" is no path: {} at character {}", text, what, at + 1));
}

// What is between brackets: "*" or "key=text".
Result<Step> ReadSelection(std::string_view text, size_t at, std::string_view inside) {
  if (inside == "*") return Step{Step::Kind::kEach, {}, {}};
  const size_t equals = inside.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == inside.size())
    return Wrong(text, at, "[*] or [key=text] is expected");
  return Step{Step::Kind::kWhere, std::string(inside.substr(0, equals)),
              std::string(inside.substr(equals + 1))};
}

}  // namespace

Result<FieldPath> FieldPath::Parse(std::string_view text) {
  FieldPath path;
  path.text_ = text;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '[') {
      const size_t close = text.find(']', at);
      if (close == std::string_view::npos) return Wrong(text, at, "a bracket is not closed");
      FEDRA_ASSIGN_OR_RETURN(Step step,
                             ReadSelection(text, at, text.substr(at + 1, close - at - 1)));
      path.steps_.push_back(std::move(step));
      at = close + 1;
      continue;
    }
    if (at > 0 && text[at] != '.') return Wrong(text, at, "a dot is expected");
    if (at > 0) ++at;
    const size_t end = std::min(text.find_first_of(".[]", at), text.size());
    if (end == at) return Wrong(text, at, "a field is expected");
    path.steps_.push_back({Step::Kind::kMember, std::string(text.substr(at, end - at)), {}});
    at = end;
  }
  return path;
}

FieldPath::FieldPath(const char* text) {
  auto path = Parse(text);
  FEDRA_ASSERT(path.has_value(), "a path of our own table can be read");
  *this = *std::move(path);
}

bool FieldPath::IsPlain() const {
  return !steps_.empty() && std::all_of(steps_.begin(), steps_.end(), [](const Step& step) {
    return step.kind == Step::Kind::kMember;
  });
}

}  // namespace fedra
