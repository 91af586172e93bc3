#pragma once
//
// What the headers of verdict/ say about facts and their fields, for pages about them.

#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>

namespace fedra::testing {

// "JointShortage::Found", of a type within fedra::verdict; "ObjectKey", of one within fedra.
std::string NameOfType(const std::type_info& type);

// What the struct is, for a person who has no header at hand; nothing: no comment.
std::optional<std::string> MeaningOfFacts(const std::string& type);
// The same of a field, by its name in JSON.
std::optional<std::string> MeaningOfFact(const std::string& type, std::string_view field);

}  // namespace fedra::testing
