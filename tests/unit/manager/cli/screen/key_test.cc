#include "manager/cli/screen/key.h"

#include "tests/support/catch.h"

namespace fedra::cli::screen::key_test {
namespace {

using Keys = std::vector<Key>;

Keys Pressed(std::string_view bytes) {
  KeyDecoder decoder;
  Keys keys = decoder.Feed(bytes);
  for (Key& key : decoder.Flush()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

TEST_CASE("keys as terminals send them") {
  struct Sent {
    std::string_view bytes;
    Keys keys;
  };
  const Sent rows[] = {
      {"", {}},
      {"j", {KeyOf("j")}},
      {"jG?", {KeyOf("j"), KeyOf("G"), KeyOf("?")}},
      {"\xc3\xbc\xe4\xb8\xad", {KeyOf("\xc3\xbc"), KeyOf("\xe4\xb8\xad")}},
      {"\r\n\t", {{KeyCode::kEnter}, {KeyCode::kEnter}, {KeyCode::kTab}}},
      {"\x7f\b", {{KeyCode::kBackspace}, {KeyCode::kBackspace}}},
      {"\x02\x06\x15\x0c",
       {{KeyCode::kPageUp}, {KeyCode::kPageDown}, {KeyCode::kErase}, {KeyCode::kRedraw}}},
      {"\033[A\033[B\033[C\033[D",
       {{KeyCode::kUp}, {KeyCode::kDown}, {KeyCode::kRight}, {KeyCode::kLeft}}},
      {"\033OA\033OB\033OM", {{KeyCode::kUp}, {KeyCode::kDown}, {KeyCode::kEnter}}},
      {"\033[H\033[F\033[1~\033[4~\033[7~\033[8~",
       {{KeyCode::kHome},
        {KeyCode::kEnd},
        {KeyCode::kHome},
        {KeyCode::kEnd},
        {KeyCode::kHome},
        {KeyCode::kEnd}}},
      {"\033[5~\033[6~", {{KeyCode::kPageUp}, {KeyCode::kPageDown}}},
      {"\033[1;5A", {{KeyCode::kUp}}},  // with ctrl
      {"\033", {{KeyCode::kEscape}}},   // nothing follows
      {"\033j", {{KeyCode::kEscape}, KeyOf("j")}},
      {"\033\033[A", {{KeyCode::kEscape}, {KeyCode::kUp}}},
      // No keys of ours: F5, a mouse, a report, control characters, no UTF-8.
      {"\033[15~\033[<0;1;1M\033[24;80R\x01\x0ej", {KeyOf("j")}},
      {"\xff\xc3(j", {KeyOf("("), KeyOf("j")}},
      {"\033[", {}},
  };
  for (const Sent& row : rows) {
    CAPTURE(row.bytes);
    CHECK(Pressed(row.bytes) == row.keys);
  }
}

TEST_CASE("a key that comes in pieces is one key") {
  for (const std::string_view bytes : {"\033[1;5B", "\033OB", "\xe4\xb8\xad", "\033[6~"}) {
    KeyDecoder decoder;
    for (size_t i = 0; i + 1 < bytes.size(); ++i) {
      CHECK(decoder.Feed(bytes.substr(i, 1)).empty());
      CHECK(decoder.IsWaiting());
    }
    CHECK(decoder.Feed(bytes.substr(bytes.size() - 1)).size() == 1);
    CHECK(!decoder.IsWaiting());
  }
}

TEST_CASE("a sequence without an end does not grow") {
  KeyDecoder decoder;
  CHECK(decoder.Feed("\033[" + std::string(100'000, '1')).empty());
  CHECK(!decoder.IsWaiting());
}

}  // namespace fedra::cli::screen::key_test
