#pragma once
//
// The planner itself; all other files include cel/program.h.
//
// Tree to nodes, with the costs of cel-go and its constant folding. Calls are in planner_calls.cc.
// Thread rules: one object per program.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/program.h"

namespace fedra::cel {

struct OperatorEntry;

class Planner final {
 public:
  Planner(const Environment& environment, const PlanOptions& options, Program& program,
          PlanError& error)
      : environment_(environment), options_(options), program_(program), error_(error) {}
  bool Run(const Ast& ast);

 private:
  struct Local {
    std::string_view name;
    uint32_t slot;
    int lazy;  // the node that computes it, -1: set by the macro
  };

  // cel-go's price of a variable is not charged where it only looks at it: branches of ?: and
  // has().
  static uint16_t BaseCost(bool raw) { return raw ? 0 : 1; }
  uint32_t Add(Node node, const std::vector<uint32_t>& args = {});
  uint32_t AddConstant(Value value);
  uint32_t Fail(const Expr& at, std::string message);

  // A constant in cel-go's sense: a literal or a folded conversion; not what only we fold (flag).
  const Value* ConstantOf(uint32_t node) const;
  bool IsAnyConstant(uint32_t node) const { return program_.nodes[node].op == Op::kConstant; }
  // Constants outlive the tree.
  Value Kept(const Value& value);
  std::string_view Kept(std::string_view text) { return program_.arena.Copy(text); }
  // Computes a node all of whose arguments are constants.
  Value Computed(uint32_t node, uint64_t& cost);
  uint32_t PlanExpr(const Expr& expr, bool raw);
  uint32_t AddFailure(const std::string& message);
  uint32_t PlanIdent(const Expr& expr, bool raw);
  bool IsDevice(const Expr& expr) const;

  // The constant key of x.key or x["key"]; nothing for other expressions.
  static std::optional<std::string_view> ConstantKey(const Expr& expr);

  // device.attributes["d"].name and the like: one node. UINT32_MAX if it is something else.
  uint32_t PlanDevicePath(const Expr& expr, bool raw);
  uint32_t PlanSelect(const Expr& expr, bool raw);

  // The price of a selector, and of the attribute that cel-go makes of an operand that is none.
  static uint16_t OperandCost(const Expr& operand, bool raw, int selector);
  uint32_t PlanCall(const Expr& expr, bool raw);
  uint32_t PlanChain(const Expr& expr, Op chain);
  uint32_t PlanConditional(const Expr& expr);
  uint32_t PlanIndex(const Expr& expr, bool raw);

  // The only overload that the checker found, if it is one.
  static const Overload* OnlyCandidate(const Expr& expr);
  uint32_t PlanOperator(const Expr& expr, const OperatorEntry& entry, std::vector<uint32_t> args);

  // cel-go looks constants up by hash (optimizer of interpreter/interpretable.go,
  // evalSetMembership): another result for values that Go cannot hash.
  uint32_t PlanConstantMembership(Node node, const Value list, const std::vector<uint32_t>& args);
  uint32_t PlanFunction(const Expr& expr, const std::vector<uint32_t>& args);

  // Replaces a call of constants by its result where cel-go does (conversions; an error is then an
  // error of the compilation), and where the result is a parsed type (an error stays one of the
  // evaluation).
  uint32_t Folded(const Expr& expr, uint32_t call, const std::vector<uint32_t>& args);

  // or, orValue, and functions with a constant regular expression.
  uint32_t PlanSpecial(const Expr& expr, const std::vector<uint32_t>& args);
  uint32_t PlanList(const Expr& expr);
  uint32_t PlanMap(const Expr& expr);
  uint32_t PlanMessage(const Expr& expr);

  // Notes which entries of a literal, of `stride` arguments each, are optional.
  void MarkOptional(uint32_t literal, const Expr& expr, size_t stride);
  // A list or map literal; of constants only, it is one, and free.
  uint32_t Literal(const Expr& expr, const Node& node, const std::vector<uint32_t>& args,
                   size_t stride);
  uint32_t PlanComprehension(const Expr& expr);
  static Op OpOf(Macro macro);

  const Environment& environment_;
  const PlanOptions& options_;
  Program& program_;
  PlanError& error_;
  bool failed_ = false;
  std::vector<Local> locals_;
};

}  // namespace fedra::cel
