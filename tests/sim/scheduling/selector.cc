#include "tests/sim/scheduling/selector.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>
#include <variant>
#include <vector>

#include "base/quantity.h"

namespace fedra::sim {
namespace {

struct Failed {
  bool operator==(const Failed&) const = default;
};
// A JSON object on the way to a value: the device, its attributes, one domain of them.
using Value = std::variant<Failed, bool, int64_t, std::string, Quantity, std::vector<std::string>,
                           const Json*>;

bool IsFailed(const Value& value) { return std::holds_alternative<Failed>(value); }

// CEL's && and ||: the absorbing value wins over an error on either side.
Value Absorb(const Value& left, const Value& right, bool absorbing) {
  const bool* a = std::get_if<bool>(&left);
  const bool* b = std::get_if<bool>(&right);
  if ((a != nullptr && *a == absorbing) || (b != nullptr && *b == absorbing)) return absorbing;
  if (a == nullptr || b == nullptr) return Failed{};
  return !absorbing;
}

template <class T>
Value Ordered(const T& a, const T& b, std::string_view op) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  return a >= b;
}

Value Compare(const Value& left, const Value& right, std::string_view op) {
  if (IsFailed(left) || IsFailed(right)) return Failed{};
  const bool same_type = left.index() == right.index();
  if (op == "==" || op == "!=") return (same_type && left == right) == (op == "==");
  if (!same_type) return Failed{};
  if (const auto* number = std::get_if<int64_t>(&left)) {
    return Ordered(*number, std::get<int64_t>(right), op);
  }
  if (const auto* text = std::get_if<std::string>(&left)) {
    return Ordered(*text, std::get<std::string>(right), op);
  }
  return Failed{};  // quantities have functions, not operators
}

Value Leaf(const Json& value) {
  if (const Json* text = At(value, {"string"})) return text->get<std::string>();
  if (const Json* number = At(value, {"int"})) return number->get<int64_t>();
  if (const Json* flag = At(value, {"bool"})) return flag->get<bool>();
  if (const Json* amount = At(value, {"value"})) {
    const auto quantity = Quantity::Parse(amount->is_string() ? amount->get<std::string>() : "");
    if (quantity) return *quantity;
  }
  return Failed{};
}

Value Member(const Value& value, const std::string& name) {
  const Json* const* object = std::get_if<const Json*>(&value);
  if (object == nullptr) return Failed{};
  const auto found = (*object)->find(name);
  if (found == (*object)->end()) return Failed{};
  if (found->is_string()) return found->get<std::string>();
  if (found->is_boolean()) return found->get<bool>();
  const Value leaf = Leaf(*found);
  return IsFailed(leaf) ? Value(&*found) : leaf;
}

Value MatchesPattern(const std::string& text, std::string pattern) {
  const bool framed = pattern.starts_with("^.*") && pattern.ends_with(".*$") && pattern.size() > 6;
  if (!framed) return Failed{};
  pattern = pattern.substr(3, pattern.size() - 6);
  return text.find(pattern) != std::string::npos;
}

Value CallOnText(const std::string& text, std::string_view method, const Value& argument) {
  if (method == "lowerAscii") {
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
  }
  const auto* other = std::get_if<std::string>(&argument);
  if (other == nullptr) return Failed{};
  if (method == "startsWith") return text.starts_with(*other);
  if (method == "endsWith") return text.ends_with(*other);
  if (method == "contains") return text.find(*other) != std::string::npos;
  if (method == "matches") return MatchesPattern(text, *other);
  return Failed{};
}

Value CallOnQuantity(const Quantity& amount, std::string_view method, const Value& argument) {
  const auto* other = std::get_if<Quantity>(&argument);
  if (other == nullptr) return Failed{};
  if (method == "compareTo") return int64_t{amount < *other ? -1 : amount > *other ? 1 : 0};
  if (method == "isLessThan") return amount < *other;
  if (method == "isGreaterThan") return amount > *other;
  return Failed{};
}

// Recursive descent over the text; what cannot be read makes the whole expression fail.
class Evaluation final {
 public:
  Evaluation(std::string_view text, const Json& device) : text_(text), device_(device) {}

  std::optional<bool> Run() {
    const Value value = Or();
    Skip();
    const bool* result = std::get_if<bool>(&value);
    if (broken_ || at_ != text_.size() || result == nullptr) return std::nullopt;
    return *result;
  }

 private:
  Value Or() {
    Value value = And();
    while (Take("||")) value = Absorb(value, And(), true);
    return value;
  }

  Value And() {
    Value value = Relation();
    while (Take("&&")) value = Absorb(value, Relation(), false);
    return value;
  }

  Value Relation() {
    Value left = Unary();
    for (const std::string_view op : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (Take(op)) return Compare(left, Unary(), op);
    }
    if (!Take("in ")) return left;
    const Value right = Unary();
    const auto* list = std::get_if<std::vector<std::string>>(&right);
    const auto* text = std::get_if<std::string>(&left);
    if (list == nullptr || text == nullptr) return Failed{};
    return std::find(list->begin(), list->end(), *text) != list->end();
  }

  Value Unary() {
    Skip();
    if (text_.substr(at_, 2) == "!=" || !Take("!")) return Postfix();
    const Value value = Unary();
    const bool* flag = std::get_if<bool>(&value);
    return flag == nullptr ? Value(Failed{}) : Value(!*flag);
  }

  Value Postfix() {
    Value value = Primary();
    for (;;) {
      if (Take("[")) {
        const Value key = Or();
        if (!Take("]")) broken_ = true;
        const auto* name = std::get_if<std::string>(&key);
        value = name == nullptr ? Value(Failed{}) : Member(value, *name);
      } else if (Take(".")) {
        const std::string name = Identifier();
        value = Take("(") ? Call(value, name) : Member(value, name);
      } else {
        return value;
      }
    }
  }

  Value Call(const Value& value, const std::string& method) {
    const Value argument = Take(")") ? Value(Failed{}) : Argument();
    if (const auto* text = std::get_if<std::string>(&value)) {
      return CallOnText(*text, method, argument);
    }
    if (const auto* amount = std::get_if<Quantity>(&value)) {
      return CallOnQuantity(*amount, method, argument);
    }
    return Failed{};
  }

  Value Argument() {
    Value value = Or();
    if (!Take(")")) broken_ = true;
    return value;
  }

  Value Primary() {
    Skip();
    if (at_ == text_.size()) return Broken();
    const char c = text_[at_];
    if (c == '"' || c == '\'') return Literal(c);
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-') return Number();
    if (Take("(")) return Argument();
    if (Take("[")) return List();
    const std::string name = Identifier();
    if (name == "true") return true;
    if (name == "false") return false;
    if (name == "device") return &device_;
    if (name == "quantity" && Take("(")) {
      const Value argument = Argument();
      const auto* text = std::get_if<std::string>(&argument);
      const auto quantity = Quantity::Parse(text == nullptr ? "" : *text);
      return quantity ? Value(*quantity) : Value(Failed{});
    }
    return Broken();
  }

  Value List() {
    std::vector<std::string> items;
    while (!Take("]")) {
      const Value item = Or();
      const auto* text = std::get_if<std::string>(&item);
      if (text == nullptr || broken_) return Broken();
      items.push_back(*text);
      (void)Take(",");
    }
    return items;
  }

  Value Literal(char quote) {
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return Broken();
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  Value Number() {
    int64_t number = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc()) return Broken();
    at_ = static_cast<size_t>(end - text_.data());
    return number;
  }

  std::string Identifier() {
    Skip();
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    if (at_ == begin) broken_ = true;
    return std::string(text_.substr(begin, at_ - begin));
  }

  void Skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool Take(std::string_view token) {
    Skip();
    if (broken_ || !text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  Value Broken() {
    broken_ = true;
    return Failed{};
  }

  const std::string_view text_;
  const Json& device_;
  size_t at_ = 0;
  bool broken_ = false;
};

Json ByDomain(std::string_view driver, const Json* values) {
  Json domains = Json::object();
  if (values == nullptr || !values->is_object()) return domains;
  for (const auto& [name, value] : values->items()) {
    const size_t slash = name.find('/');
    const bool bare = slash == std::string::npos;
    domains[bare ? std::string(driver) : name.substr(0, slash)]
           [bare ? name : name.substr(slash + 1)] = value;
  }
  return domains;
}

}  // namespace

Json SelectorView(std::string_view driver, const Json& device) {
  return {{"driver", driver},
          {"attributes", ByDomain(driver, At(device, {"attributes"}))},
          {"capacity", ByDomain(driver, At(device, {"capacity"}))},
          {"allowMultipleAllocations", BoolAt(device, {"allowMultipleAllocations"})}};
}

std::optional<bool> EvaluateSelector(std::string_view expression, const Json& view) {
  return Evaluation(expression, view).Run();
}

}  // namespace fedra::sim
