#include "tests/unit/cel/tree_walk.h"

#include <optional>

#include "cel/interpreter.h"

namespace fedra::cel {
namespace {

class Walker final {
 public:
  Walker(const Environment& environment, Evaluation& evaluation, const Value* variables)
      : environment_(environment), evaluation_(evaluation), variables_(variables) {}

  Value Walk(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return expr.literal;
      case ExprKind::kIdent:
        return Ident(expr);
      case ExprKind::kSelect:
        return Select(expr);
      case ExprKind::kCall:
        return Call(expr);
      case ExprKind::kList:
        return List(expr);
      case ExprKind::kMap:
        return Map(expr);
      case ExprKind::kStruct:
        return Value::Error("unknown type");
      case ExprKind::kComprehension:
        return Comprehension(expr);
    }
    return {};
  }

 private:
  struct Local {
    std::string name;
    Value value;
    const Expr* lazy = nullptr;  // not computed yet
  };

  Value Ident(const Expr& expr) {
    if (expr.named_type != nullptr) return Value::Type(expr.named_type->name);
    if (expr.variable >= 0) return variables_[expr.variable];
    for (size_t i = locals_.size(); i-- > 0;) {
      if (locals_[i].name != expr.name) continue;
      if (const Expr* lazy = locals_[i].lazy) {
        // The initialiser sees the variables that were there before it.
        std::vector<Local> inner(locals_.begin() + static_cast<ptrdiff_t>(i), locals_.end());
        locals_.resize(i);
        const Value value = Walk(*lazy);
        locals_.insert(locals_.end(), inner.begin(), inner.end());
        locals_[i].value = value;
        locals_[i].lazy = nullptr;
      }
      return locals_[i].value;
    }
    return Value::Error("no such attribute");
  }

  // operand.key, operand[key], with optional operands and optional selection.
  Value Selected(const Value& operand, const Value& key, bool optional) {
    if (operand.is_error()) return operand;
    Value object = operand;
    if (operand.is(Kind::kOptional)) {
      if (operand.AsOptional() == nullptr) return operand;
      object = *operand.AsOptional();
      optional = true;
    }
    const Lookup found = Find(evaluation_, object, key);
    if (found.outcome == Lookup::Outcome::kError) return found.value;
    if (found.outcome == Lookup::Outcome::kFound)
      return optional ? evaluation_.Optional(found.value) : found.value;
    return optional ? Value::Optional(nullptr) : Value::Error("no such key");
  }

  Value Select(const Expr& expr) {
    if (expr.named_type != nullptr || expr.variable >= 0) return Ident(expr);
    const Value operand = Walk(*expr.args[0]);
    const Value selected =
        Selected(operand, Value::String(expr.name), expr.optional || expr.test_only);
    if (!expr.test_only || selected.is_error()) return selected;
    return Value::Bool(selected.AsOptional() != nullptr);
  }

  Value Chain(const Expr& expr, bool stop_at) {
    Value failure;
    for (const Expr* arg : expr.args) {
      const Value value = Walk(*arg);
      if (evaluation_.aborted()) return value;
      if (value.is(Kind::kBool) && value.AsBool() == stop_at) return value;
      if (!value.is(Kind::kBool) && !failure.is_error()) {
        failure = value.is_error() ? value : evaluation_.NoSuchOverload();
      }
    }
    return failure.is_error() ? failure : Value::Bool(!stop_at);
  }

  // A list of literals only: cel-go makes a hash set of it.
  static bool IsConstantList(const Expr& expr) {
    if (expr.kind != ExprKind::kList) return false;
    for (const Expr* item : expr.args) {
      const Kind kind = item->literal.kind();
      if (item->kind != ExprKind::kLiteral || kind == Kind::kNull || kind == Kind::kBytes)
        return false;
    }
    return true;
  }

  Value In(const Expr& expr, const Value& needle, const Value& haystack) {
    const bool constant = IsConstantList(*expr.args[1]);
    if (constant && expr.args[1]->args.empty()) return Value::Bool(false);
    if (needle.is_error()) return needle;
    if (haystack.is_error()) return haystack;
    if (haystack.is(Kind::kList)) {
      if (constant && !IsHashable(needle)) return UnhashableKey(evaluation_, needle);
      for (const Value& item : haystack.AsList()) {
        if (Equals(needle, item, evaluation_.steps()) == Equality::kEqual) return Value::Bool(true);
      }
      return Value::Bool(false);
    }
    if (!haystack.is(Kind::kMap)) return evaluation_.NoSuchOverload();
    const MapValue& map = haystack.AsMap();
    if (map.entries.empty()) return Value::Bool(false);
    if (!map.native && !IsHashable(needle)) return UnhashableKey(evaluation_, needle);
    return Value::Bool(FindEntry(map, needle, evaluation_.steps()) != nullptr);
  }

  Value Relation(std::string_view name, const Value& left, const Value& right) {
    const Order order = Compare(left, right);
    if (order == Order::kUnordered) return Value::Error("NaN");
    if (order == Order::kNoOverload) return evaluation_.NoSuchOverload();
    if (name == op::kLess) return Value::Bool(order == Order::kLess);
    if (name == op::kLessEquals) return Value::Bool(order != Order::kGreater);
    if (name == op::kGreater) return Value::Bool(order == Order::kGreater);
    return Value::Bool(order != Order::kLess);
  }

  Value Operator(const Expr& expr, const Value& left, const Value& right) {
    const std::string_view name = expr.name;
    if (name == op::kIn) return In(expr, left, right);
    if (left.is_error()) return left;
    if (right.is_error()) return right;
    if (name == op::kEquals || name == op::kNotEquals) {
      const Equality equality = Equals(left, right, evaluation_.steps());
      if (name == op::kNotEquals) return Value::Bool(equality != Equality::kEqual);
      return equality == Equality::kError ? evaluation_.NoSuchOverload()
                                          : Value::Bool(equality == Equality::kEqual);
    }
    if (name == op::kAdd) return Add(evaluation_, left, right);
    if (name == op::kSubtract) return Subtract(left, right);
    if (name == op::kMultiply) return Multiply(left, right);
    if (name == op::kDivide) return Divide(left, right);
    if (name == op::kModulo) return Modulo(left, right);
    return Relation(name, left, right);
  }

  Value Call(const Expr& expr) {
    const std::string_view name = expr.name;
    if (name == op::kAnd) return Chain(expr, false);
    if (name == op::kOr) return Chain(expr, true);
    if (name == op::kConditional) {
      const Value condition = Walk(*expr.args[0]);
      if (!condition.is(Kind::kBool))
        return condition.is_error() ? condition : evaluation_.NoSuchOverload();
      return Walk(*expr.args[condition.AsBool() ? 1 : 2]);
    }
    std::vector<Value> args;
    for (const Expr* arg : expr.args) {
      if ((name == "or" || name == "orValue") && args.size() == 1) break;
      args.push_back(Walk(*arg));
    }
    if (name == op::kIndex || name == op::kOptIndex) {
      if (args[0].is_error()) return args[0];
      return args[1].is_error() ? args[1] : Selected(args[0], args[1], name == op::kOptIndex);
    }
    if (name == op::kNot) {
      if (args[0].is_error()) return args[0];
      return args[0].is(Kind::kBool) ? Value::Bool(!args[0].AsBool())
                                     : evaluation_.NoSuchOverload();
    }
    if (name == op::kNegate) return args[0].is_error() ? args[0] : Negated(args[0]);
    if ((name == "or" || name == "orValue") && expr.args.size() == 2)
      return OptionalOr(expr, args[0]);
    if (name[0] == '_' || name[0] == '@') return Operator(expr, args[0], args[1]);
    return Function(expr, args);
  }

  Value OptionalOr(const Expr& expr, const Value& left) {
    if (!left.is(Kind::kOptional)) return left;
    if (left.AsOptional() == nullptr) return Walk(*expr.args[1]);
    return expr.name == "or" ? left : *left.AsOptional();
  }

  Value Function(const Expr& expr, const std::vector<Value>& args) {
    for (const Value& arg : args) {
      if (arg.is_error()) return arg;
    }
    const FunctionDeclaration* function = environment_.functions->Find(expr.name);
    if (function == nullptr) return Value::Error("unbound function");
    const auto& overloads = expr.candidates.size() == 1 ? expr.candidates : function->overloads;
    for (const Overload* overload : overloads) {
      if (overload->implementation == nullptr || !AcceptsAtRunTime(*overload, args)) continue;
      return overload->implementation(evaluation_, args.data());
    }
    return evaluation_.NoSuchOverload();
  }

  Value List(const Expr& expr) {
    ListBuilder list(evaluation_);
    for (size_t i = 0; i < expr.args.size(); ++i) {
      Value value = Walk(*expr.args[i]);
      if (value.is_error()) return value;
      if (expr.optional_args[i]) {
        if (!value.is(Kind::kOptional)) return Value::Error("not optional");
        if (value.AsOptional() == nullptr) continue;
        value = *value.AsOptional();
      }
      list.Add(value);
    }
    return list.Finish();
  }

  Value Map(const Expr& expr) {
    MapBuilder map(evaluation_);
    for (size_t i = 0; i + 1 < expr.args.size(); i += 2) {
      const Value key = Walk(*expr.args[i]);
      if (key.is_error()) return key;
      Value value = Walk(*expr.args[i + 1]);
      if (value.is_error()) return value;
      if (expr.optional_args[i / 2]) {
        if (!value.is(Kind::kOptional)) return Value::Error("not optional");
        if (value.AsOptional() == nullptr) {
          map.Remove(key);
          continue;
        }
        value = *value.AsOptional();
      }
      if (map.Put(key, value, MapBuilder::Mode::kReplace) == MapBuilder::Outcome::kUnhashable) {
        return UnhashableKey(evaluation_, key);
      }
    }
    return map.Finish();
  }

  Value Comprehension(const Expr& expr) {
    const size_t scope = locals_.size();
    Value result;
    switch (expr.macro) {
      case Macro::kBind:
        locals_.push_back({expr.var1, {}, expr.args[0]});
        result = Walk(*expr.args[1]);
        break;
      case Macro::kOptMap:
      case Macro::kOptFlatMap: {
        const Value target = Walk(*expr.args[0]);
        if (!target.is(Kind::kOptional))
          return target.is_error() ? target : evaluation_.NoSuchOverload();
        if (target.AsOptional() == nullptr) return target;
        locals_.push_back({expr.var1, *target.AsOptional()});
        result = Walk(*expr.args[1]);
        if (expr.macro == Macro::kOptMap && !result.is_error())
          result = evaluation_.Optional(result);
        break;
      }
      default:
        result = Iteration(expr);
    }
    locals_.resize(scope);
    return result;
  }

  // One element of a range as the two variables see it.
  struct Step {
    Value first;
    Value second;
  };

  Value Steps(const Expr& expr, std::vector<Step>& steps) {
    const Value range = Walk(*expr.args[0]);
    const bool two = !expr.var2.empty();
    if (range.is(Kind::kList)) {
      int64_t index = 0;
      for (const Value& item : range.AsList())
        steps.push_back({two ? Value::Int(index++) : item, item});
    } else if (range.is(Kind::kMap) && expr.macro != Macro::kSortBy) {
      for (const MapEntry& entry : range.AsMap().entries) steps.push_back({entry.key, entry.value});
    } else {
      return range.is_error() ? range : Value::Error("not iterable");
    }
    return range;
  }

  // What the elements of a range have come to.
  struct Gathered {
    explicit Gathered(Evaluation& evaluation) : list(evaluation), map(evaluation) {}
    ListBuilder list;
    MapBuilder map;
    Value quantified;
    int64_t count = 0;
  };

  Value Iteration(const Expr& expr) {
    std::vector<Step> steps;
    const Value range = Steps(expr, steps);
    if (range.is_error()) return range;
    Gathered gathered(evaluation_);
    gathered.quantified = Value::Bool(expr.macro == Macro::kAll);
    for (const Step& step : steps) {
      locals_.push_back({expr.var1, step.first});
      if (!expr.var2.empty()) locals_.push_back({expr.var2, step.second});
      if (expr.args.size() == 3) {
        const Value filter = Walk(*expr.args[1]);
        if (!filter.is(Kind::kBool))
          return filter.is_error() ? filter : evaluation_.NoSuchOverload();
        if (!filter.AsBool()) {
          PopVariables(expr);
          continue;
        }
      }
      const Value value = Walk(*expr.args.back());
      PopVariables(expr);
      if (evaluation_.aborted()) return value;
      if (const std::optional<Value> end = Gather(expr, step, value, gathered)) return *end;
    }
    if (expr.macro == Macro::kAll || expr.macro == Macro::kExists) return gathered.quantified;
    if (expr.macro == Macro::kExistsOne) return Value::Bool(gathered.count == 1);
    if (expr.macro == Macro::kTransformMap || expr.macro == Macro::kTransformMapEntry)
      return gathered.map.Finish();
    const Value result = gathered.list.Finish();
    return expr.macro == Macro::kSortBy ? SortedByKeys(evaluation_, range, result) : result;
  }

  // Adds what the last argument said of one element; not null: the whole ends with this value.
  std::optional<Value> Gather(const Expr& expr, const Step& step, const Value& value,
                              Gathered& gathered) {
    const bool is_bool = value.is(Kind::kBool);
    const Value error = value.is_error() ? value : evaluation_.NoSuchOverload();
    switch (expr.macro) {
      case Macro::kAll:
      case Macro::kExists:
        if (is_bool && value.AsBool() == (expr.macro == Macro::kExists)) return value;
        if (!is_bool && !gathered.quantified.is_error()) gathered.quantified = error;
        break;
      case Macro::kExistsOne:
        if (!is_bool) return error;
        gathered.count += value.AsBool() ? 1 : 0;
        break;
      case Macro::kFilter:
        if (!is_bool) return error;
        if (value.AsBool()) gathered.list.Add(step.first);
        break;
      case Macro::kTransformMap: {
        const Value failure = value.is_error() ? value : Insert(gathered.map, step.first, value);
        if (failure.is_error()) return failure;
        break;
      }
      case Macro::kTransformMapEntry:
        if (!value.is(Kind::kMap)) return error;
        for (const MapEntry& entry : value.AsMap().entries) {
          const Value failure = Insert(gathered.map, entry.key, entry.value);
          if (failure.is_error()) return failure;
        }
        break;
      default:
        if (value.is_error()) return value;
        gathered.list.Add(value);
    }
    return std::nullopt;
  }

  void PopVariables(const Expr& expr) {
    locals_.pop_back();
    if (!expr.var2.empty()) locals_.pop_back();
  }

  Value Insert(MapBuilder& map, const Value& key, const Value& value) {
    const auto outcome = map.Put(key, value, MapBuilder::Mode::kInsertOnly);
    if (outcome == MapBuilder::Outcome::kUnhashable) return UnhashableKey(evaluation_, key);
    return outcome == MapBuilder::Outcome::kDone ? Value::Null() : Value::Error("insert failed");
  }

  const Environment& environment_;
  Evaluation& evaluation_;
  const Value* const variables_;
  std::vector<Local> locals_;
};

}  // namespace

Value WalkTree(const Ast& ast, const Environment& environment, Evaluation& evaluation,
               const Value* variables) {
  return Walker(environment, evaluation, variables).Walk(*ast.root);
}

}  // namespace fedra::cel
