#pragma once
//
// Keys, and how a terminal sends them: UTF-8 characters, control characters, and the sequences of
// ECMA-48 as xterm, the Linux console, screen and tmux send them.
//
// Thread rules: one decoder per terminal, one thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fedra::cli::screen {

enum class KeyCode {
  kCharacter,
  kEnter,
  kEscape,
  kTab,
  kBackspace,
  kUp,
  kDown,
  kLeft,
  kRight,
  kPageUp,    // ctrl-b, too
  kPageDown,  // ctrl-f, too
  kHome,
  kEnd,
  kErase,   // ctrl-u: what was typed
  kRedraw,  // ctrl-l
};

struct Key {
  KeyCode code = KeyCode::kCharacter;
  std::string text = {};  // of kCharacter: one, printable or not; else empty
  bool operator==(const Key&) const = default;
};

// The key of a character.
inline Key KeyOf(std::string_view text) { return {KeyCode::kCharacter, std::string(text)}; }

class KeyDecoder final {
 public:
  // The keys that are complete. Sequences of no key that we know are left out.
  std::vector<Key> Feed(std::string_view bytes);
  // An escape character has come, and nothing behind it yet: it is the escape key if nothing
  // follows within some ten milliseconds.
  bool IsWaiting() const { return !pending_.empty(); }
  // Nothing has followed.
  std::vector<Key> Flush();

 private:
  // At the front of `pending_`, which it is taken from; `is_complete` becomes false where more must
  // come first. Null: what was taken is no key.
  std::optional<Key> Take(bool& is_complete);

  std::string pending_;
};

}  // namespace fedra::cli::screen
