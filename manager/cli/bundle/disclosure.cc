#include "manager/cli/bundle/disclosure.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace fedra::cli {

std::string Disclosure::Text(std::string_view text) const {
  std::string told = secrets_.Removed(text);
  return names_ == nullptr ? told : names_->Redacted(told);
}

nlohmann::ordered_json Disclosure::Document(nlohmann::ordered_json document) const {
  if (document.is_string()) return Text(document.get_ref<const std::string&>());
  if (document.is_structured())
    for (nlohmann::ordered_json& value : document) value = Document(std::move(value));
  return document;
}

}  // namespace fedra::cli
