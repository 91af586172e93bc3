#include "base/label_selector.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fedra {
namespace {

constexpr std::string_view kSpace = " \t";
constexpr std::string_view kSpecial = "=!(),";

}  // namespace

class SelectorParser final {
 public:
  explicit SelectorParser(std::string_view text) : text_(text) {}

  Result<LabelSelector> Parse() {
    LabelSelector selector;
    do {
      FEDRA_ASSIGN_OR_RETURN(LabelSelector::Requirement one, One());
      selector.requirements_.push_back(std::move(one));
    } while (Takes(","));
    if (at_ < text_.size()) return Fail(Wrong("a comma"));
    return selector;
  }

 private:
  using Requirement = LabelSelector::Requirement;

  Result<Requirement> One() {
    Requirement one;
    const bool absent = Takes("!");
    one.key = Word();
    if (one.key.empty()) return Fail(Wrong("the name of a label"));
    one.wanted = !absent;
    if (absent || AtEnd()) return one;
    if (Takes("!=")) return Values(std::move(one), /*wanted=*/false, {Word()});
    if (Takes("==") || Takes("=")) return Values(std::move(one), /*wanted=*/true, {Word()});
    const std::string word = Word();
    if (word != "in" && word != "notin") return Fail(Wrong("=, !=, in or notin"));
    FEDRA_ASSIGN_OR_RETURN(std::vector<std::string> set, Set());
    return Values(std::move(one), word == "in", std::move(set));
  }

  // "x notin (a)" and "x!=a" also match what has no label x.
  static Requirement Values(Requirement one, bool wanted, std::vector<std::string> values) {
    one.wanted = wanted;
    one.values = std::move(values);
    return one;
  }

  Result<std::vector<std::string>> Set() {
    if (!Takes("(")) return Fail(Wrong("("));
    std::vector<std::string> values;
    do values.push_back(Word());
    while (Takes(","));
    if (!Takes(")")) return Fail(Wrong(")"));
    return values;
  }

  void SkipSpace() { at_ = std::min(text_.find_first_not_of(kSpace, at_), text_.size()); }

  bool AtEnd() {
    SkipSpace();
    return at_ == text_.size() || text_[at_] == ',';
  }

  bool Takes(std::string_view token) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  std::string Word() {
    SkipSpace();
    const size_t begin = at_;
    while (at_ < text_.size() && kSpecial.find(text_[at_]) == std::string_view::npos &&
           kSpace.find(text_[at_]) == std::string_view::npos)
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Error Wrong(std::string_view expected) const {
    return {
        .code = ErrorCode::kInvalidArgument,
        .message = fmt::format(
            "\"{}\": expected {} {}", text_, expected,
            at_ < text_.size() ? fmt::format("before \"{}\"", text_.substr(at_)) : "at the end"),
        .http = {},
        .retry_after = {}};
  }

  const std::string_view text_;
  size_t at_ = 0;
};

Result<LabelSelector> LabelSelector::Parse(std::string_view text) {
  if (text.find_first_not_of(kSpace) == std::string_view::npos) return LabelSelector();
  return SelectorParser(text).Parse();
}

bool LabelSelector::Matches(const Labels& labels) const {
  return std::ranges::all_of(requirements_, [&](const Requirement& one) {
    const auto label = labels.find(one.key);
    const bool found =
        label != labels.end() &&
        (one.values.empty() || std::ranges::find(one.values, label->second) != one.values.end());
    return found == one.wanted;
  });
}

}  // namespace fedra
