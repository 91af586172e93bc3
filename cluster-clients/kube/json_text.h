#pragma once
//
// Finding one's way in JSON text without parsing it: where a value ends, where a member is.
//
// Only the structure is looked at (strings, braces, brackets), at more than ten times the speed of
// a parser. Text that is no JSON gives "not there", never anything worse; a caller that uses a
// piece parses it.
//
// No parser of Debian 12 does this: to keep an element of a list as its own text, while the list
// still arrives, one must both stop in the middle of a value and know where in the text it began.
// nlohmann's SAX interface gives positions only to errors, and reads from a stream that must not
// pause; simdjson 3.0.1 has raw slices, but of a document that is there as a whole; Boost.JSON's
// basic_parser resumes, but hands out decoded pieces without their places.

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fedra::kube {

// Nested deeper than this is not Kubernetes, and would overflow the stack of the code that prints
// it again.
inline constexpr size_t kMaxDepth = 500;

// Exactly one object with balanced braces, not nested too deeply, with white space around it at
// most.
bool IsCompleteObject(std::string_view text);

// The values of the members `keys` of a text that is exactly one object, as IsCompleteObject() has
// it, in one pass; empty where there is no such member. Nothing: it is none.
std::optional<std::vector<std::string_view>> ReadMembers(
    std::string_view text, std::initializer_list<std::string_view> keys);

// The text of a member's value, of the object that `object` begins with.
std::optional<std::string_view> FindMember(std::string_view object, std::string_view key);

// A string's text without quotes and escapes; nothing: `value` is none.
std::optional<std::string> Unquote(std::string_view value);

// FindMember() for a member that is a string, unquoted.
std::optional<std::string> FindString(std::string_view object, std::string_view key);

// A remote party's text for a log or a status line: control characters become spaces, the rest is
// cut.
std::string OneLine(std::string_view text, size_t max_bytes);

// Consumes one JSON value that arrives in pieces.
class ValueScanner final {
 public:
  explicit ValueScanner(size_t max_depth = kMaxDepth) : max_depth_(max_depth) {}

  // Looks at text[pos...]; the first byte ever seen is the value's first. Returns the position
  // behind the value when it is complete (done() is true), text.size() when more must come.
  size_t Scan(std::string_view text, size_t pos);
  bool done() const { return done_; }
  // Nested deeper than it may be.
  bool too_deep() const { return too_deep_; }
  void Reset() { *this = ValueScanner(max_depth_); }

 private:
  size_t ScanString(std::string_view text, size_t pos);

  size_t max_depth_;
  size_t depth_ = 0;
  bool begun_ = false;
  bool scalar_ = false;  // a number, true, false or null: ends before the next delimiter
  bool in_string_ = false;
  bool escaped_ = false;
  bool done_ = false;
  bool too_deep_ = false;
};

}  // namespace fedra::kube
