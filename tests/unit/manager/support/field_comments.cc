#include "tests/unit/manager/support/field_comments.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fedra::testing {
namespace {

void Append(std::string& text, std::string_view more) {
  if (!text.empty() && !more.empty()) text += ' ';
  text += more;
}

// What follows the "//" of a line; nullopt: nothing does.
std::optional<std::string_view> CommentOf(std::string_view line) {
  const size_t at = line.find("//");
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + 2);
  return line.starts_with(' ') ? line.substr(1) : line;
}

// "size_t all = 0;": all. Empty: the line declares no field.
std::string_view FieldOf(std::string_view code) {
  if (code.find(';') == std::string_view::npos || code.find('(') != std::string_view::npos)
    return {};
  code = code.substr(0, code.find_first_of("=;"));
  code = code.substr(0, code.find_last_not_of(" {}") + 1);
  const size_t space = code.rfind(' ');
  return space == std::string_view::npos ? std::string_view() : code.substr(space + 1);
}

class Reader final {
 public:
  void Line(std::string_view line) {
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view code = line.substr(begin, line.find("//") - begin);
    const auto comment = CommentOf(line);
    if (code.empty() && comment) {
      // A comment behind a field goes on below itself.
      Append(begin == column_ ? result_.fields[last_] : above_, *comment);
      return;
    }
    column_ = std::string_view::npos;
    if (code.ends_with('{')) {
      Open(code);
    } else if (code.starts_with("};") && !open_.empty()) {
      open_.pop_back();
    } else if (const std::string_view field = FieldOf(code); !open_.empty() && !field.empty()) {
      last_ = {Place(), std::string(field)};
      std::string& text = result_.fields[last_];
      Append(text, above_);
      if (comment) {
        Append(text, *comment);
        column_ = line.find("//");
      }
    }
    above_.clear();
  }

  FieldComments Take() { return std::move(result_); }

 private:
  // "struct Quota {", "enum class Cause {"
  void Open(std::string_view code) {
    for (const std::string_view kind : {"struct ", "enum class "}) {
      if (!code.starts_with(kind)) continue;
      code.remove_prefix(kind.size());
      open_.emplace_back(code.substr(0, code.find(' ')));
      result_.structs[Place()] = above_;
    }
  }
  std::string Place() const { return fmt::format("{}", fmt::join(open_, "::")); }

  FieldComments result_;
  std::vector<std::string> open_;
  std::string above_;
  std::pair<std::string, std::string> last_;
  size_t column_ = std::string_view::npos;  // of the comment behind the last line's field
};

}  // namespace

FieldComments ReadFieldComments(const std::string& header) {
  Reader reader;
  std::istringstream lines(header);
  for (std::string line; std::getline(lines, line);) reader.Line(line);
  return reader.Take();
}

}  // namespace fedra::testing
