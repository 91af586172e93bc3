#include "cel/lexer.h"

#include "base/ascii.h"
#include "base/utf8.h"

namespace fedra::cel {
namespace {

bool IsOctalDigit(char c) { return c >= '0' && c <= '7'; }
bool IsWordStart(char c) { return IsLetter(c) || c == '_'; }
bool IsWord(char c) { return IsWordStart(c) || IsDigit(c); }
bool IsEscapable(char c) {
  return std::string_view("abfnrtv\"'\\?`").find(c) != std::string_view::npos;
}

bool AllOf(std::string_view text, size_t length, bool (*predicate)(char)) {
  if (text.size() < length) return false;
  for (const char c : text.substr(0, length)) {
    if (!predicate(c)) return false;
  }
  return true;
}

// The length of the escape sequence at the start of `text`, 0 if it is none.
size_t EscapeLength(std::string_view text) {
  if (text.size() < 2) return 0;
  const char c = text[1];
  if (IsEscapable(c)) return 2;
  const std::string_view rest = text.substr(2);
  if (c == 'x' || c == 'X') return AllOf(rest, 2, IsHexDigit) ? 4 : 0;
  if (c == 'u') return AllOf(rest, 4, IsHexDigit) ? 6 : 0;
  if (c == 'U') return AllOf(rest, 8, IsHexDigit) ? 10 : 0;
  if (c >= '0' && c <= '3') return AllOf(rest, 2, IsOctalDigit) ? 4 : 0;
  return 0;
}

size_t PunctuationLength(std::string_view text) {
  const char c = text[0];
  const char next = text.size() > 1 ? text[1] : '\0';
  if (next == '=' && (c == '=' || c == '!' || c == '<' || c == '>')) return 2;
  if (next == c && (c == '&' || c == '|')) return 2;
  return std::string_view("<>[]{}().,-!?:+*/%").find(c) == std::string_view::npos ? 0 : 1;
}

}  // namespace

Token Lexer::Take(TokenKind kind, size_t length) {
  const Token token{kind, text_.substr(position_, length), static_cast<uint32_t>(position_)};
  position_ += length;
  return token;
}

void Lexer::SkipSpaceAndComments() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
      ++position_;
    } else if (c == '/' && At(position_ + 1) == '/') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else {
      return;
    }
  }
}

Token Lexer::Number() {
  size_t end = position_;
  if (At(end) == '0' && At(end + 1) == 'x' && IsHexDigit(At(end + 2))) {
    end += 2;
    while (IsHexDigit(At(end))) ++end;
    const bool is_unsigned = At(end) == 'u' || At(end) == 'U';
    return Take(is_unsigned ? TokenKind::kUint : TokenKind::kInt,
                end - position_ + (is_unsigned ? 1 : 0));
  }
  bool is_double = false;
  while (IsDigit(At(end))) ++end;
  if (At(end) == '.' && IsDigit(At(end + 1))) {
    is_double = true;
    ++end;
    while (IsDigit(At(end))) ++end;
  }
  if (At(end) == 'e' || At(end) == 'E') {
    const size_t digits = end + (At(end + 1) == '+' || At(end + 1) == '-' ? 2 : 1);
    if (IsDigit(At(digits))) {
      is_double = true;
      end = digits;
      while (IsDigit(At(end))) ++end;
    }
  }
  if (is_double) return Take(TokenKind::kDouble, end - position_);
  const bool is_unsigned = At(end) == 'u' || At(end) == 'U';
  return Take(is_unsigned ? TokenKind::kUint : TokenKind::kInt,
              end - position_ + (is_unsigned ? 1 : 0));
}

Token Lexer::Word() {
  size_t end = position_;
  while (IsWord(At(end))) ++end;
  const std::string_view word = text_.substr(position_, end - position_);
  const bool keyword = word == "in" || word == "true" || word == "false" || word == "null";
  return Take(keyword ? TokenKind::kPunctuation : TokenKind::kIdentifier, end - position_);
}

size_t Lexer::QuotedLength(size_t position, size_t& consumed) const {
  const size_t start = position;
  const bool raw = At(position) == 'r' || At(position) == 'R';
  if (raw) ++position;
  const char quote = At(position);
  const bool triple = At(position + 1) == quote && At(position + 2) == quote;
  const size_t quotes = triple ? 3 : 1;
  position += quotes;
  while (position < text_.size()) {
    const char c = text_[position];
    if (c == quote && (!triple || (At(position + 1) == quote && At(position + 2) == quote))) {
      return position + quotes - start;
    }
    size_t length = 1;
    if (c == '\\' && !raw) length = EscapeLength(text_.substr(position));
    if (length == 0 || (!triple && (c == '\n' || c == '\r'))) {
      consumed = position + 2 - start;
      return 0;
    }
    position += length;
  }
  consumed = position - start;
  return 0;
}

Token Lexer::Quoted(TokenKind kind) {
  const size_t prefix = kind == TokenKind::kBytes ? 1 : 0;
  size_t consumed = 0;
  const size_t length = QuotedLength(position_ + prefix, consumed);
  if (length == 0) return Take(TokenKind::kInvalid, prefix + consumed);
  return Take(kind, prefix + length);
}

Token Lexer::Next() {
  SkipSpaceAndComments();
  if (position_ >= text_.size()) return {TokenKind::kEnd, {}, static_cast<uint32_t>(text_.size())};
  const char c = text_[position_];
  const char next = At(position_ + 1);
  const auto is_quote = [](char x) { return x == '"' || x == '\''; };
  const auto is_raw = [](char x) { return x == 'r' || x == 'R'; };
  if (is_quote(c) || (is_raw(c) && is_quote(next))) return Quoted(TokenKind::kString);
  if ((c == 'b' || c == 'B') && (is_quote(next) || (is_raw(next) && is_quote(At(position_ + 2))))) {
    return Quoted(TokenKind::kBytes);
  }
  if (IsDigit(c) || (c == '.' && IsDigit(next))) return Number();
  if (IsWordStart(c)) return Word();
  if (c == '`') {
    const size_t end = text_.find('`', position_ + 1);
    if (end != std::string_view::npos && end > position_ + 1) {
      return Take(TokenKind::kEscapedIdentifier, end - position_ + 1);
    }
  }
  const size_t length = PunctuationLength(text_.substr(position_));
  if (length > 0) return Take(TokenKind::kPunctuation, length);
  size_t invalid = 1;  // a whole code point
  while (IsContinuationByte(At(position_ + invalid))) ++invalid;
  return Take(TokenKind::kInvalid, invalid);
}

}  // namespace fedra::cel
