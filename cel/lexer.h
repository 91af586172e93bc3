#pragma once
//
// Cuts the text of an expression into tokens (parser/gen/CEL.g4 of cel-go).
//
// Thread rules: a plain object for one thread. The text must outlive the lexer and its tokens.

#include <cstdint>
#include <string_view>

namespace fedra::cel {

enum class TokenKind : uint8_t {
  kEnd,
  kInvalid,  // text that starts no token
  kIdentifier,
  kEscapedIdentifier,  // `a.b`
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kPunctuation,  // one of the operators and brackets, also the words in, true, false, null
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  uint32_t offset = 0;

  bool Is(std::string_view punctuation) const {
    return kind == TokenKind::kPunctuation && text == punctuation;
  }
};

class Lexer final {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // The next token; kEnd for ever at the end.
  Token Next();

 private:
  char At(size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  void SkipSpaceAndComments();
  Token Take(TokenKind kind, size_t length);
  Token Number();
  Token Word();
  // The length of the quoted text (prefix included) that starts at `position`, 0 if it is
  // malformed; `consumed` is then how far it got.
  size_t QuotedLength(size_t position, size_t& consumed) const;
  Token Quoted(TokenKind kind);

  const std::string_view text_;
  size_t position_ = 0;
};

}  // namespace fedra::cel
