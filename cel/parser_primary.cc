#include <algorithm>

#include "cel/literal.h"
#include "cel/macros.h"
#include "cel/parser_impl.h"

namespace fedra::cel {
namespace {

constexpr std::string_view kExpressionStart =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, "
    "BYTES, IDENTIFIER}";

bool IsReserved(std::string_view word) {
  static constexpr std::string_view kReserved[] = {
      "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
      "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
  return std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved);
}

}  // namespace

bool Parser::IsNumber() const {
  return !failed_ && (token_.kind == TokenKind::kInt || token_.kind == TokenKind::kDouble);
}

Expr* Parser::ParseMemberCall(Expr* target, std::string_view name, uint32_t open, uint32_t begin) {
  std::vector<Expr*> args = ParseArguments();
  if (failed_) return Nothing();
  if (Expr* macro = ExpandMacro(name, target, args, open, options_, ast_, issues_)) {
    return Finish(macro, begin, true);
  }
  args.insert(args.begin(), target);
  Expr* call = NewCall(name, open, std::move(args));
  call->member = true;
  return Finish(call, begin, true);
}

std::vector<Expr*> Parser::ParseArguments() {
  std::vector<Expr*> args;
  if (Accept(")")) return args;
  do {
    args.push_back(ParseExpr());
  } while (Accept(","));
  Expect(")", "')'");
  return args;
}

Expr* Parser::ParsePrimary() {
  const uint32_t begin = token_.offset;
  switch (token_.kind) {
    case TokenKind::kInt:
    case TokenKind::kUint:
    case TokenKind::kDouble:
      return ParseNumber(false, begin);
    case TokenKind::kString:
    case TokenKind::kBytes:
      return ParseText();
    case TokenKind::kIdentifier:
      return ParseName("", begin);
    default:
      return ParseBracketed(begin);
  }
}

Expr* Parser::ParseBracketed(uint32_t begin) {
  if (Accept("(")) {
    Expr* inner = ParseExpr();
    Expect(")", "')'");
    return inner;
  }
  if (Accept("[")) return ParseList(begin);
  if (Accept("{")) return ParseMap(begin);
  if (Accept("true")) return Literal(Value::Bool(true), begin);
  if (Accept("false")) return Literal(Value::Bool(false), begin);
  if (Accept("null")) return Literal(Value::Null(), begin);
  if (Accept("-")) {
    if (IsNumber()) return ParseNumber(true, begin);
  } else if (Accept(".")) {
    if (!failed_ && token_.kind == TokenKind::kIdentifier) return ParseName(".", begin);
  }
  Unexpected(token_, "mismatched", kExpressionStart);
  return Nothing();
}

Expr* Parser::Literal(Value value, uint32_t begin) {
  Expr* literal = ast_.New(ExprKind::kLiteral, begin);
  literal->literal = value;
  return Finish(literal, begin, false);
}

Expr* Parser::ParseNumber(bool negative, uint32_t begin) {
  const Token token = token_;
  Advance();
  if (token.kind == TokenKind::kInt) {
    const auto value = ParseIntLiteral(token.text, negative);
    if (!value) issues_.Add(begin, "invalid int literal");
    return Literal(Value::Int(value.value_or(0)), begin);
  }
  if (token.kind == TokenKind::kUint) {
    const auto value = ParseUintLiteral(token.text);
    if (!value) issues_.Add(begin, "invalid uint literal");
    return Literal(Value::Uint(value.value_or(0)), begin);
  }
  const auto value = ParseDoubleLiteral(token.text);
  if (!value) issues_.Add(begin, "invalid double literal");
  return Literal(Value::Double(negative ? -value.value_or(0) : value.value_or(0)), begin);
}

Expr* Parser::ParseText() {
  const Token token = token_;
  Advance();
  const bool bytes = token.kind == TokenKind::kBytes;
  const auto text = Unquote(token.text, bytes);
  if (!text) issues_.Add(token.offset, text.error().message);
  const std::string_view kept = ast_.arena().Copy(text.value_or(std::string()));
  return Literal(bytes ? Value::Bytes(kept) : Value::String(kept), token.offset);
}

Expr* Parser::ParseName(std::string_view dot, uint32_t begin) {
  const Token token = token_;
  if (IsReserved(token.text)) {
    issues_.Add(begin, "reserved identifier: " + std::string(token.text));
  }
  Advance();
  const uint32_t open = token_.offset;
  if (Accept("(")) return ParseGlobalCall(std::string(dot) + std::string(token.text), open, begin);
  Expr* ident = ast_.New(ExprKind::kIdent, begin);
  ident->name = std::string(dot) + std::string(token.text);
  Finish(ident, begin, false);
  return LooksLikeStruct() ? ParseStruct(ident->name, begin) : ident;
}

bool Parser::LooksLikeStruct() {
  if (failed_ || token_.Is("{")) return !failed_;
  if (!token_.Is(".")) return false;
  Lexer ahead = lexer_;
  while (true) {
    if (ahead.Next().kind != TokenKind::kIdentifier) return false;
    const Token next = ahead.Next();
    if (next.Is("{")) return true;
    if (!next.Is(".")) return false;
  }
}

Expr* Parser::ParseGlobalCall(const std::string& name, uint32_t open, uint32_t begin) {
  std::vector<Expr*> args = ParseArguments();
  if (failed_) return Nothing();
  if (Expr* macro = ExpandMacro(name, nullptr, args, open, options_, ast_, issues_)) {
    return Finish(macro, begin, false);
  }
  return Finish(NewCall(name, open, std::move(args)), begin, false);
}

Expr* Parser::ParseStruct(std::string name, uint32_t begin) {
  while (Accept(".")) {
    name += ".";
    name += token_.text;
    Advance();
  }
  const uint32_t open = token_.offset;
  Expect("{", "'{'");
  Expr* result = ast_.New(ExprKind::kStruct, open);
  while (!failed_ && !token_.Is("}")) {
    result->optional_args.push_back(AcceptOptionalMark());
    if (token_.kind != TokenKind::kIdentifier && token_.kind != TokenKind::kEscapedIdentifier)
      break;
    Expr* field = ast_.New(ExprKind::kLiteral, token_.offset);
    field->literal = Value::String(ast_.arena().Copy(token_.text));
    Advance();
    field->offset = token_.offset;  // errors about it point to the colon
    Expect(":", "':'");
    result->args.push_back(field);
    result->args.push_back(ParseExpr());
    if (!Accept(",")) break;
  }
  Expect("}", "{'}', ','}");
  result->name = name;
  return Finish(result, begin, false);
}

Expr* Parser::ParseList(uint32_t begin) {
  Expr* list = ast_.New(ExprKind::kList, begin);
  const bool lone_comma = Accept(",");  // [,] is an empty list
  while (!lone_comma && !failed_ && !token_.Is("]")) {
    list->optional_args.push_back(AcceptOptionalMark());
    list->args.push_back(ParseExpr());
    if (!Accept(",")) break;
  }
  Expect("]", "{']', ','}");
  return Finish(list, begin, false);
}

Expr* Parser::ParseMap(uint32_t begin) {
  Expr* map = ast_.New(ExprKind::kMap, begin);
  const bool lone_comma = Accept(",");  // {,} is an empty map
  while (!lone_comma && !failed_ && !token_.Is("}")) {
    map->optional_args.push_back(AcceptOptionalMark());
    map->args.push_back(ParseExpr());
    Expect(":", "':'");
    map->args.push_back(ParseExpr());
    if (!Accept(",")) break;
  }
  Expect("}", "{'}', ','}");
  return Finish(map, begin, false);
}

bool Parser::AcceptOptionalMark() {
  const uint32_t offset = token_.offset;
  if (!Accept("?")) return false;
  if (!options_.optional_syntax) issues_.Add(offset, "unsupported syntax '?'");
  return true;
}

}  // namespace fedra::cel
