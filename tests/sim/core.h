#pragma once
//
// What one simulated cluster consists of, shared by its connections, its actors and the Server in
// front.
//
// Thread rules: each member says its own. `store` is the one lock that matters: verbs, watches and
// actors hold it for one operation at a time. Lifetime: held by shared_ptr; connections keep it
// alive until the engine has let go of them.

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "tests/sim/api/resource_types.h"
#include "tests/sim/api/store.h"
#include "tests/sim/api/verbs.h"
#include "tests/sim/server.h"

namespace fedra::sim {

class Core final : public std::enable_shared_from_this<Core> {
 public:
  Core(ServerOptions server_options, boost::asio::io_context& server_loop);

  // Constant after construction.
  const ServerOptions options;
  boost::asio::io_context& loop;  // outlives this
  const Registry registry;

  // Under the store's lock as well: what runs at creation.
  std::vector<Mutator> mutators;
  const Verbs verbs;
  Guarded<Store> store;

  Guarded<std::vector<std::shared_ptr<const User>>> users;
  Guarded<Faults> faults;
  Guarded<std::map<std::string, size_t>> requests;
  std::atomic<size_t> watches = 0;  // that clients have open

  // Runs `write(store)` under the lock, then wakes all that wait for a change.
  template <class F>
  decltype(auto) Write(F&& write) {
    struct Wake {
      Guarded<Store>& guarded;
      ~Wake() { guarded.Notify(); }
    } wake{store};
    return store.With(std::forward<F>(write));
  }

  std::shared_ptr<const User> UserNamed(std::string_view name) const;
  std::shared_ptr<const User> UserWithToken(std::string_view token) const;
};

}  // namespace fedra::sim
