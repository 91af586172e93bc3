#include "cluster-clients/watch/object_cache.h"

#include <fmt/format.h>

#include "cluster-clients/kube/json_object.h"

namespace fedra::watch {

ObjectText::ObjectText(std::string_view text) : text_(text) {}
ObjectText::~ObjectText() = default;

const Result<nlohmann::json>& ObjectText::Parsed() {
  if (parsed_ == nullptr)
    parsed_ = std::make_unique<const Result<nlohmann::json>>(ParseJson(text_));
  return *parsed_;
}

Result<nlohmann::json> ParseJson(std::string_view text) {
  if (auto object = kube::ParseObject(text)) return *std::move(object);
  return Fail(ErrorCode::kBadResponse, fmt::format("not a JSON object ({} bytes)", text.size()));
}

}  // namespace fedra::watch
