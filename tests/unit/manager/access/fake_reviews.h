#pragma once
//
// A manager that knows a few users, and counts what it is asked.

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/guarded.h"
#include "manager/access/reviews.h"

namespace fedra::access {

// What there is to know; changed by tests while it is asked.
struct Known {
  std::map<std::string, User> users;                      // by token
  std::set<std::pair<std::string, std::string>> allowed;  // user's name, TextOf(attributes)
  bool answers = true;
};

class FakeReviews final : public Reviews {
 public:
  explicit FakeReviews(Guarded<Known>& known) : known_(known) {}

  Result<std::optional<User>> WhoHas(const std::string& token) override {
    ++asked_who;
    return known_.With([&](const Known& known) -> Result<std::optional<User>> {
      if (!known.answers) return Fail(ErrorCode::kUnavailable, "manager: no answer");
      const auto found = known.users.find(token);
      return found == known.users.end() ? std::optional<User>() : found->second;
    });
  }
  Result<bool> May(const User& user, const Attributes& attributes) override {
    ++asked_may;
    asked_rights_.With([&](auto& times) { ++times[user.name + " " + TextOf(attributes)]; });
    return known_.With([&](const Known& known) -> Result<bool> {
      if (!known.answers) return Fail(ErrorCode::kUnavailable, "manager: no answer");
      return known.allowed.contains({user.name, TextOf(attributes)}) ||
             known.allowed.contains({user.name, "*"});
    });
  }

  // How often it was asked about each right that it was asked about.
  std::map<std::string, int> AskedRights() const { return asked_rights_.Copy(); }

  std::atomic<int> asked_who = 0;
  std::atomic<int> asked_may = 0;

 private:
  Guarded<Known>& known_;
  Guarded<std::map<std::string, int>> asked_rights_;  // -> times
};

}  // namespace fedra::access
