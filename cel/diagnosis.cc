#include "cel/diagnosis.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "base/quantity.h"
#include "base/semver.h"
#include "cel/checker.h"
#include "cel/device_data.h"
#include "cel/display.h"
#include "cel/library.h"
#include "cel/parser.h"

namespace fedra::cel {
namespace {

std::string TextOf(const Expr& expr, std::string_view expression) {
  if (expr.end <= expr.begin || expr.end > expression.size()) return "";
  return std::string(expression.substr(expr.begin, expr.end - expr.begin));
}

bool IsTextLiteral(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral && expr.literal.is(Kind::kString);
}
bool IsNumberLiteral(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral &&
         (expr.literal.is(Kind::kInt) || expr.literal.is(Kind::kUint) ||
          expr.literal.is(Kind::kDouble));
}
bool IsCallOf(const Expr& expr, std::string_view function) {
  return expr.kind == ExprKind::kCall && expr.name == function;
}

// The operator as written, for the relations that people use on quantities and versions.
std::string_view RelationSign(const Expr& expr) {
  static constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {op::kLess, "<"},           {op::kLessEquals, "<="}, {op::kGreater, ">"},
      {op::kGreaterEquals, ">="}, {op::kEquals, "=="},     {op::kNotEquals, "!="}};
  if (expr.kind != ExprKind::kCall) return "";
  for (const auto& [function, sign] : kSigns) {
    if (expr.name == function) return sign;
  }
  return "";
}

std::string_view Mirrored(std::string_view sign) {
  if (sign == "<") return ">";
  if (sign == "<=") return ">=";
  if (sign == ">") return "<";
  if (sign == ">=") return "<=";
  return sign;
}

// A place below device.attributes or device.capacity that is addressed by constants.
struct Path {
  std::string table;   // "attributes" or "capacity"
  std::string domain;  // as written
  std::string name;    // empty: the path ends at the domain
};

std::optional<std::string> ConstantKey(const Expr& expr) {
  if (expr.kind == ExprKind::kSelect) return expr.name;
  if (IsCallOf(expr, op::kIndex) && IsTextLiteral(*expr.args[1]))
    return std::string(expr.args[1]->literal.AsText());
  return std::nullopt;
}

bool IsTable(const Expr& expr) {
  return expr.kind == ExprKind::kSelect && (expr.name == "attributes" || expr.name == "capacity") &&
         expr.args[0]->kind == ExprKind::kIdent && expr.args[0]->name == "device";
}

std::optional<Path> PathOf(const Expr& expr) {
  const auto key = ConstantKey(expr);
  if (!key || expr.args.empty()) return std::nullopt;
  const Expr& inner = *expr.args[0];
  if (IsTable(inner)) return Path{inner.name, *key, ""};
  const auto domain = ConstantKey(inner);
  if (!domain || inner.args.empty() || !IsTable(*inner.args[0])) return std::nullopt;
  return Path{inner.args[0]->name, *domain, *key};
}

bool IsIdentifier(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string PathText(std::string_view table, std::string_view domain, std::string_view name) {
  std::string text = "device." + std::string(table) + "[" + Quoted(domain) + "]";
  return text + (IsIdentifier(name) ? "." + std::string(name) : "[" + Quoted(name) + "]");
}

void ForEachNode(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  visit(expr);
  for (const Expr* arg : expr.args) ForEachNode(*arg, visit);
}

// The first advice that `advise` finds in the tree, left to right.
std::string FirstAdvice(const Expr& root, const std::function<std::string(const Expr&)>& advise) {
  std::string advice;
  ForEachNode(root, [&](const Expr& expr) {
    if (advice.empty()) advice = advise(expr);
  });
  return advice;
}

// `quantity("40Gi")` for an operand that is meant as one.
std::string AsQuantityText(const Expr& operand, std::string_view expression) {
  if (IsTextLiteral(operand)) return "quantity(" + Quoted(operand.literal.AsText()) + ")";
  if (IsNumberLiteral(operand)) return "quantity(\"" + TextOf(operand, expression) + "\")";
  return TextOf(operand, expression);
}

bool IsQuantity(const Expr& expr) {
  if (expr.type != nullptr && SameType(*expr.type, kQuantityType)) return true;
  const auto path = PathOf(expr);
  return IsCallOf(expr, "quantity") || (path && path->table == "capacity" && !path->name.empty());
}
bool IsSemver(const Expr& expr) {
  return IsCallOf(expr, "semver") || (expr.type != nullptr && SameType(*expr.type, kSemverType));
}

// a >= b with a quantity or version on one side, as a call of compareTo.
std::string CompareToAdvice(const Expr& relation, std::string_view expression) {
  std::string_view sign = RelationSign(relation);
  if (sign.empty()) return "";
  const Expr* left = relation.args[0];
  const Expr* right = relation.args[1];
  const bool semver = IsSemver(*left) || IsSemver(*right);
  if (!semver && !IsQuantity(*left) && !IsQuantity(*right)) return "";
  // The receiver is the side that is a path; a literal goes into the argument.
  const bool swap = semver ? IsSemver(*left) && PathOf(*right)
                           : !IsQuantity(*left) || (PathOf(*right) && !PathOf(*left));
  if (swap) {
    std::swap(left, right);
    sign = Mirrored(sign);
  }
  std::string argument = semver ? TextOf(*right, expression) : AsQuantityText(*right, expression);
  if (semver && IsTextLiteral(*right)) argument = "semver(" + Quoted(right->literal.AsText()) + ")";
  return std::string(semver ? "versions" : "quantities") +
         " have no comparison operators with other types, nor <, <=, >, >= at all; write " +
         TextOf(*left, expression) + ".compareTo(" + argument + ") " + std::string(sign) + " 0";
}

// device.attributes["memory"] used as if it were a value.
std::string WholeDomainAdvice(const Expr& relation) {
  if (RelationSign(relation).empty()) return "";
  for (const Expr* side : relation.args) {
    const auto path = PathOf(*side);
    if (!path || !path->name.empty() ||
        (side->type != nullptr && side->type->kind != TypeKind::kMap))
      continue;
    return "device." + path->table + "[" + Quoted(path->domain) + "] is the map of all " +
           path->table + " of the domain " + Quoted(path->domain) +
           ", not a value; name the domain first: " +
           PathText(path->table, "<driver or domain>", path->domain);
  }
  return "";
}

// "80g": a number with a unit stuck to it.
std::string UnitAdvice(std::string_view expression) {
  static constexpr std::string_view kDigits = "0123456789";
  char quote = '\0';
  for (size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (quote != '\0') {
      if (c == '\\') ++i;
      if (c == quote) quote = '\0';
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    const bool starts = kDigits.find(c) != std::string_view::npos &&
                        (i == 0 || !IsIdentifier(std::string("a") + expression[i - 1]));
    if (!starts) continue;
    size_t end = expression.find_first_not_of("0123456789.", i);
    end = std::min(end, expression.size());
    size_t unit_end = end;
    while (unit_end < expression.size() &&
           ((expression[unit_end] | 0x20) >= 'a' && (expression[unit_end] | 0x20) <= 'z'))
      ++unit_end;
    const std::string number(expression.substr(i, end - i));
    std::string unit(expression.substr(end, unit_end - end));
    if (unit.empty() || unit == "u" || unit == "U" || unit[0] == 'x' || unit == "e" ||
        unit == "E") {
      i = std::max(unit_end, i + 1) - 1;
      continue;
    }
    // 80g and 80gb are meant as 80G, 80gib as 80Gi.
    std::string suffix(1,
                       static_cast<char>(unit[0] == 'k' || unit[0] == 'K' ? 'k' : unit[0] & ~0x20));
    if (unit.size() > 1 && (unit[1] | 0x20) == 'i') suffix = (suffix == "k" ? "K" : suffix) + "i";
    if (!Quantity::Parse(number + suffix)) return "";
    return "numbers have no units in CEL; " + number + unit + " is quantity(\"" + number + suffix +
           "\"), which is compared like this: "
           "device.capacity[\"<driver>\"].<name>.compareTo(quantity(\"" +
           number + suffix + "\")) >= 0";
  }
  return "";
}

// A function or field that a later release has.
std::string ReleaseAdvice(const CompileFailure& failure, const SelectorOptions& options) {
  for (const CompileIssue& issue : failure.issues) {
    const size_t open = issue.message.find('\'');
    const size_t close = issue.message.find('\'', open + 1);
    if (close == std::string::npos) continue;
    const std::string name = issue.message.substr(open + 1, close - open - 1);
    const bool field = issue.message.starts_with("undefined field");
    if (!field && !issue.message.starts_with("undeclared reference")) continue;
    for (auto next = static_cast<int>(options.release) + 1;
         next <= static_cast<int>(kNewestRelease); ++next) {
      const auto release = static_cast<KubernetesRelease>(next);
      const bool known = field ? DeviceField(name, release, false) != nullptr
                               : FunctionsOf(release).Find(name) != nullptr;
      if (known) {
        return "'" + name + "' exists from Kubernetes " + std::string(cel::ToString(release)) +
               " on, this is " + std::string(cel::ToString(options.release));
      }
    }
    if (field) {
      return "a selector sees device.driver, device.attributes, device.capacity and (from 1.34) "
             "device.allowMultipleAllocations; the name, pool and node of a device are not visible";
    }
    if (name == "existsOne") return "with one variable the macro is called exists_one";
  }
  return "";
}

std::string MacroRangeAdvice(const CompileFailure& failure) {
  for (const CompileIssue& issue : failure.issues) {
    if (issue.message.find("cannot be range of a comprehension") == std::string::npos) continue;
    return "attributes are single values; macros work on attribute lists only where the gate "
           "DRAListTypeAttributes is on. Test one value with == or with in [...]";
  }
  return "";
}

bool Mentions(const CompileFailure& failure, std::string_view text) {
  return std::any_of(failure.issues.begin(), failure.issues.end(), [&](const CompileIssue& issue) {
    return issue.message.find(text) != std::string::npos;
  });
}

// The tree, checked as far as possible; its root is nullptr after a syntax error.
std::unique_ptr<Ast> ParseForAdvice(std::string_view expression, const SelectorOptions& options) {
  auto ast = std::make_unique<Ast>();
  IssueList issues(expression);
  const Environment environment = DeviceEnvironment(options.release, options.list_attributes);
  Parse(expression, environment.parser, *ast, issues);
  if (!issues.empty()) {
    ast->root = nullptr;
    return ast;
  }
  Check(environment, *ast, issues);
  return ast;
}

// Where else the device has a value of that name: "device.capacity["d"].memory", or nothing.
std::string FoundElsewhere(const DeviceData& device, std::string_view name) {
  for (const auto& entry : device.attributes.entries()) {
    if (entry.name == name) return PathText("attributes", entry.domain, name);
  }
  for (const auto& entry : device.capacity.entries()) {
    if (entry.name == name)
      return PathText("capacity", entry.domain, name) + ", a quantity to be used with compareTo";
  }
  return "";
}

bool HasDomain(const DomainTable& table, std::string_view domain) {
  return std::any_of(table.entries().begin(), table.entries().end(),
                     [&](const auto& entry) { return entry.domain == domain; });
}

// For "no such key" at this path on this device.
std::string MissingKeyAdvice(const Path& path, const DeviceData& device) {
  const DomainTable& table = path.table == "attributes" ? device.attributes : device.capacity;
  if (path.name.empty() ||
      table.Find(DomainTable::Hash(path.domain, path.name), path.domain, path.name) != nullptr) {
    return "";
  }
  if (const size_t slash = path.domain.find('/'); slash != std::string::npos) {
    return "the part before the slash is the domain: write " +
           PathText(path.table, path.domain.substr(0, slash), path.domain.substr(slash + 1));
  }
  if (!HasDomain(table, path.domain)) {
    if (const std::string other = FoundElsewhere(device, path.domain); !other.empty()) {
      return Quoted(path.domain) +
             " is used as a domain here, but it is the name of a value: write " + other;
    }
  }
  if (const std::string other = FoundElsewhere(device, path.name); !other.empty()) {
    return "this device has the value elsewhere: " + other;
  }
  const std::string text = PathText(path.table, path.domain, path.name);
  if (IsIdentifier(path.name)) {
    return "not every device has " + text + "; guard the use: has(" + text + ") && " + text +
           " ...";
  }
  return "not every device has " + text + "; guard the use: " + Quoted(path.name) + " in device." +
         path.table + "[" + Quoted(path.domain) + "] && ...";
}

const Value* ValueAt(const Path& path, const DeviceData& device) {
  const DomainTable& table = path.table == "attributes" ? device.attributes : device.capacity;
  return table.Find(DomainTable::Hash(path.domain, path.name), path.domain, path.name);
}

// For "no such overload": a version attribute against a text, a number against a text, and so on.
std::string WrongKindAdvice(const Expr& expr, std::string_view expression,
                            const DeviceData& device) {
  std::string_view sign = RelationSign(expr);
  const bool membership = IsCallOf(expr, op::kIn);
  if (sign.empty() && !membership) return "";
  for (size_t side = 0; side < 2; ++side) {
    const auto path = PathOf(*expr.args[side]);
    const Value* value = path ? ValueAt(*path, device) : nullptr;
    if (value == nullptr) continue;
    const Expr& other = *expr.args[1 - side];
    const std::string text = TextOf(*expr.args[side], expression);
    if (value->is(Kind::kSemver) && membership) {
      return text + " is a version here; compare it with each candidate: " + text +
             ".compareTo(semver(\"1.2.3\")) == 0 || ...";
    }
    if (value->is(Kind::kSemver) && IsTextLiteral(other)) {
      return text + " is a version here, not a text; write " + text + ".compareTo(semver(" +
             Quoted(other.literal.AsText()) +
             (Semver::Parse(other.literal.AsText()) ? "" : ", true") + ")) " +
             std::string(side == 0 ? sign : Mirrored(sign)) + " 0";
    }
    if (!membership && (IsTextLiteral(other) || IsNumberLiteral(other))) {
      return text + " is of type " + std::string(TypeName(value->kind())) + " here (" +
             SourceText(*value) + "), which does not compare with " + TextOf(other, expression);
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> OperandTexts(const Ast& ast, std::string_view expression) {
  const Expr& root = *ast.root;
  if (root.kind != ExprKind::kCall || root.name != op::kAnd) return {std::string(expression)};
  std::vector<std::string> texts;
  for (const Expr* operand : root.args) texts.push_back(TextOf(*operand, expression));
  return texts;
}

std::string AdviseOnCompilation(std::string_view expression, const SelectorOptions& options,
                                const CompileFailure& failure) {
  if (std::string advice = ReleaseAdvice(failure, options); !advice.empty()) return advice;
  if (std::string advice = MacroRangeAdvice(failure); !advice.empty()) return advice;
  if (Mentions(failure, "Syntax error")) return UnitAdvice(expression);
  if (!Mentions(failure, "found no matching overload")) return "";
  const auto ast = ParseForAdvice(expression, options);
  if (ast->root == nullptr) return "";
  return FirstAdvice(*ast->root, [&](const Expr& expr) {
    if (expr.type == nullptr || expr.type->kind != TypeKind::kError) return std::string();
    const std::string advice = CompareToAdvice(expr, expression);
    return advice.empty() ? WholeDomainAdvice(expr) : advice;
  });
}

std::string AdviseOnEvaluation(std::string_view expression, const SelectorOptions& options,
                               const Device& device, const EvalResult& result) {
  if (!result.failed()) return "";
  if (!device.poison(options.list_attributes).empty()) {
    return "the ResourceSlice has to be corrected by its driver: no selector can be evaluated on "
           "this device";
  }
  const auto ast = ParseForAdvice(expression, options);
  if (ast->root == nullptr) return "";
  const DeviceData& data = device.data();
  if (result.error.starts_with("no such key")) {
    return FirstAdvice(*ast->root, [&](const Expr& expr) {
      const auto path = PathOf(expr);
      return path ? MissingKeyAdvice(*path, data) : std::string();
    });
  }
  if (result.error.starts_with("CEL result of type")) {
    return "the selector must say true or false; compare the value with something";
  }
  return FirstAdvice(*ast->root,
                     [&](const Expr& expr) { return WrongKindAdvice(expr, expression, data); });
}

std::vector<std::string> WarningsFor(const Ast& ast, std::string_view expression) {
  std::vector<std::string> warnings;
  ForEachNode(*ast.root, [&](const Expr& expr) {
    const std::string_view sign = RelationSign(expr);
    if (sign.empty() || sign == "==" || sign == "!=") return;
    for (size_t side = 0; side < 2; ++side) {
      const auto path = PathOf(*expr.args[side]);
      const Expr& other = *expr.args[1 - side];
      if (!path || path->table != "attributes" || path->name.empty() || !IsTextLiteral(other))
        continue;
      const std::string_view text = other.literal.AsText();
      if (!Quantity::Parse(text)) continue;
      warnings.push_back(TextOf(expr, expression) +
                         " compares as text (\"8Gi\" is more than \"16Gi\", \"128Gi\" is less); "
                         "for amounts write " +
                         PathText("capacity", path->domain, path->name) + ".compareTo(quantity(" +
                         Quoted(text) + ")) " + std::string(side == 0 ? sign : Mirrored(sign)) +
                         " 0");
    }
  });
  return warnings;
}

}  // namespace fedra::cel
