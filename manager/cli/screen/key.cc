#include "manager/cli/screen/key.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"

namespace fedra::cli::screen {
namespace {

constexpr char kEsc = '\033';
// Longer than any key of any terminal.
constexpr size_t kLongest = 32;

struct ControlKey {
  char byte;
  KeyCode code;
};
constexpr ControlKey kControls[] = {
    {'\r', KeyCode::kEnter},       {'\n', KeyCode::kEnter},     {'\t', KeyCode::kTab},
    {'\x7f', KeyCode::kBackspace}, {'\b', KeyCode::kBackspace}, {'\x02', KeyCode::kPageUp},
    {'\x06', KeyCode::kPageDown},  {'\x15', KeyCode::kErase},   {'\x0c', KeyCode::kRedraw}};

struct SequenceKey {
  std::string_view end;  // behind "ESC [" or "ESC O"; of "1;5A" only the last letter counts
  KeyCode code;
};
constexpr SequenceKey kSequences[] = {
    {"A", KeyCode::kUp},       {"B", KeyCode::kDown},  {"C", KeyCode::kRight},
    {"D", KeyCode::kLeft},     {"H", KeyCode::kHome},  {"F", KeyCode::kEnd},
    {"M", KeyCode::kEnter},    {"1~", KeyCode::kHome}, {"7~", KeyCode::kHome},
    {"4~", KeyCode::kEnd},     {"8~", KeyCode::kEnd},  {"5~", KeyCode::kPageUp},
    {"6~", KeyCode::kPageDown}};

// "ESC [ 5 ~", "ESC [ 1 ; 5 A", "ESC O M".
std::optional<Key> KeyOfSequence(std::string_view sequence) {
  const bool is_numbered = sequence.ends_with('~');
  const std::string_view end = sequence.substr(is_numbered ? 2 : sequence.size() - 1);
  const auto* const found = std::ranges::find(kSequences, end, &SequenceKey::end);
  // "ESC [ M" is the begin of a mouse's report.
  const bool is_mouse = sequence[1] == '[' && end == "M";
  if (found == std::end(kSequences) || is_mouse) return std::nullopt;
  return Key{found->code};
}

// Bytes of "ESC [ parameters final" behind its first two; 0: not complete. What cannot be a part of
// one ends it.
size_t SequenceSize(std::string_view behind) {
  for (size_t i = 0; i < behind.size(); ++i)
    if (behind[i] < ' ' || behind[i] >= '@') return i + 1;
  return behind.size() > kLongest ? behind.size() : 0;
}

}  // namespace

std::vector<Key> KeyDecoder::Feed(std::string_view bytes) {
  pending_ += bytes;
  std::vector<Key> keys;
  bool is_complete = true;
  while (!pending_.empty() && is_complete)
    if (auto key = Take(is_complete)) keys.push_back(*std::move(key));
  return keys;
}

std::vector<Key> KeyDecoder::Flush() {
  const bool is_escape = pending_ == std::string_view(&kEsc, 1);
  pending_.clear();
  return is_escape ? std::vector<Key>{{KeyCode::kEscape}} : std::vector<Key>();
}

std::optional<Key> KeyDecoder::Take(bool& is_complete) {
  const auto taken = [&](size_t size) {
    std::string bytes = pending_.substr(0, size);
    pending_.erase(0, size);
    return bytes;
  };
  const auto key = [&](KeyCode code) {
    taken(1);
    return Key{code};
  };
  if (pending_.front() == kEsc) {
    is_complete = pending_.size() > 1;
    if (!is_complete) return std::nullopt;
    // With another key behind it, it is one: a person does not type ESC [ at once.
    if (pending_[1] != '[' && pending_[1] != 'O') return key(KeyCode::kEscape);
    const size_t size = SequenceSize(std::string_view(pending_).substr(2));
    is_complete = size > 0;
    if (!is_complete) return std::nullopt;
    return KeyOfSequence(taken(2 + size));
  }
  const auto* const control = std::ranges::find(kControls, pending_.front(), &ControlKey::byte);
  if (control != std::end(kControls)) return key(control->code);
  const Utf8Character character = FirstCharacter(pending_);
  // The first bytes of a character whose others have not arrived.
  constexpr size_t kLongestCharacter = 4;
  const auto first = static_cast<unsigned char>(pending_.front());
  const bool is_begun = first >= 0xC2 && pending_.size() < kLongestCharacter &&
                        std::all_of(pending_.begin() + 1, pending_.end(), IsContinuationByte);
  is_complete = character.valid || !is_begun;
  if (!is_complete) return std::nullopt;
  std::string text = taken(character.size);
  if (!character.valid || character.code < ' ') return std::nullopt;
  return KeyOf(text);
}

}  // namespace fedra::cli::screen
