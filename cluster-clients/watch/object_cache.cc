#include "cluster-clients/watch/object_cache.h"

#include <fmt/format.h>

#include "cluster-clients/kube/json_fields.h"
#include "cluster-clients/kube/json_text.h"

namespace fedra::watch {
namespace {

// Who wrote which field is of no interest here, and often half of an object: the parser, which is
// slow, does not see it. The text itself when there is nothing to leave out.
std::string_view WithoutManagedFields(std::string_view object, std::string_view metadata,
                                      std::string& buffer) {
  const auto fields = kube::FindMember(metadata, "managedFields");
  if (!fields) return object;
  const size_t begin = static_cast<size_t>(fields->data() - object.data());
  buffer.reserve(object.size() - fields->size() + 2);
  buffer.append(object.substr(0, begin)).append("[]");
  buffer.append(object.substr(begin + fields->size()));
  return buffer;
}

}  // namespace

ObjectText::ObjectText(std::string_view text) : text_(text) {}
ObjectText::~ObjectText() = default;

const Result<nlohmann::json>& ObjectText::Parsed() {
  if (parsed_ == nullptr)
    parsed_ = std::make_unique<const Result<nlohmann::json>>(ParseJson(text_));
  return *parsed_;
}

Result<nlohmann::json> ParseJson(std::string_view text) {
  // Also bounds the depth: printing what is nested a million times overflows the stack.
  if (const auto members = kube::ReadMembers(text, {"metadata"})) {
    std::string buffer;
    auto parsed = nlohmann::json::parse(WithoutManagedFields(text, members->front(), buffer),
                                        nullptr, /*allow_exceptions=*/false);
    if (!buffer.empty() && parsed.is_object()) parsed["metadata"].erase("managedFields");
    if (!parsed.is_discarded()) return parsed;
  }
  return Fail(ErrorCode::kBadResponse, fmt::format("not a JSON object ({} bytes)", text.size()));
}

}  // namespace fedra::watch
