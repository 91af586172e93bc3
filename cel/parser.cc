#include "cel/parser.h"

#include <algorithm>
#include <array>

#include "cel/lexer.h"
#include "cel/literal.h"
#include "cel/macros.h"

namespace fedra::cel {
namespace {

constexpr size_t kMaxCodePoints = 100'000;
constexpr int kMaxDepth = 250;
constexpr std::string_view kExpressionStart =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, "
    "BYTES, IDENTIFIER}";

bool IsReserved(std::string_view word) {
  static constexpr std::string_view kReserved[] = {
      "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
      "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
  return std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved);
}

std::string Shown(const Token& token) {
  return token.kind == TokenKind::kEnd ? "'<EOF>'" : "'" + std::string(token.text) + "'";
}

// One binary operator: its token, the function it calls and how tightly it binds.
struct BinaryOperator {
  std::string_view token;
  std::string_view function;
  int binding;
};
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

class Parser final {
 public:
  Parser(std::string_view text, const ParserOptions& options, Ast& ast, IssueList& issues)
      : options_(options), ast_(ast), issues_(issues), lexer_(text) {}

  void Run() {
    Advance();
    Expr* root = ParseExpr();
    if (!failed_ && token_.kind != TokenKind::kEnd) UnexpectedTail();
    if (!failed_ && root->depth > kMaxDepth) issues_.AddGlobal("max recursion depth exceeded");
    ast_.root = root;
  }

 private:
  // Counts how deep the grammar rules nest, as cel-go's listener does, each rule for itself.
  class Level final {
   public:
    Level(Parser& parser, int& depth) : depth_(depth) {
      if (++depth_ > kMaxDepth && !parser.failed_) {
        parser.issues_.AddGlobal("expression recursion limit exceeded: 250");
        parser.failed_ = true;
      }
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  void Advance() {
    previous_end_ = token_.offset + static_cast<uint32_t>(token_.text.size());
    token_ = lexer_.Next();
    if (token_.kind == TokenKind::kInvalid) {
      SyntaxError(token_, "token recognition error at: " + Shown(token_));
    }
  }

  // After the first syntax error the rest is only unwound.
  void SyntaxError(const Token& token, const std::string& message) {
    if (failed_) return;
    failed_ = true;
    issues_.Add(token.offset, "Syntax error: " + message);
  }

  void UnexpectedTail() {
    const Token first = token_;
    const bool last = lexer_.Next().kind == TokenKind::kEnd;
    SyntaxError(first, (last ? "extraneous input " : "mismatched input ") + Shown(first) +
                           " expecting <EOF>");
  }

  bool Accept(std::string_view punctuation) {
    if (failed_ || !token_.Is(punctuation)) return false;
    Advance();
    return true;
  }

  void Expect(std::string_view punctuation, std::string_view expecting) {
    if (Accept(punctuation)) return;
    SyntaxError(token_,
                "mismatched input " + Shown(token_) + " expecting " + std::string(expecting));
  }

  // Closes a node: its source range begins at `begin`; `counted` kinds add to the nesting depth.
  Expr* Finish(Expr* expr, uint32_t begin, bool counted) {
    uint16_t depth = 0;
    for (const Expr* arg : expr->args) depth = std::max(depth, arg->depth);
    expr->depth = static_cast<uint16_t>(depth + (counted ? 1 : 0));
    expr->begin = begin;
    expr->end = previous_end_;
    return expr;
  }

  Expr* NewCall(std::string_view function, uint32_t offset, std::vector<Expr*> args) {
    Expr* call = ast_.New(ExprKind::kCall, offset);
    call->name = function;
    call->args = std::move(args);
    return call;
  }

  Expr* Nothing() {
    return Finish(ast_.New(ExprKind::kLiteral, token_.offset), token_.offset, false);
  }

  Expr* ParseExpr() {
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

  // a || b || c, with operands a && b && c, with relations as operands. One node for a whole chain.
  Expr* ParseChain(std::string_view function) {
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

  Expr* ParseRelation() {
    const Level level(*this, relation_depth_);
    if (failed_) return Nothing();
    return ParseBinary(
        kRelation, [&] { return ParseCalc(kSum); },
        [&] {
          const Level right(*this, relation_depth_);
          return failed_ ? Nothing() : ParseCalc(kSum);
        });
  }

  Expr* ParseCalc(int binding) {
    const Level level(*this, calc_depth_);
    if (failed_) return Nothing();
    if (binding == kProduct) {
      return ParseBinary(kProduct, [&] { return ParseUnary(); }, [&] { return CalcOperand(); });
    }
    return ParseBinary(kSum, [&] { return ParseProducts(); }, [&] { return ParseCalc(kProduct); });
  }

  Expr* ParseProducts() {
    return ParseBinary(kProduct, [&] { return ParseUnary(); }, [&] { return CalcOperand(); });
  }

  Expr* CalcOperand() {
    const Level level(*this, calc_depth_);
    return failed_ ? Nothing() : ParseUnary();
  }

  const BinaryOperator* OperatorHere(int binding) const {
    if (failed_ || token_.kind != TokenKind::kPunctuation) return nullptr;
    for (const BinaryOperator& binary : kBinaryOperators) {
      if (binary.binding == binding && token_.text == binary.token) return &binary;
    }
    return nullptr;
  }

  template <class First, class Next>
  Expr* ParseBinary(int binding, First first, Next next) {
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

  Expr* ParseUnary() {
    const uint32_t begin = token_.offset;
    if (token_.Is("!")) return ParsePrefix("!", op::kNot, begin);
    if (!token_.Is("-")) return ParseMember();
    return ParsePrefix("-", op::kNegate, begin);
  }

  // An even number of operators cancels out. A minus in front of a number belongs to the literal.
  Expr* ParsePrefix(std::string_view token, std::string_view function, uint32_t begin) {
    int count = 0;
    bool negative = false;
    while (!failed_ && token_.Is(token)) {
      Advance();
      negative = token == "-" && IsNumber();
      if (!negative) ++count;
    }
    if (!negative && token == "!" && Accept("-")) {
      negative = IsNumber();
      if (!negative)
        SyntaxError(token_, "mismatched input " + Shown(token_) + " expecting NUM_INT");
    }
    Expr* operand = negative ? ParsePostfix(ParseNumber(true, begin), begin) : ParseMember();
    if (count % 2 == 0) return operand;
    return Finish(NewCall(function, begin, {operand}), begin, false);
  }

  bool IsNumber() const {
    return !failed_ && (token_.kind == TokenKind::kInt || token_.kind == TokenKind::kDouble);
  }

  Expr* ParseMember() {
    if (failed_) return Nothing();
    const uint32_t begin = token_.offset;
    return ParsePostfix(ParsePrimary(), begin);
  }

  Expr* ParsePostfix(Expr* expr, uint32_t begin) {
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

  Expr* ParseSelect(Expr* operand, uint32_t offset, uint32_t begin) {
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

  Expr* ParseMemberCall(Expr* target, std::string_view name, uint32_t open, uint32_t begin) {
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

  std::vector<Expr*> ParseArguments() {
    std::vector<Expr*> args;
    if (Accept(")")) return args;
    do {
      args.push_back(ParseExpr());
    } while (Accept(","));
    Expect(")", "')'");
    return args;
  }

  Expr* ParseIndex(Expr* operand, uint32_t offset, uint32_t begin) {
    const bool optional = Accept("?");
    if (optional && !options_.optional_syntax) issues_.Add(offset, "unsupported syntax '[?'");
    Expr* index = ParseExpr();
    if (!Accept("]")) SyntaxError(token_, "missing ']' at " + Shown(token_));
    return Finish(NewCall(optional ? op::kOptIndex : op::kIndex, offset, {operand, index}), begin,
                  true);
  }

  Expr* ParsePrimary() {
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

  Expr* ParseBracketed(uint32_t begin) {
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
    SyntaxError(token_, "mismatched input " + Shown(token_) + " expecting " +
                            std::string(kExpressionStart));
    return Nothing();
  }

  Expr* Literal(Value value, uint32_t begin) {
    Expr* literal = ast_.New(ExprKind::kLiteral, begin);
    literal->literal = value;
    return Finish(literal, begin, false);
  }

  Expr* ParseNumber(bool negative, uint32_t begin) {
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

  Expr* ParseText() {
    const Token token = token_;
    Advance();
    const bool bytes = token.kind == TokenKind::kBytes;
    const auto text = Unquote(token.text, bytes);
    if (!text) issues_.Add(token.offset, text.error().message);
    const std::string_view kept = ast_.arena().Copy(text.value_or(std::string()));
    return Literal(bytes ? Value::Bytes(kept) : Value::String(kept), token.offset);
  }

  Expr* ParseName(std::string_view dot, uint32_t begin) {
    const Token token = token_;
    if (IsReserved(token.text)) {
      issues_.Add(begin, "reserved identifier: " + std::string(token.text));
    }
    Advance();
    const uint32_t open = token_.offset;
    if (Accept("("))
      return ParseGlobalCall(std::string(dot) + std::string(token.text), open, begin);
    Expr* ident = ast_.New(ExprKind::kIdent, begin);
    ident->name = std::string(dot) + std::string(token.text);
    Finish(ident, begin, false);
    return LooksLikeStruct() ? ParseStruct(ident->name, begin) : ident;
  }

  // a.b.C{ ... }: only a look ahead tells it from a selection.
  bool LooksLikeStruct() {
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

  Expr* ParseGlobalCall(const std::string& name, uint32_t open, uint32_t begin) {
    std::vector<Expr*> args = ParseArguments();
    if (failed_) return Nothing();
    if (Expr* macro = ExpandMacro(name, nullptr, args, open, options_, ast_, issues_)) {
      return Finish(macro, begin, false);
    }
    return Finish(NewCall(name, open, std::move(args)), begin, false);
  }

  Expr* ParseStruct(std::string name, uint32_t begin) {
    while (Accept(".")) {
      name += ".";
      name += token_.text;
      Advance();
    }
    const uint32_t open = token_.offset;
    Expect("{", "'{'");
    Expr* result = ast_.New(ExprKind::kStruct, open);
    while (!failed_ && !token_.Is("}")) {
      Accept("?");
      if (token_.kind != TokenKind::kIdentifier && token_.kind != TokenKind::kEscapedIdentifier)
        break;
      Advance();
      Expect(":", "':'");
      result->args.push_back(ParseExpr());
      if (!Accept(",")) break;
    }
    Expect("}", "{'}', ','}");
    result->name = name;
    return Finish(result, begin, false);
  }

  Expr* ParseList(uint32_t begin) {
    Expr* list = ast_.New(ExprKind::kList, begin);
    while (!failed_ && !token_.Is("]")) {
      list->optional_args.push_back(AcceptOptionalMark());
      list->args.push_back(ParseExpr());
      if (!Accept(",")) break;
    }
    Expect("]", "{']', ','}");
    return Finish(list, begin, false);
  }

  Expr* ParseMap(uint32_t begin) {
    Expr* map = ast_.New(ExprKind::kMap, begin);
    while (!failed_ && !token_.Is("}")) {
      map->optional_args.push_back(AcceptOptionalMark());
      map->args.push_back(ParseExpr());
      Expect(":", "':'");
      map->args.push_back(ParseExpr());
      if (!Accept(",")) break;
    }
    Expect("}", "{'}', ','}");
    return Finish(map, begin, false);
  }

  bool AcceptOptionalMark() {
    const uint32_t offset = token_.offset;
    if (!Accept("?")) return false;
    if (!options_.optional_syntax) issues_.Add(offset, "unsupported syntax '?'");
    return true;
  }

  const ParserOptions& options_;
  Ast& ast_;
  IssueList& issues_;
  Lexer lexer_;
  Token token_;
  uint32_t previous_end_ = 0;
  bool failed_ = false;
  int expr_depth_ = 0;
  int relation_depth_ = 0;
  int calc_depth_ = 0;
};

}  // namespace

void Parse(std::string_view text, const ParserOptions& options, Ast& ast, IssueList& issues) {
  if (!IsValidUtf8(text)) return issues.AddGlobal("the expression is not valid UTF-8");
  const size_t size = CodePointCount(text);
  if (size > kMaxCodePoints) {
    return issues.AddGlobal("expression code point size exceeds limit: size: " +
                            std::to_string(size) + ", limit " + std::to_string(kMaxCodePoints));
  }
  Parser(text, options, ast, issues).Run();
}

}  // namespace fedra::cel
