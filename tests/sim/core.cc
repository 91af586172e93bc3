#include "tests/sim/core.h"

#include <algorithm>
#include <utility>

namespace fedra::sim {
namespace {

template <class F>
std::shared_ptr<const User> FindUser(const Guarded<std::vector<std::shared_ptr<const User>>>& users,
                                     const F& matches) {
  return users.With([&](const auto& list) -> std::shared_ptr<const User> {
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& user) { return matches(*user); });
    return found == list.end() ? nullptr : *found;
  });
}

}  // namespace

Core::Core(ServerOptions server_options, boost::asio::io_context& server_loop)
    : options(std::move(server_options)),
      loop(server_loop),
      registry(options),
      verbs(registry, mutators),
      store(Store(registry, options.history)) {}

std::shared_ptr<const User> Core::UserNamed(std::string_view name) const {
  return FindUser(users, [name](const User& user) { return user.name == name; });
}

std::shared_ptr<const User> Core::UserWithToken(std::string_view token) const {
  return FindUser(users,
                  [token](const User& user) { return user.token == token && !token.empty(); });
}

}  // namespace fedra::sim
