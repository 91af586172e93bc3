#pragma once
//
// The syntax tree. Macros keep their shape (a comprehension node says which macro it is) instead of
// being expanded into folds: the checker and the planner know what each of them means.
//
// The tree owns its nodes; nodes point to each other. Thread rules: built by one thread, then
// read-only.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cel/arena.h"
#include "cel/type.h"
#include "cel/value.h"

namespace fedra::cel {

struct MessageType;
struct Overload;

enum class ExprKind : uint8_t {
  kLiteral,
  kIdent,   // name
  kSelect,  // args[0].name; `test_only` for has(); `optional` for .?
  kCall,    // name(args...); with `member` args[0] is the receiver. Operators are calls: "_+_"
  kList,    // args; optional_args marks ?e
  kMap,     // args: key, value, key, value...; optional_args marks the values of ?k: v
  kStruct,  // name{...}; args: field (a literal), value, field, value...; optional_args marks ?f: v
  kComprehension,  // macro over args[0] with variables var1, var2
};

// What args[1...] of a comprehension are.
enum class Macro : uint8_t {
  kNone,
  kAll,                // predicate
  kExists,             // predicate
  kExistsOne,          // predicate
  kMap,                // [filter,] transform
  kFilter,             // predicate
  kTransformList,      // [filter,] transform
  kTransformMap,       // [filter,] transform
  kTransformMapEntry,  // [filter,] entry
  kBind,               // args[0]: value, args[1]: body
  kOptMap,             // transform
  kOptFlatMap,         // transform
  kSortBy,             // key
};

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  Macro macro = Macro::kNone;
  bool member = false;
  bool test_only = false;
  bool optional = false;
  uint16_t depth = 0;   // nesting as cel-go's recursion limit counts it
  uint32_t offset = 0;  // where errors about it point to, in bytes
  uint32_t begin = 0;   // the source text [begin, end)
  uint32_t end = 0;
  Value literal;
  std::string name;
  std::string var1;
  std::string var2;
  std::vector<Expr*> args;
  std::vector<bool> optional_args;

  // Set by the checker.
  const Type* type = nullptr;
  std::vector<const Overload*> candidates;  // overloads that fit the static types
  int variable = -1;                        // index of the environment's variable, for identifiers
  const Type* named_type = nullptr;         // for an identifier that names a type
  const MessageType* message = nullptr;     // of kStruct, and of an identifier that names one
};

class Ast final {
 public:
  Expr* New(ExprKind kind, uint32_t offset) {
    Expr& expr = nodes_.emplace_back();
    expr.kind = kind;
    expr.offset = offset;
    return &expr;
  }
  Expr* root = nullptr;

  // Texts of literals.
  Arena& arena() { return arena_; }
  // Types found by the checker.
  TypePool& types() { return types_; }

 private:
  std::deque<Expr> nodes_;
  Arena arena_;
  TypePool types_;
};

namespace op {
inline constexpr std::string_view kConditional = "_?_:_";
inline constexpr std::string_view kAnd = "_&&_";
inline constexpr std::string_view kOr = "_||_";
inline constexpr std::string_view kNot = "!_";
inline constexpr std::string_view kNegate = "-_";
inline constexpr std::string_view kEquals = "_==_";
inline constexpr std::string_view kNotEquals = "_!=_";
inline constexpr std::string_view kLess = "_<_";
inline constexpr std::string_view kLessEquals = "_<=_";
inline constexpr std::string_view kGreater = "_>_";
inline constexpr std::string_view kGreaterEquals = "_>=_";
inline constexpr std::string_view kIn = "@in";
inline constexpr std::string_view kAdd = "_+_";
inline constexpr std::string_view kSubtract = "_-_";
inline constexpr std::string_view kMultiply = "_*_";
inline constexpr std::string_view kDivide = "_/_";
inline constexpr std::string_view kModulo = "_%_";
inline constexpr std::string_view kIndex = "_[_]";
inline constexpr std::string_view kOptIndex = "_[?_]";
}  // namespace op

}  // namespace fedra::cel
