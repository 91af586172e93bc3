#pragma once
//
// The parser itself; all other files include cel/parser.h.
//
// One method per rule of CEL.g4 (expressions in parser.cc, what they are made of in
// parser_primary.cc). After the first syntax error the methods return placeholders and the text is
// only unwound. Thread rules: one object per text.

#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/lexer.h"
#include "cel/parser.h"
#include "cel/source.h"

namespace fedra::cel {

struct BinaryOperator;

class Parser final {
 public:
  Parser(std::string_view text, const ParserOptions& options, Ast& ast, IssueList& issues)
      : options_(options), ast_(ast), issues_(issues), lexer_(text) {}
  void Run();

 private:
  static constexpr int kMaxDepth = 250;

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

  static std::string Shown(const Token& token);
  void Advance();

  // After the first syntax error the rest is only unwound.
  void SyntaxError(const Token& token, const std::string& message,
                   IssueKind kind = IssueKind::kSyntax);
  // `how`: "mismatched", or "extraneous" of the last token.
  void Unexpected(const Token& token, std::string_view how, std::string_view expecting);
  void UnexpectedTail();
  bool Accept(std::string_view punctuation);
  void Expect(std::string_view punctuation, std::string_view expecting);

  // Closes a node: its source range begins at `begin`; `counted` kinds add to the nesting depth.
  Expr* Finish(Expr* expr, uint32_t begin, bool counted);
  Expr* NewCall(std::string_view function, uint32_t offset, std::vector<Expr*> args);
  Expr* Nothing();
  Expr* ParseExpr();

  // a || b || c, with operands a && b && c, with relations as operands. One node for a whole chain.
  Expr* ParseChain(std::string_view function);
  Expr* ParseRelation();
  Expr* ParseCalc(int binding);
  Expr* ParseProducts();
  Expr* CalcOperand();
  const BinaryOperator* OperatorHere(int binding) const;
  template <class First, class Next>
  Expr* ParseBinary(int binding, First first, Next next);
  Expr* ParseUnary();

  // An even number of operators cancels out. A minus in front of a number belongs to the literal.
  Expr* ParsePrefix(std::string_view token, std::string_view function, uint32_t begin);
  bool IsNumber() const;
  Expr* ParseMember();
  Expr* ParsePostfix(Expr* expr, uint32_t begin);
  Expr* ParseSelect(Expr* operand, uint32_t offset, uint32_t begin);
  Expr* ParseMemberCall(Expr* target, std::string_view name, uint32_t open, uint32_t begin);
  std::vector<Expr*> ParseArguments();
  Expr* ParseIndex(Expr* operand, uint32_t offset, uint32_t begin);
  Expr* ParsePrimary();
  Expr* ParseBracketed(uint32_t begin);
  Expr* Literal(Value value, uint32_t begin);
  Expr* ParseNumber(bool negative, uint32_t begin);
  Expr* ParseText();
  Expr* ParseName(std::string_view dot, uint32_t begin);

  // a.b.C{ ... }: only a look ahead tells it from a selection.
  bool LooksLikeStruct();
  Expr* ParseGlobalCall(const std::string& name, uint32_t open, uint32_t begin);
  Expr* ParseStruct(std::string name, uint32_t begin);
  Expr* ParseList(uint32_t begin);
  Expr* ParseMap(uint32_t begin);
  bool AcceptOptionalMark();

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

}  // namespace fedra::cel
