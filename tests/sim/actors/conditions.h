#pragma once
//
// metav1 conditions inside a status, with the manners of apimachinery's SetStatusCondition.
//
// Thread rules: free functions on values.

#include <string>
#include <string_view>

#include "tests/sim/api/json.h"

namespace fedra::sim {

struct Condition {
  std::string type;
  bool status = true;
  std::string reason;
  std::string message;
};

// Null pointer when there is no such condition.
const Json* FindCondition(const Json& status, std::string_view type);
bool IsTrue(const Json& status, std::string_view type);
bool IsFalse(const Json& status, std::string_view type);

// Adds or changes the condition; the transition time moves only with its status. Whether anything
// changed.
bool SetCondition(Json& status, const Condition& condition, int64_t generation);
bool RemoveCondition(Json& status, std::string_view type);

// Now, as metav1.Time.
std::string Timestamp();

}  // namespace fedra::sim
