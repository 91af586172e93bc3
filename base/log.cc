#include "base/log.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/time.h"

namespace fedra::log {
namespace {

Format g_format = Format::kText;  // set once by Setup, before other threads exist

std::atomic<Level> g_level{Level::kInfo};

std::string_view Label(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug";
    case Level::kInfo:
      return "info";
    case Level::kWarn:
      return "warn";
    case Level::kError:
      return "error";
  }
  return "info";
}

// Control characters as \\u escapes: a remote party's text can never break a line.
void AppendEscaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
}

// Both formats quote alike, so that it cannot add a field either.
void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '"' && text[i] != '\\') continue;
    AppendEscaped(out, text.substr(start, i - start));
    out += '\\';
    out += text[i];
    start = i + 1;
  }
  AppendEscaped(out, text.substr(start));
  out += '"';
}

bool IsPlain(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == '"' || c == '\\' || c == '=' || c == 0x7f)
      return false;
  }
  return true;
}

std::string TextLine(std::string_view time, Level level, std::string_view message, Fields fields) {
  std::string line = fmt::format("{} {:<5} ", time, Label(level));
  AppendEscaped(line, message);
  for (const Field& field : fields) {
    if (field.value.empty()) continue;
    line += fmt::format(" {}=", field.key);
    if (IsPlain(field.value)) {
      line += field.value;
    } else {
      AppendQuoted(line, field.value);
    }
  }
  return line;
}

// Fields that count something: numbers in JSON, so that they can be compared and summed up. Of all
// others the type is text, also of a job that is called 7.
constexpr std::array<std::string_view, 6> kCounts = {"port", "workers", "workloads",
                                                     "jobs", "count",   "attempt"};

bool IsNumber(std::string_view key, std::string_view value) {
  constexpr size_t kMostDigits = 15;  // that every reader of JSON takes as they are
  return std::find(kCounts.begin(), kCounts.end(), key) != kCounts.end() &&
         value.size() <= kMostDigits && (value == "0" || !value.starts_with('0')) &&
         std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string JsonLine(std::string_view time, Level level, std::string_view message, Fields fields) {
  std::string line = fmt::format(R"({{"ts":"{}","level":"{}","msg":)", time, Label(level));
  AppendQuoted(line, message);
  for (const Field& field : fields) {
    if (field.value.empty()) continue;
    line += ',';
    AppendQuoted(line, field.key);
    line += ':';
    if (IsNumber(field.key, field.value))
      line += field.value;
    else
      AppendQuoted(line, field.value);
  }
  return line + "}";
}

}  // namespace

void Setup(Level level, Format format) {
  g_format = format;
  SetLevel(level);
}

void SetLevel(Level level) { g_level = level; }
bool Enabled(Level level) { return level >= g_level; }

void Write(Level level, std::string_view message, Fields fields) {
  if (!Enabled(level)) return;
  // Milliseconds are what the clock has: further digits would be invented.
  std::string time = FormatRfc3339Micro(SystemClock().Now());
  time.erase(time.size() - sizeof("000Z") + 1, sizeof("000") - 1);
  std::string line = g_format == Format::kJson ? JsonLine(time, level, message, fields)
                                               : TextLine(time, level, message, fields);
  line += '\n';
  // One call: the stream's own lock keeps lines of several threads apart.
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace fedra::log
