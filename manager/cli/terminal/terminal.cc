#include "manager/cli/terminal/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace fedra::cli {
namespace {

// Of a terminal that does not tell.
constexpr size_t kUsualWidth = 120;

// A terminal that prints escape sequences instead of heeding them, as an editor's shell does.
bool IsDumb() {
  const char* const term = std::getenv("TERM");
  return term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
}

size_t HeightOf(bool is_tty) {
  winsize size{};
  return is_tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

bool UseColor(const std::string& choice, bool is_tty) {
  if (choice == "always") return true;
  const char* const no_color = std::getenv("NO_COLOR");
  return choice == "auto" && is_tty && !IsDumb() && (no_color == nullptr || *no_color == '\0');
}

bool LocaleShowsUtf8() {
  setlocale(LC_CTYPE, "");
  return std::string_view(nl_langinfo(CODESET)) == "UTF-8";
}

// 0: no limit. In files and pipes a line stays whole, so that grep finds selectors in it.
size_t WidthOf(bool is_tty) {
  size_t width = 0;
  if (const char* const columns = std::getenv("COLUMNS"); columns != nullptr) {
    const std::string_view text(columns);
    std::from_chars(text.data(), text.data() + text.size(), width);
  }
  winsize size{};
  if (width == 0 && is_tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  return width == 0 && is_tty ? kUsualWidth : width;
}

}  // namespace

Terminal StandardTerminal(const std::string& color) {
  const bool is_tty = isatty(STDOUT_FILENO) == 1;
  return {std::cout,
          std::cerr,
          is_tty,
          UseColor(color, is_tty),
          !is_tty || LocaleShowsUtf8(),
          WidthOf(is_tty),
          HeightOf(is_tty),
          !IsDumb()};
}

text::Style StyleOf(const Terminal& terminal, bool headers) {
  return {headers, terminal.color, terminal.utf8, terminal.width};
}

}  // namespace fedra::cli
