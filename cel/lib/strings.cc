#include <algorithm>
#include <cstring>
#include <functional>

#include "base/utf8.h"
#include "cel/display.h"
#include "cel/lib/format_string.h"
#include "cel/library.h"

namespace fedra::cel {
namespace {

// A text addressed by code points. Positions are byte offsets of code points, plus one for the end.
class CodePoints final {
 public:
  explicit CodePoints(std::string_view text) : text_(text) {}

  size_t size() const {
    if (size_ == kUnknown) size_ = CodePointCount(text_);
    return size_;
  }
  // The byte offset of code point `index`, which is at most size().
  size_t Offset(size_t index) const {
    if (size() == text_.size()) return index;
    size_t offset = 0;
    for (; index > 0; --index) {
      ++offset;
      while (offset < text_.size() && IsContinuationByte(text_[offset])) ++offset;
    }
    return offset;
  }
  std::string_view Range(size_t first, size_t last) const {
    const size_t begin = Offset(first);
    return text_.substr(begin, Offset(last) - begin);
  }
  // The code point that begins at a byte offset.
  size_t IndexOf(size_t offset) const { return CodePointCount(text_.substr(0, offset)); }

 private:
  static constexpr size_t kUnknown = SIZE_MAX;

  const std::string_view text_;
  mutable size_t size_ = kUnknown;
};

Value OutOfRange(Evaluation& evaluation, int64_t index) {
  return evaluation.Error("index out of range: " + std::to_string(index));
}

Value CharAt(Evaluation& evaluation, const Value* args) {
  const CodePoints text(args[0].AsText());
  const int64_t index = args[1].AsInt();
  const auto size = static_cast<int64_t>(text.size());
  if (index < 0 || index > size) return OutOfRange(evaluation, index);
  if (index == size) return Value::String("");
  return Value::String(text.Range(static_cast<size_t>(index), static_cast<size_t>(index) + 1));
}

Value IndexFrom(Evaluation& evaluation, std::string_view text, std::string_view part,
                int64_t start) {
  if (part.empty()) return Value::Int(start);
  if (start < 0) return OutOfRange(evaluation, start);
  const CodePoints points(text);
  if (start >= static_cast<int64_t>(points.size())) return Value::Int(-1);
  const size_t found = text.find(part, points.Offset(static_cast<size_t>(start)));
  return Value::Int(found == std::string_view::npos ? -1
                                                    : static_cast<int64_t>(points.IndexOf(found)));
}

Value IndexOf(Evaluation& evaluation, const Value* args) {
  return IndexFrom(evaluation, args[0].AsText(), args[1].AsText(), 0);
}
Value IndexOfFrom(Evaluation& evaluation, const Value* args) {
  return IndexFrom(evaluation, args[0].AsText(), args[1].AsText(), args[2].AsInt());
}

Value LastIndexFrom(Evaluation& evaluation, std::string_view text, std::string_view part,
                    int64_t start) {
  if (part.empty()) return Value::Int(start);
  if (start < 0) return OutOfRange(evaluation, start);
  const CodePoints points(text);
  if (start >= static_cast<int64_t>(points.size())) return Value::Int(-1);
  const size_t found = text.rfind(part, points.Offset(static_cast<size_t>(start)));
  return Value::Int(found == std::string_view::npos ? -1
                                                    : static_cast<int64_t>(points.IndexOf(found)));
}

Value LastIndexOf(Evaluation& evaluation, const Value* args) {
  const std::string_view text = args[0].AsText();
  const std::string_view part = args[1].AsText();
  const auto size = static_cast<int64_t>(CodePointCount(text));
  if (part.empty()) return Value::Int(size);
  if (text.size() < part.size()) return Value::Int(-1);
  return LastIndexFrom(evaluation, text, part, size - 1);
}
Value LastIndexOfFrom(Evaluation& evaluation, const Value* args) {
  return LastIndexFrom(evaluation, args[0].AsText(), args[1].AsText(), args[2].AsInt());
}

template <char kFirst, char kLast, int kShift>
Value ShiftCase(Evaluation& evaluation, const Value* args) {
  const std::string_view text = args[0].AsText();
  char* copy = evaluation.NewText(text.size());
  if (copy == nullptr) return evaluation.OutOfMemory();
  std::transform(text.begin(), text.end(), copy, [](char c) {
    return c >= kFirst && c <= kLast ? static_cast<char>(c + kShift) : c;
  });
  return Value::String({copy, text.size()});
}

// Calls `visit` with each piece of the text between occurrences of `separator`, at most `limit`
// pieces unless it is negative. An empty separator cuts between code points.
void Split(std::string_view text, std::string_view separator, int64_t limit,
           const std::function<bool(std::string_view)>& visit) {
  if (limit == 0) return;
  if (separator.empty() && text.empty()) return;
  for (int64_t pieces = 1;; ++pieces) {
    size_t cut = std::string_view::npos;
    if (limit < 0 || pieces < limit) {
      cut = separator.empty() ? CodePoints(text.substr(0, 4)).Offset(1) : text.find(separator);
      if (separator.empty() && cut >= text.size()) cut = std::string_view::npos;
    }
    if (cut == std::string_view::npos) {
      visit(text);
      return;
    }
    if (!visit(text.substr(0, cut))) return;
    text.remove_prefix(cut + separator.size());
  }
}

Value SplitInto(Evaluation& evaluation, const Value* args, int64_t limit) {
  ListBuilder list(evaluation);
  Split(args[0].AsText(), args[1].AsText(), limit,
        [&](std::string_view piece) { return list.Add(Value::String(piece)); });
  return list.Finish();
}
Value SplitAll(Evaluation& evaluation, const Value* args) {
  return SplitInto(evaluation, args, -1);
}
Value SplitSome(Evaluation& evaluation, const Value* args) {
  return SplitInto(evaluation, args, args[2].AsInt());
}

// Replaces up to `limit` occurrences. An empty `old` stands before each code point and at the end,
// as in Go.
Value Replace(Evaluation& evaluation, const Value* args, int64_t limit) {
  const std::string_view text = args[0].AsText();
  const std::string_view old = args[1].AsText();
  const std::string_view fresh = args[2].AsText();
  size_t count = 0;
  const auto for_each = [&](auto&& copy, auto&& replace) {
    count = 0;
    size_t at = 0;
    while (limit < 0 || count < static_cast<size_t>(limit)) {
      size_t found = text.find(old, at);
      if (old.empty())
        found = count == 0          ? 0
                : at >= text.size() ? text.size() + 1
                                    : at + CodePoints(text.substr(at, 4)).Offset(1);
      if (found == std::string_view::npos || found > text.size()) break;
      copy(text.substr(at, found - at));
      replace();
      ++count;
      at = found + old.size();
    }
    copy(text.substr(std::min(at, text.size())));
  };
  size_t size = 0;
  for_each([&](std::string_view part) { size += part.size(); }, [&] { size += fresh.size(); });
  if (count == 0) return args[0];
  char* result = evaluation.NewText(size);
  if (result == nullptr) return evaluation.OutOfMemory();
  char* out = result;
  const auto append = [&](std::string_view part) {
    out = std::copy(part.begin(), part.end(), out);
  };
  for_each(append, [&] { append(fresh); });
  return Value::String({result, size});
}
Value ReplaceAll(Evaluation& evaluation, const Value* args) {
  return Replace(evaluation, args, -1);
}
Value ReplaceSome(Evaluation& evaluation, const Value* args) {
  return Replace(evaluation, args, args[3].AsInt());
}

Value SubstringFrom(Evaluation& evaluation, const Value* args) {
  const CodePoints text(args[0].AsText());
  const int64_t start = args[1].AsInt();
  if (start < 0 || start > static_cast<int64_t>(text.size())) return OutOfRange(evaluation, start);
  return Value::String(text.Range(static_cast<size_t>(start), text.size()));
}

Value SubstringRange(Evaluation& evaluation, const Value* args) {
  const CodePoints text(args[0].AsText());
  const int64_t start = args[1].AsInt();
  const int64_t end = args[2].AsInt();
  const auto size = static_cast<int64_t>(text.size());
  if (start > end) {
    return evaluation.Error("invalid substring range. start: " + std::to_string(start) +
                            ", end: " + std::to_string(end));
  }
  if (start < 0 || start > size) return OutOfRange(evaluation, start);
  if (end > size) return OutOfRange(evaluation, end);
  return Value::String(text.Range(static_cast<size_t>(start), static_cast<size_t>(end)));
}

// The length of the white space at the start of a text, Unicode's White_Space.
size_t SpaceLength(std::string_view text) {
  if (text.empty()) return 0;
  const char c = text[0];
  if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
  static constexpr std::string_view kSpaces[] = {"\u0085", "\u00A0", "\u1680", "\u2000", "\u2001",
                                                 "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
                                                 "\u2007", "\u2008", "\u2009", "\u200A", "\u2028",
                                                 "\u2029", "\u202F", "\u205F", "\u3000"};
  for (const std::string_view space : kSpaces) {
    if (text.substr(0, space.size()) == space) return space.size();
  }
  return 0;
}

Value Trim(Evaluation&, const Value* args) {
  std::string_view text = args[0].AsText();
  while (const size_t length = SpaceLength(text)) text.remove_prefix(length);
  while (!text.empty()) {
    size_t last = text.size() - 1;
    while (last > 0 && IsContinuationByte(text[last])) --last;
    if (SpaceLength(text.substr(last)) == 0) break;
    text.remove_suffix(text.size() - last);
  }
  return Value::String(text);
}

Value JoinWith(Evaluation& evaluation, const Value& list, std::string_view separator) {
  size_t size = 0;
  for (const Value& item : list.AsList()) {
    if (!item.is(Kind::kString)) return evaluation.Error("join: invalid input: " + ErrorText(item));
    size += item.AsText().size() + separator.size();
  }
  if (size == 0) return Value::String("");
  size -= separator.size();
  char* text = evaluation.NewText(size);
  if (text == nullptr) return evaluation.OutOfMemory();
  char* out = text;
  for (const Value& item : list.AsList()) {
    if (out != text || &item != list.AsList().data())
      out = std::copy(separator.begin(), separator.end(), out);
    out = std::copy(item.AsText().begin(), item.AsText().end(), out);
  }
  return Value::String({text, size});
}
Value Join(Evaluation& evaluation, const Value* args) { return JoinWith(evaluation, args[0], ""); }
Value JoinSeparated(Evaluation& evaluation, const Value* args) {
  return JoinWith(evaluation, args[0], args[1].AsText());
}

Value Quote(Evaluation& evaluation, const Value* args) {
  return evaluation.String(Quoted(args[0].AsText()));
}

Value Format(Evaluation& evaluation, const Value* args) {
  const auto pieces = ParseFormatString(args[0].AsText());
  if (!pieces) return evaluation.Error(pieces.error().message);
  const auto list = args[1].AsList();
  BoundedText text(kLongestFormattedText);
  size_t used = 0;
  for (const FormatPiece& piece : *pieces) {
    if (piece.verb == '\0') {
      text.Append(piece.text);
      if (text.full()) return evaluation.OutOfMemory();
      continue;
    }
    if (used >= list.size())
      return evaluation.Error("index " + std::to_string(used) + " out of range");
    const auto formatted = FormatArgument(piece, list[used++], evaluation.steps(), text);
    if (!formatted) return evaluation.Error(formatted.error().message);
    if (evaluation.over_limit()) return evaluation.CostLimitExceeded();
    if (text.full()) return evaluation.OutOfMemory();
  }
  return evaluation.String(std::move(text).Take());
}

constexpr const Type& kS = kStringType;
constexpr Overload kStringOverloads[] = {
    Member("charAt", "string_char_at_int", {&kStringType, &kIntType}, kS, CharAt),
    Member("indexOf", "string_index_of_string", {&kStringType, &kStringType}, kIntType, IndexOf,
           Price::kElements),
    Member("indexOf", "string_index_of_string_int", {&kStringType, &kStringType, &kIntType},
           kIntType, IndexOfFrom, Price::kElements),
    Member("lastIndexOf", "string_last_index_of_string", {&kStringType, &kStringType}, kIntType,
           LastIndexOf, Price::kElements),
    Member("lastIndexOf", "string_last_index_of_string_int",
           {&kStringType, &kStringType, &kIntType}, kIntType, LastIndexOfFrom, Price::kElements),
    Member("lowerAscii", "string_lower_ascii", {&kStringType}, kS, ShiftCase<'A', 'Z', 'a' - 'A'>,
           Price::kTraverse),
    Member("upperAscii", "string_upper_ascii", {&kStringType}, kS, ShiftCase<'a', 'z', 'A' - 'a'>,
           Price::kTraverse),
    Member("replace", "string_replace_string_string", {&kStringType, &kStringType, &kStringType},
           kS, ReplaceAll, Price::kTraverseTwice),
    Member("replace", "string_replace_string_string_int",
           {&kStringType, &kStringType, &kStringType, &kIntType}, kS, ReplaceSome,
           Price::kTraverseTwice),
    Member("split", "string_split_string", {&kStringType, &kStringType}, kListOfString, SplitAll,
           Price::kTraverseTwice),
    Member("split", "string_split_string_int", {&kStringType, &kStringType, &kIntType},
           kListOfString, SplitSome, Price::kTraverseTwice),
    Member("substring", "string_substring_int", {&kStringType, &kIntType}, kS, SubstringFrom,
           Price::kTraverse),
    Member("substring", "string_substring_int_int", {&kStringType, &kIntType, &kIntType}, kS,
           SubstringRange, Price::kTraverse),
    Member("trim", "string_trim", {&kStringType}, kS, Trim, Price::kTraverse),
    Member("join", "list_join", {&kListOfString}, kS, Join, Price::kTraverseResult),
    Member("join", "list_join_string", {&kListOfString, &kStringType}, kS, JoinSeparated,
           Price::kTraverseResult),
    Member("format", "string_format", {&kStringType, &kListOfDyn}, kS, Format, Price::kTraverse),
    Global("strings.quote", "strings_quote", {&kStringType}, kS, Quote, Price::kTraverse),
};

}  // namespace

std::span<const Overload> StringsLibrary() { return kStringOverloads; }

}  // namespace fedra::cel
