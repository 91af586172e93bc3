#include "tests/tools/conformance/textproto.h"

#include <algorithm>

#include "cel/literal.h"

namespace fedra::conformance {
namespace {

constexpr int kMaxDepth = 200;

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '+' || c == '.';
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Reader final {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Message> Read() {
    Message message;
    FEDRA_RETURN_IF_ERROR(ReadFields('\0', message, 0));
    return message;
  }

 private:
  tl::unexpected<Error> Bad(const std::string& what) const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(position_), '\n');
    return Fail(ErrorCode::kInvalidArgument, "line " + std::to_string(line) + ": " + what);
  }

  char Peek() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '#') {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        ++position_;
      } else {
        return c;
      }
    }
    return '\0';
  }

  bool Accept(char c) {
    if (Peek() != c || position_ >= text_.size()) return false;
    ++position_;
    return true;
  }

  // Fields up to `end` ('\0': the end of the text).
  Result<bool> ReadFields(char end, Message& message, int depth) {
    if (depth > kMaxDepth) return Bad("too deeply nested");
    while (true) {
      if (Accept(',') || Accept(';')) continue;
      if (end == '\0' ? position_ >= text_.size() : Accept(end)) return true;
      if (position_ >= text_.size()) return Bad("unexpected end");
      Field field;
      FEDRA_ASSIGN_OR_RETURN(field.name, ReadName());
      const bool colon = Accept(':');
      if (Accept('[')) {
        FEDRA_RETURN_IF_ERROR(ReadList(field.name, message, depth));
        continue;
      }
      if (!colon && Peek() != '{' && Peek() != '<')
        return Bad("expected ':' or '{' after " + field.name);
      FEDRA_RETURN_IF_ERROR(ReadValue(field, depth));
      message.fields.push_back(std::move(field));
      if (end == '\0') Peek();
    }
  }

  Result<std::string> ReadName() {
    if (Peek() == '[') {
      const size_t close = text_.find(']', position_);
      if (close == std::string_view::npos) return Bad("']' is missing");
      std::string name(text_.substr(position_, close + 1 - position_));
      position_ = close + 1;
      return name;
    }
    std::string name = Word();
    if (name.empty()) return Bad("expected a field name");
    return name;
  }

  std::string Word() {
    const size_t begin = position_;
    while (position_ < text_.size() && IsWord(text_[position_])) ++position_;
    return std::string(text_.substr(begin, position_ - begin));
  }

  // name: [a, b] is the field twice.
  Result<bool> ReadList(const std::string& name, Message& message, int depth) {
    while (!Accept(']')) {
      if (position_ >= text_.size()) return Bad("']' is missing");
      Field field;
      field.name = name;
      FEDRA_RETURN_IF_ERROR(ReadValue(field, depth));
      message.fields.push_back(std::move(field));
      Accept(',');
    }
    return true;
  }

  Result<bool> ReadValue(Field& field, int depth) {
    const char c = Peek();
    if (c == '{' || c == '<') {
      ++position_;
      field.message = std::make_unique<Message>();
      return ReadFields(c == '{' ? '}' : '>', *field.message, depth + 1);
    }
    if (c == '"' || c == '\'') {
      field.quoted = true;
      while (Peek() == '"' || Peek() == '\'') {
        FEDRA_ASSIGN_OR_RETURN(const std::string part, ReadQuoted());
        field.text += part;
      }
      return true;
    }
    field.text = Word();
    if (field.text.empty()) return Bad("expected a value for " + field.name);
    return true;
  }

  Result<std::string> ReadQuoted() {
    const char quote = text_[position_++];
    std::string value;
    while (position_ < text_.size() && text_[position_] != quote) {
      const char c = text_[position_++];
      if (c == '\n') return Bad("a string runs over the end of the line");
      if (c != '\\') {
        value += c;
        continue;
      }
      FEDRA_RETURN_IF_ERROR(ReadEscape(value));
    }
    if (position_ >= text_.size()) return Bad("a string has no end");
    ++position_;
    return value;
  }

  Result<bool> ReadEscape(std::string& value) {
    if (position_ >= text_.size()) return Bad("a string has no end");
    const char c = text_[position_++];
    static constexpr std::string_view kPlain = "\\'\"?";
    static constexpr std::string_view kNames = "abfnrtv";
    static constexpr std::string_view kValues = "\a\b\f\n\r\t\v";
    if (kPlain.find(c) != std::string_view::npos) {
      value += c;
    } else if (const size_t at = kNames.find(c); at != std::string_view::npos) {
      value += kValues[at];
    } else if (c >= '0' && c <= '7') {
      --position_;
      value += static_cast<char>(Digits(3, 8));
    } else if (c == 'x' || c == 'X') {
      value += static_cast<char>(Digits(2, 16));
    } else if (c == 'u' || c == 'U') {
      cel::AppendUtf8(value, static_cast<uint32_t>(Digits(c == 'u' ? 4 : 8, 16)) & 0x1FFFFF);
    } else {
      return Bad("unknown escape");
    }
    return true;
  }

  // Up to `count` digits of an escape.
  uint64_t Digits(int count, int base) {
    uint64_t value = 0;
    for (; count > 0 && position_ < text_.size(); --count, ++position_) {
      const int digit = HexValue(text_[position_]);
      if (digit < 0 || digit >= base) break;
      value = value * static_cast<uint64_t>(base) + static_cast<uint64_t>(digit);
    }
    return value;
  }

  const std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

const Field* Message::Find(std::string_view name) const {
  for (const Field& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

std::string Message::Text(std::string_view name, std::string_view fallback) const {
  const Field* field = Find(name);
  return field == nullptr ? std::string(fallback) : field->text;
}

const Message* Message::Sub(std::string_view name) const {
  const Field* field = Find(name);
  return field == nullptr ? nullptr : field->message.get();
}

Result<Message> ParseTextproto(std::string_view text) { return Reader(text).Read(); }

}  // namespace fedra::conformance
