#pragma once
//
// Reading JSON fields with one sticky error, for the parse_*.cc files of this folder only.
//
// A wrong type does not stop the reading, it is remembered with its path and the field counts as
// absent: parsers stay free of error branches and check the Problem once at their end.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/quantity.h"
#include "base/result.h"

namespace fedra::dra {

// The first thing that was wrong.
class Problem final {
 public:
  void Add(ErrorCode code, std::string message) {
    if (!error_) error_ = Fail(code, std::move(message)).value();
  }
  bool found() const { return error_.has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

// One JSON object (or nothing, on which every field is absent) and where it is.
// Lifetime: a Fields refers to the Fields it came from; name every step of a chain that is kept.
class Fields final {
 public:
  // A chain of names back to the root; only written out when something is wrong.
  struct Path {
    const Path* parent = nullptr;
    std::string_view name = {};
    size_t index = 0;  // for an element of a list
    bool is_element = false;
    std::string ToString() const;
  };

  Fields(const nlohmann::json& object, Problem& problem) : Fields(&object, Path{}, problem) {}

  // Null and absent are the same.
  bool Has(const char* key) const { return Get(key) != nullptr; }
  std::string_view String(const char* key) const;
  int64_t Int(const char* key) const;
  std::optional<bool> Bool(const char* key) const;
  Fields Object(const char* key) const;
  bool present() const { return object_ != nullptr; }

  // visit(const Fields& element) for a list of objects; lists above `limit` are an error.
  template <class Visit>
  void ForEachObject(const char* key, size_t limit, Visit&& visit) const {
    ForEachElement(key, limit, [&](const nlohmann::json& value, Path path) {
      visit(Fields(&value, path, *problem_));
    });
  }
  template <class Visit>
  void ForEachString(const char* key, size_t limit, Visit&& visit) const {
    ForEachElement(key, limit, [&](const nlohmann::json& value, Path path) {
      if (value.is_string())
        visit(std::string_view(value.get_ref<const std::string&>()));
      else
        Wrong(path, "a string");
    });
  }
  // visit(int64_t) and visit(bool) for the elements of a list of numbers or truth values.
  template <class Visit>
  void ForEachInt(const char* key, size_t limit, Visit&& visit) const {
    ForEachElement(key, limit, [&](const nlohmann::json& value, Path path) {
      if (const auto number = ToInt(value, path)) visit(*number);
    });
  }
  template <class Visit>
  void ForEachBool(const char* key, size_t limit, Visit&& visit) const {
    ForEachElement(key, limit, [&](const nlohmann::json& value, Path path) {
      if (value.is_boolean())
        visit(value.get<bool>());
      else
        Wrong(path, "true or false");
    });
  }
  // visit(std::string_view key, const Fields& value) for a map of objects.
  template <class Visit>
  void ForEachEntry(const char* key, size_t limit, Visit&& visit) const {
    ForEachMember(key, limit, [&](std::string_view name, const nlohmann::json& value, Path path) {
      visit(name, Fields(&value, path, *problem_));
    });
  }
  // visit(std::string_view key, Quantity value) for a map of quantities.
  template <class Visit>
  void ForEachQuantity(const char* key, size_t limit, Visit&& visit) const {
    ForEachMember(key, limit, [&](std::string_view name, const nlohmann::json& value, Path path) {
      if (const auto quantity = ToQuantity(value, path)) visit(name, *quantity);
    });
  }
  template <class Visit>
  void ForEachStringEntry(const char* key, size_t limit, Visit&& visit) const {
    ForEachMember(key, limit, [&](std::string_view name, const nlohmann::json& value, Path path) {
      if (value.is_string())
        visit(name, std::string_view(value.get_ref<const std::string&>()));
      else
        Wrong(path, "a string");
    });
  }
  std::optional<Quantity> QuantityOf(const char* key) const;
  std::vector<Quantity> QuantityList(const char* key, size_t limit) const;

  // The raw value; null when absent.
  const nlohmann::json* Get(const char* key) const;
  // Remembers "<path>.<key>: <what>".
  void Complain(const char* key, std::string_view what) const;

 private:
  Fields(const nlohmann::json* object, Path path, Problem& problem);

  template <class Visit>
  void ForEachElement(const char* key, size_t limit, Visit&& visit) const {
    const nlohmann::json* list = Get(key);
    if (list == nullptr) return;
    const Path at{.parent = &path_, .name = key};
    if (!list->is_array()) return Wrong(at, "a list");
    if (list->size() > limit) return TooLong(at, limit);
    size_t index = 0;
    for (const nlohmann::json& value : *list)
      visit(value, Path{.parent = &at, .index = index++, .is_element = true});
  }
  template <class Visit>
  void ForEachMember(const char* key, size_t limit, Visit&& visit) const {
    const nlohmann::json* map = Get(key);
    if (map == nullptr) return;
    const Path at{.parent = &path_, .name = key};
    if (!map->is_object()) return Wrong(at, "an object");
    if (map->size() > limit) return TooLong(at, limit);
    for (const auto& [name, value] : map->items())
      visit(std::string_view(name), value, Path{.parent = &at, .name = name});
  }
  std::optional<int64_t> ToInt(const nlohmann::json& value, const Path& path) const;
  std::optional<Quantity> ToQuantity(const nlohmann::json& value, const Path& path) const;
  void Wrong(const Path& path, std::string_view expected) const;
  void TooLong(const Path& path, size_t limit) const;

  const nlohmann::json* object_;
  Path path_;
  Problem* problem_;
};

// Longest lists and maps that are read. The API's own limits are far below.
inline constexpr size_t kMaxDevices = 1024;
inline constexpr size_t kMaxItems = 512;

}  // namespace fedra::dra
