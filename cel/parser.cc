#include "cel/parser.h"

#include <algorithm>

#include "base/utf8.h"
#include "cel/parser_impl.h"

namespace fedra::cel {

// One binary operator: its token, the function it calls and how tightly it binds.
struct BinaryOperator {
  std::string_view token;
  std::string_view function;
  int binding;
};

namespace {

constexpr size_t kMaxCodePoints = 100'000;

constexpr int kRelation = 1;
constexpr int kSum = 2;
constexpr int kProduct = 3;
constexpr BinaryOperator kBinaryOperators[] = {
    {"<", op::kLess, kRelation},    {"<=", op::kLessEquals, kRelation},
    {">", op::kGreater, kRelation}, {">=", op::kGreaterEquals, kRelation},
    {"==", op::kEquals, kRelation}, {"!=", op::kNotEquals, kRelation},
    {"in", op::kIn, kRelation},     {"+", op::kAdd, kSum},
    {"-", op::kSubtract, kSum},     {"*", op::kMultiply, kProduct},
    {"/", op::kDivide, kProduct},   {"%", op::kModulo, kProduct}};

}  // namespace

std::string Parser::Shown(const Token& token) {
  return token.kind == TokenKind::kEnd ? "'<EOF>'" : "'" + std::string(token.text) + "'";
}

void Parser::Run() {
  Advance();
  Expr* root = ParseExpr();
  if (!failed_ && token_.kind != TokenKind::kEnd) UnexpectedTail();
  if (!failed_ && root->depth > kMaxDepth) issues_.AddGlobal("max recursion depth exceeded");
  ast_.root = root;
}

void Parser::Advance() {
  previous_end_ = token_.offset + static_cast<uint32_t>(token_.text.size());
  token_ = lexer_.Next();
  if (token_.kind == TokenKind::kInvalid) {
    SyntaxError(token_, "token recognition error at: " + Shown(token_), IssueKind::kStrayCharacter);
  }
}

void Parser::SyntaxError(const Token& token, const std::string& message, IssueKind kind) {
  if (failed_) return;
  failed_ = true;
  issues_.Add(token.offset, "Syntax error: " + message, kind, Shown(token));
}

void Parser::Unexpected(const Token& token, std::string_view how, std::string_view expecting) {
  SyntaxError(token,
              std::string(how) + " input " + Shown(token) + " expecting " + std::string(expecting),
              IssueKind::kUnexpectedToken);
}

void Parser::UnexpectedTail() {
  const Token first = token_;
  const bool last = lexer_.Next().kind == TokenKind::kEnd;
  Unexpected(first, last ? "extraneous" : "mismatched", "<EOF>");
}

bool Parser::Accept(std::string_view punctuation) {
  if (failed_ || !token_.Is(punctuation)) return false;
  Advance();
  return true;
}

void Parser::Expect(std::string_view punctuation, std::string_view expecting) {
  if (Accept(punctuation)) return;
  Unexpected(token_, "mismatched", expecting);
}

Expr* Parser::Finish(Expr* expr, uint32_t begin, bool counted) {
  uint16_t depth = 0;
  for (const Expr* arg : expr->args) depth = std::max(depth, arg->depth);
  expr->depth = static_cast<uint16_t>(depth + (counted ? 1 : 0));
  expr->begin = begin;
  expr->end = previous_end_;
  return expr;
}

Expr* Parser::NewCall(std::string_view function, uint32_t offset, std::vector<Expr*> args) {
  Expr* call = ast_.New(ExprKind::kCall, offset);
  call->name = function;
  call->args = std::move(args);
  return call;
}

Expr* Parser::Nothing() {
  return Finish(ast_.New(ExprKind::kLiteral, token_.offset), token_.offset, false);
}

Expr* Parser::ParseExpr() {
  const Level level(*this, expr_depth_);
  if (failed_) return Nothing();
  const uint32_t begin = token_.offset;
  Expr* condition = ParseChain(op::kOr);
  const uint32_t offset = token_.offset;
  if (!Accept("?")) return condition;
  Expr* if_true = ParseChain(op::kOr);
  Expect(":", "':'");
  Expr* if_false = ParseExpr();
  return Finish(NewCall(op::kConditional, offset, {condition, if_true, if_false}), begin, true);
}

Expr* Parser::ParseChain(std::string_view function) {
  const bool is_or = function == op::kOr;
  const auto operand = [&] { return is_or ? ParseChain(op::kAnd) : ParseRelation(); };
  const uint32_t begin = token_.offset;
  Expr* first = operand();
  const uint32_t offset = token_.offset;
  if (!Accept(is_or ? "||" : "&&")) return first;
  std::vector<Expr*> operands = {first};
  do {
    operands.push_back(operand());
  } while (Accept(is_or ? "||" : "&&"));
  return Finish(NewCall(function, offset, std::move(operands)), begin, false);
}

Expr* Parser::ParseRelation() {
  const Level level(*this, relation_depth_);
  if (failed_) return Nothing();
  return ParseBinary(
      kRelation, [&] { return ParseCalc(kSum); },
      [&] {
        const Level right(*this, relation_depth_);
        return failed_ ? Nothing() : ParseCalc(kSum);
      });
}

Expr* Parser::ParseCalc(int binding) {
  const Level level(*this, calc_depth_);
  if (failed_) return Nothing();
  if (binding == kProduct) {
    return ParseBinary(kProduct, [&] { return ParseUnary(); }, [&] { return CalcOperand(); });
  }
  return ParseBinary(kSum, [&] { return ParseProducts(); }, [&] { return ParseCalc(kProduct); });
}

Expr* Parser::ParseProducts() {
  return ParseBinary(kProduct, [&] { return ParseUnary(); }, [&] { return CalcOperand(); });
}

Expr* Parser::CalcOperand() {
  const Level level(*this, calc_depth_);
  return failed_ ? Nothing() : ParseUnary();
}

const BinaryOperator* Parser::OperatorHere(int binding) const {
  if (failed_ || token_.kind != TokenKind::kPunctuation) return nullptr;
  for (const BinaryOperator& binary : kBinaryOperators) {
    if (binary.binding == binding && token_.text == binary.token) return &binary;
  }
  return nullptr;
}

template <class First, class Next>
Expr* Parser::ParseBinary(int binding, First first, Next next) {
  const uint32_t begin = token_.offset;
  Expr* left = first();
  while (const BinaryOperator* binary = OperatorHere(binding)) {
    const uint32_t offset = token_.offset;
    Advance();
    Expr* right = next();
    left = Finish(NewCall(binary->function, offset, {left, right}), begin, true);
  }
  return left;
}

Expr* Parser::ParseUnary() {
  const uint32_t begin = token_.offset;
  if (token_.Is("!")) return ParsePrefix("!", op::kNot, begin);
  if (!token_.Is("-")) return ParseMember();
  return ParsePrefix("-", op::kNegate, begin);
}

Expr* Parser::ParsePrefix(std::string_view token, std::string_view function, uint32_t begin) {
  int count = 0;
  bool negative = false;
  while (!failed_ && token_.Is(token)) {
    Advance();
    negative = token == "-" && IsNumber();
    if (!negative) ++count;
  }
  if (!negative && token == "!" && Accept("-")) {
    negative = IsNumber();
    if (!negative) Unexpected(token_, "mismatched", "NUM_INT");
  }
  Expr* operand = negative ? ParsePostfix(ParseNumber(true, begin), begin) : ParseMember();
  if (count % 2 == 0) return operand;
  return Finish(NewCall(function, begin, {operand}), begin, false);
}

Expr* Parser::ParseMember() {
  if (failed_) return Nothing();
  const uint32_t begin = token_.offset;
  return ParsePostfix(ParsePrimary(), begin);
}

Expr* Parser::ParsePostfix(Expr* expr, uint32_t begin) {
  while (!failed_) {
    const uint32_t offset = token_.offset;
    if (Accept(".")) {
      expr = ParseSelect(expr, offset, begin);
    } else if (Accept("[")) {
      expr = ParseIndex(expr, offset, begin);
    } else {
      break;
    }
  }
  return expr;
}

Expr* Parser::ParseSelect(Expr* operand, uint32_t offset, uint32_t begin) {
  const bool optional = Accept("?");
  const Token name = token_;
  if (name.kind == TokenKind::kEscapedIdentifier) {
    issues_.Add(name.offset, "unsupported syntax: '`'");
  } else if (name.kind != TokenKind::kIdentifier) {
    if (!failed_) {
      Token dot{TokenKind::kPunctuation, {}, offset};
      SyntaxError(dot, "no viable alternative at input '." +
                           std::string(name.kind == TokenKind::kEnd ? "<EOF>" : name.text) + "'");
    }
    return Nothing();
  }
  Advance();
  const uint32_t open = token_.offset;
  if (!optional && Accept("(")) return ParseMemberCall(operand, name.text, open, begin);
  if (optional && !options_.optional_syntax) issues_.Add(offset, "unsupported syntax '.?'");
  Expr* select = ast_.New(ExprKind::kSelect, offset);
  select->name = name.text;
  select->optional = optional;
  select->args = {operand};
  return Finish(select, begin, !optional);
}

Expr* Parser::ParseIndex(Expr* operand, uint32_t offset, uint32_t begin) {
  const bool optional = Accept("?");
  if (optional && !options_.optional_syntax) issues_.Add(offset, "unsupported syntax '[?'");
  Expr* index = ParseExpr();
  if (!Accept("]")) SyntaxError(token_, "missing ']' at " + Shown(token_));
  return Finish(NewCall(optional ? op::kOptIndex : op::kIndex, offset, {operand, index}), begin,
                true);
}

void Parse(std::string_view text, const ParserOptions& options, Ast& ast, IssueList& issues) {
  if (!IsUtf8(text)) return issues.AddGlobal("the expression is not valid UTF-8");
  const size_t size = CodePointCount(text);
  if (size > kMaxCodePoints) {
    return issues.AddGlobal("expression code point size exceeds limit: size: " +
                            std::to_string(size) + ", limit " + std::to_string(kMaxCodePoints));
  }
  Parser(text, options, ast, issues).Run();
}

}  // namespace fedra::cel
