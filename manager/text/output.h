#pragma once
//
// How every command writes: tables for people, json and yaml for programs, names for xargs.
//
// Machine output is versioned and stable; tables are not (kubectl's own rule). Thread rules: plain
// values.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace fedra::text {

enum class Format { kTable, kWide, kJson, kYaml, kName };

// "table", "wide", "json", "yaml", "name".
Result<Format> ParseFormat(std::string_view text);
inline bool IsTable(Format format) { return format == Format::kTable || format == Format::kWide; }
inline bool IsForPrograms(Format format) {
  return format == Format::kJson || format == Format::kYaml;
}

// What a command has to say.
struct Output {
  std::string out;  // for stdout
  // Lines for stderr, without the last line end: why there is nothing, or what is left out; empty:
  // nothing to add.
  std::string note;
  int code = 0;  // what the command ends with (report/exit_code.h)
};

struct Style {
  bool headers = true;  // false: --no-headers
  bool color = false;   // only on a terminal, and not with NO_COLOR
  bool utf8 = true;     // what the terminal's locale can show
  size_t width = 0;     // columns of a line; 0: no limit
};

enum class Tone { kPlain, kGood, kWarning, kBad, kFaint };

// Made printable, and in the tone's colour when the style allows colours.
std::string Toned(std::string_view text, Tone tone, const Style& style);

struct Cell {
  // NOLINTBEGIN(google-explicit-constructor): so that a row reads like a row.
  Cell(std::string cell_text, Tone cell_tone = Tone::kPlain)
      : text(std::move(cell_text)), tone(cell_tone) {}
  Cell(const char* cell_text) : text(cell_text) {}
  // NOLINTEND(google-explicit-constructor)

  bool operator==(const Cell&) const = default;

  std::string text;
  Tone tone = Tone::kPlain;
};

// The other way round: a line that Toned made with colours, as cells. Any other escape sequence
// stays a part of a cell's text.
std::vector<Cell> Untoned(std::string_view line);

// What happens to a last column that is wider than the rest of the line.
enum class Overflow {
  kKeep,  // nothing: the terminal breaks the line
  // It goes on below itself; where that leaves it less than thirty columns, it stands on lines of
  // its own below the row.
  kWrap,
  kCut,  // it ends in dots
};

// Columns as wide as their widest cell, two spaces between them, nothing behind the last one.
class Table final {
 public:
  explicit Table(std::vector<std::string> titles, Overflow overflow = Overflow::kKeep);

  // As many cells as titles.
  void Add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  std::string Render(const Style& style) const;
  // Of the longest line that Render gives.
  size_t Width(const Style& style) const;

 private:
  std::vector<size_t> Widths(const Style& style) const;
  // The last cell of a row, line by line.
  std::vector<std::string> LastCell(const std::string& text, size_t begin,
                                    const Style& style) const;

  const std::vector<std::string> titles_;
  const Overflow overflow_;
  std::vector<std::vector<Cell>> rows_;
};

// A line of running text, with line end: wrapped to the style's width, what follows the first line
// two columns deeper.
std::string Paragraph(std::string_view line, size_t indent, const Style& style);

// "needs  queue ml/gpu", with line end: wrapped to the style's width, below where the text begins.
// `label`: six characters at most.
std::string LabelledLine(std::string_view label, std::string_view line, const Style& style);

// As json (two spaces deep) or yaml, with a line end. Bytes that are no UTF-8 are replaced.
std::string ToText(const nlohmann::ordered_json& document, Format format);

}  // namespace fedra::text
