#include "cluster-clients/kube/json_object.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>  // here only: Boost.JSON as headers, without its library
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "cluster-clients/kube/json_text.h"

namespace fedra::kube {
namespace {

namespace bj = boost::json;
using nlohmann::json;

// Makes values of what Boost's parser reports. The names are those that it asks of a handler
// (boost/json/basic_parser.hpp, 1.81).
class Builder final {
 public:
  // NOLINTBEGIN(readability-identifier-naming): Boost's names
  static constexpr size_t max_array_size = SIZE_MAX;
  static constexpr size_t max_object_size = SIZE_MAX;
  static constexpr size_t max_string_size = SIZE_MAX;
  static constexpr size_t max_key_size = SIZE_MAX;
  // NOLINTEND(readability-identifier-naming)

  bool on_document_begin(bj::error_code& /*error*/) { return true; }
  bool on_document_end(bj::error_code& /*error*/) { return true; }
  bool on_object_begin(bj::error_code& /*error*/) { return Open(json::value_t::object); }
  bool on_object_end(size_t /*members*/, bj::error_code& /*error*/) { return Close(); }
  bool on_array_begin(bj::error_code& /*error*/) { return Open(json::value_t::array); }
  bool on_array_end(size_t /*elements*/, bj::error_code& /*error*/) { return Close(); }

  bool on_key_part(bj::string_view part, size_t /*so_far*/, bj::error_code& /*error*/) {
    return Append(part);
  }
  bool on_key(bj::string_view part, size_t /*length*/, bj::error_code& /*error*/) {
    text_.append(part);
    OnKey(std::exchange(text_, {}));
    return true;
  }
  bool on_string_part(bj::string_view part, size_t /*so_far*/, bj::error_code& /*error*/) {
    return Append(part);
  }
  bool on_string(bj::string_view part, size_t /*length*/, bj::error_code& /*error*/) {
    text_.append(part);
    return Put(std::exchange(text_, {}));
  }

  bool on_number_part(bj::string_view part, bj::error_code& /*error*/) { return Append(part); }
  bool on_int64(int64_t number, bj::string_view /*part*/, bj::error_code& /*error*/) {
    text_.clear();
    return number < 0 ? Put(number) : Put(static_cast<uint64_t>(number));
  }
  bool on_uint64(uint64_t number, bj::string_view /*part*/, bj::error_code& /*error*/) {
    text_.clear();
    return Put(number);
  }
  // Read again from its text: Boost 1.81 may be off in the last bits.
  bool on_double(double /*rounded*/, bj::string_view part, bj::error_code& error) {
    text_.append(part);
    const double number = std::strtod(std::exchange(text_, {}).c_str(), nullptr);
    if (std::isfinite(number)) return Put(number);
    error = bj::make_error_code(bj::error::exponent_overflow);
    return false;
  }
  bool on_bool(bool value, bj::error_code& /*error*/) { return Put(value); }
  bool on_null(bj::error_code& /*error*/) { return Put(nullptr); }
  bool on_comment_part(bj::string_view /*part*/, bj::error_code& /*error*/) { return true; }
  bool on_comment(bj::string_view /*part*/, bj::error_code& /*error*/) { return true; }

  json Take() { return std::move(root_); }

 private:
  bool Append(bj::string_view part) {
    text_.append(part);
    return true;
  }

  void OnKey(std::string key) {
    if (skipped_ > 0) return;
    const bool is_left_out = in_metadata_ && open_.size() == 2 && key == "managedFields";
    if (is_left_out) {
      skipped_ = 1;
      return;
    }
    if (open_.size() == 1) in_metadata_ = key == "metadata";
    member_ = &open_.back()->get_ref<json::object_t&>()[std::move(key)];
  }

  bool Open(json::value_t type) {
    if (skipped_ > 0) {
      ++skipped_;
    } else {
      open_.push_back(Place(json(type)));
    }
    return true;
  }

  bool Close() {
    if (skipped_ == 0) {
      open_.pop_back();
    } else if (--skipped_ == 1) {
      skipped_ = 0;
    }
    return true;
  }

  template <class T>
  bool Put(T&& value) {
    if (skipped_ == 0) {
      Place(json(std::forward<T>(value)));
    } else if (skipped_ == 1) {
      skipped_ = 0;
    }
    return true;
  }

  json* Place(json&& value) {
    if (!open_.empty() && open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    json* const place = open_.empty() ? &root_ : member_;
    *place = std::move(value);
    return place;
  }

  json root_;
  std::vector<json*> open_;  // from the root inwards; only the last one changes, so they stay
  json* member_ = nullptr;   // of an object that is the last of open_: where its value belongs
  std::string text_;         // parts of a key, string or number
  bool in_metadata_ = false;
  size_t skipped_ = 0;  // inside of a value that is left out: one more than it has open containers
};

// For exponents of ten digits, with which Boost's parser gives up, although the number may be 0.
std::optional<json> ParseSlowly(std::string_view text) {
  if (!IsCompleteObject(text)) return std::nullopt;
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::nullopt;
  if (const auto metadata = object.find("metadata");
      metadata != object.end() && metadata->is_object())
    metadata->erase("managedFields");
  return object;
}

}  // namespace

std::optional<json> ParseObject(std::string_view text) {
  bj::parse_options options;
  options.max_depth = kMaxDepth;
  bj::basic_parser<Builder> parser(options);
  bj::error_code error;
  const size_t read = parser.write_some(/*more=*/false, text.data(), text.size(), error);
  if (error == bj::error::exponent_overflow) return ParseSlowly(text);
  if (error) return std::nullopt;
  if (!std::all_of(text.begin() + static_cast<std::ptrdiff_t>(read), text.end(), IsJsonSpace))
    return std::nullopt;
  json object = parser.handler().Take();
  if (!object.is_object()) return std::nullopt;
  return object;
}

}  // namespace fedra::kube
