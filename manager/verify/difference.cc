#include "manager/verify/difference.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "manager/tracking/json_fields.h"
#include "verdict/reason_text.h"

namespace fedra::verify {
namespace {

using nlohmann::json;

constexpr size_t kMaxValue = 80;
constexpr size_t kMaxKey = 80;
constexpr size_t kShown = 3;

std::string Member(const std::string& path, const std::string& key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  return plain ? fmt::format("{}.{}", path, Cut(key, kMaxKey))
               : fmt::format("{}[\"{}\"]", path, Cut(key, kMaxKey));
}

class Comparison final {
 public:
  explicit Comparison(size_t limit) : limit_(limit) {}

  // Null pointers stand for what is not there. Recursion ends at the depth that cluster-clients
  // lets in.
  void Look(const json* there, const json* here, const std::string& path) {
    if (there != nullptr && here != nullptr) {
      if (*there == *here) return;
      if (there->is_object() && here->is_object()) return LookAtMembers(*there, *here, path);
      if (there->is_array() && here->is_array()) return LookAtElements(*there, *here, path);
    }
    ++drift_.total;
    if (drift_.fields.size() < limit_) drift_.fields.push_back({path, Value(there), Value(here)});
  }

  verdict::Drift Take() { return std::move(drift_); }

 private:
  static std::optional<std::string> Value(const json* value) {
    if (value == nullptr) return std::nullopt;
    return Cut(tracking::Dump(*value), kMaxValue);
  }

  void LookAtMembers(const json& there, const json& here, const std::string& path) {
    std::set<std::string> keys;
    for (const json* side : {&there, &here}) {
      for (auto member = side->begin(); member != side->end(); ++member) keys.insert(member.key());
    }
    const auto find = [](const json& object, const std::string& key) -> const json* {
      const auto found = object.find(key);
      return found == object.end() ? nullptr : &*found;
    };
    for (const std::string& key : keys) Look(find(there, key), find(here, key), Member(path, key));
  }

  void LookAtElements(const json& there, const json& here, const std::string& path) {
    for (size_t i = 0; i < std::max(there.size(), here.size()); ++i) {
      Look(i < there.size() ? &there[i] : nullptr, i < here.size() ? &here[i] : nullptr,
           fmt::format("{}[{}]", path, i));
    }
  }

  const size_t limit_;
  verdict::Drift drift_;
};

}  // namespace

verdict::Drift Compare(const json& there, const json& here, std::string_view path, size_t limit) {
  Comparison comparison(limit);
  comparison.Look(&there, &here, std::string(path));
  return comparison.Take();
}

verdict::Drift TemplateDrift(const std::string& there, const std::string& here) {
  const auto parse = [](const std::string& text) {
    return json::parse(text, nullptr, /*allow_exceptions=*/false);
  };
  return Compare(parse(there), parse(here), "spec", kShown);
}

std::string TemplateDifference(const std::string& there, const std::string& here) {
  return verdict::DifferencesText(TemplateDrift(there, here));
}

}  // namespace fedra::verify
