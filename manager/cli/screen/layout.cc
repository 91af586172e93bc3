#include "manager/cli/screen/layout.h"

#include <algorithm>

#include "base/ascii.h"

namespace fedra::cli::screen {
namespace {

// Heights from which on there is room for them.
constexpr size_t kWithKeys = 3;
constexpr size_t kWithBar = 4;
constexpr size_t kWithTitles = 5;
constexpr size_t kWithWarnings = 8;
constexpr size_t kMostWarnings = 3;

bool Has(std::string_view text, const std::string& lower_word) {
  const auto found =
      std::ranges::search(text, lower_word, [](char a, char b) { return ToLower(a) == b; });
  return !found.empty();
}

bool IsLeft(const Row& row, const std::string& lower_word) {
  return std::ranges::any_of(row.values,
                             [&](const Value& value) { return Has(value.text, lower_word); });
}

}  // namespace

Layout LayoutOf(const View& view, const Size& size) {
  Layout layout;
  if (size.height >= kWithKeys) layout.keys = 1;
  if (size.height >= kWithBar) layout.bar = 1;
  if (size.height >= kWithTitles && IsRows(view.question.what)) layout.titles = 1;
  if (size.height >= kWithWarnings && view.document) {
    const size_t warnings = view.document->warnings.size() + (view.problem.empty() ? 0 : 1);
    layout.warnings = std::min(warnings, kMostWarnings);
  }
  const size_t around = layout.bar + layout.warnings + layout.titles + layout.keys;
  layout.body = std::max<size_t>(1, size.height - std::min(around, size.height));
  return layout;
}

std::vector<size_t> Shown(const View& view) {
  std::vector<size_t> shown;
  if (!view.document) return shown;
  const Document& document = *view.document;
  const bool is_rows = IsRows(view.question.what);
  const size_t count = is_rows ? document.rows.size() : document.lines.size();
  const std::string word = ToLower(view.filter);
  for (size_t i = 0; i < count; ++i) {
    if (word.empty() ||
        (is_rows ? IsLeft(document.rows[i], word) : Has(TextOf(document.lines[i]), word)))
      shown.push_back(i);
  }
  return shown;
}

std::string KeyAt(const View& view, size_t index) {
  if (!view.document || index >= view.document->rows.size()) return {};
  return view.document->rows[index].key;
}

void KeepInView(View& view, const Size& size) {
  const std::vector<size_t> shown = Shown(view);
  const size_t body = LayoutOf(view, size).body;
  const size_t last_top = shown.size() - std::min(body, shown.size());
  if (!IsRows(view.question.what)) {
    view.top = std::min(view.top, last_top);
    return;
  }
  if (shown.empty()) {
    view.top = 0;
    return;
  }
  const auto kept = std::ranges::find_if(
      shown, [&](size_t index) { return KeyAt(view, index) == view.selected; });
  view.index = kept != shown.end() ? static_cast<size_t>(kept - shown.begin())
                                   : std::min(view.index, shown.size() - 1);
  view.selected = KeyAt(view, shown[view.index]);
  view.top = std::min({view.top, view.index, last_top});
  if (view.index >= view.top + body) view.top = view.index + 1 - body;
}

}  // namespace fedra::cli::screen
