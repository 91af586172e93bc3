#include "dra/model/parse_fields.h"

#include <limits>

namespace fedra::dra {

using nlohmann::json;

std::string Fields::Path::ToString() const {
  std::string text = parent ? parent->ToString() : std::string();
  if (is_element) return text + "[" + std::to_string(index) + "]";
  if (name.empty()) return text;
  if (!text.empty()) text += '.';
  return text.append(name);
}

Fields::Fields(const json* object, Path path, Problem& problem)
    : object_(object), path_(path), problem_(&problem) {
  if (object_ && object_->is_null()) object_ = nullptr;
  if (object_ && !object_->is_object()) {
    Wrong(path_, "an object");
    object_ = nullptr;
  }
}

const json* Fields::Get(const char* key) const {
  if (object_ == nullptr) return nullptr;
  const auto at = object_->find(key);
  return at == object_->end() || at->is_null() ? nullptr : &*at;
}

std::string_view Fields::String(const char* key) const {
  const json* value = Get(key);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get_ref<const std::string&>();
  Wrong(Path{.parent = &path_, .name = key}, "a string");
  return {};
}

int64_t Fields::Int(const char* key) const {
  const json* value = Get(key);
  if (value == nullptr) return 0;
  return ToInt(*value, Path{.parent = &path_, .name = key}).value_or(0);
}

std::optional<int64_t> Fields::ToInt(const json& value, const Path& path) const {
  const bool too_large =
      value.is_number_unsigned() &&
      value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (value.is_number_integer() && !too_large) return value.get<int64_t>();
  Wrong(path, "a 64 bit integer");
  return std::nullopt;
}

std::optional<bool> Fields::Bool(const char* key) const {
  const json* value = Get(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  Wrong(Path{.parent = &path_, .name = key}, "true or false");
  return std::nullopt;
}

Fields Fields::Object(const char* key) const {
  return Fields(Get(key), Path{.parent = &path_, .name = key}, *problem_);
}

std::optional<Quantity> Fields::QuantityOf(const char* key) const {
  const json* value = Get(key);
  if (value == nullptr) return std::nullopt;
  return ToQuantity(*value, Path{.parent = &path_, .name = key});
}

std::vector<Quantity> Fields::QuantityList(const char* key, size_t limit) const {
  std::vector<Quantity> quantities;
  ForEachElement(key, limit, [&](const json& value, Path path) {
    if (const auto quantity = ToQuantity(value, path)) quantities.push_back(*quantity);
  });
  return quantities;
}

std::optional<Quantity> Fields::ToQuantity(const json& value, const Path& path) const {
  // The API accepts bare numbers as well as text.
  if (!value.is_string() && !value.is_number()) {
    Wrong(path, "a quantity");
    return std::nullopt;
  }
  auto quantity =
      Quantity::Parse(value.is_string() ? value.get_ref<const std::string&>() : value.dump());
  if (!quantity) {
    Wrong(path, "a quantity");
    return std::nullopt;
  }
  return *quantity;
}

void Fields::Complain(const char* key, std::string_view what) const {
  problem_->Add(ErrorCode::kInvalidArgument,
                Path{.parent = &path_, .name = key}.ToString().append(": ").append(what));
}

void Fields::Wrong(const Path& path, std::string_view expected) const {
  problem_->Add(ErrorCode::kInvalidArgument,
                path.ToString().append(": expected ").append(expected));
}

void Fields::TooLong(const Path& path, size_t limit) const {
  problem_->Add(ErrorCode::kTooLarge,
                path.ToString() + ": more than " + std::to_string(limit) + " entries");
}

}  // namespace fedra::dra
