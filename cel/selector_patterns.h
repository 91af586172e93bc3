#pragma once
//
// Shapes of expressions that people write, for the advice: paths into a device, relations,
// literals.
//
// Thread rules: pure functions. Texts are cut from the expression that the tree was made of.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cel/ast.h"
#include "cel/selector.h"

namespace fedra::cel {

// A place below device.attributes or device.capacity that is addressed by constants.
struct Path {
  std::string table;   // "attributes" or "capacity"
  std::string domain;  // as written
  std::string name;    // empty: the path ends at the domain
};

std::optional<Path> PathOf(const Expr& expr);

// `device.attributes["d"].name`, as one would write it.
std::string PathText(std::string_view table, std::string_view domain, std::string_view name);

// Whether the name can stand behind a dot.
bool IsIdentifier(std::string_view name);

bool IsTextLiteral(const Expr& expr);
bool IsNumberLiteral(const Expr& expr);
bool IsCallOf(const Expr& expr, std::string_view function);

// The operator as written, for the relations that people use on quantities and versions; else
// empty.
std::string_view RelationSign(const Expr& expr);
// The one that says the same with the sides exchanged.
std::string_view Mirrored(std::string_view sign);

// The source of the node.
std::string TextOf(const Expr& expr, std::string_view expression);

void ForEachNode(const Expr& expr, const std::function<void(const Expr&)>& visit);

// The first advice that `advise` finds in the tree, left to right.
std::string FirstAdvice(const Expr& root, const std::function<std::string(const Expr&)>& advise);

// The tree, checked as far as possible; its root is nullptr after a syntax error.
std::unique_ptr<Ast> ParseForAdvice(std::string_view expression, const SelectorOptions& options);

}  // namespace fedra::cel
