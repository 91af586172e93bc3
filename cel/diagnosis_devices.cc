// Advice on what happens on a device: errors of the evaluation, and comparisons that go wrong.

#include <algorithm>

#include "base/quantity.h"
#include "base/semver.h"
#include "cel/device_data.h"
#include "cel/diagnosis.h"
#include "cel/display.h"
#include "cel/interpreter.h"
#include "cel/selector_patterns.h"

namespace fedra::cel {
namespace {

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

bool Lacks(const DeviceData& device, const Path& path) {
  const DomainTable& table = path.table == "attributes" ? device.attributes : device.capacity;
  return !path.name.empty() &&
         table.Find(DomainTable::Hash(path.domain, path.name), path.domain, path.name) == nullptr;
}

// For a path that the device lacks: how it should read; empty: no other one is known.
std::string BetterPath(const Path& path, const DeviceData& device) {
  const DomainTable& table = path.table == "attributes" ? device.attributes : device.capacity;
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
  return "";
}

// For "no such key" at this path on this device.
std::string MissingKeyAdvice(const Path& path, const DeviceData& device) {
  if (!Lacks(device, path)) return "";
  if (std::string better = BetterPath(path, device); !better.empty()) return better;
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
  if (result.error.starts_with(kNoSuchKey)) {
    return FirstAdvice(*ast->root, [&](const Expr& expr) {
      const auto path = PathOf(expr);
      return path ? MissingKeyAdvice(*path, data) : std::string();
    });
  }
  if (result.is_no_bool) {
    return "the selector must say true or false; compare the value with something";
  }
  return FirstAdvice(*ast->root,
                     [&](const Expr& expr) { return WrongKindAdvice(expr, expression, data); });
}

std::optional<MissingValue> FindMissingValue(std::string_view expression,
                                             const SelectorOptions& options, const Device& device,
                                             const EvalResult& result) {
  if (!result.error.starts_with(kNoSuchKey)) return std::nullopt;
  const auto ast = ParseForAdvice(expression, options);
  if (ast->root == nullptr) return std::nullopt;
  std::optional<MissingValue> missing;
  bool decided = false;  // the advice is about this path
  ForEachNode(*ast->root, [&](const Expr& expr) {
    const auto path = PathOf(expr);
    if (decided || !path || !Lacks(device.data(), *path)) return;
    decided = true;
    if (BetterPath(*path, device.data()).empty())
      missing = {.table = path->table, .domain = path->domain, .name = path->name};
  });
  return missing;
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
