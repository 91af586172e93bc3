// Whose work is next.

#include "manager/http/turns.h"

#include <string>
#include <vector>

#include "base/guarded.h"
#include "tests/support/catch.h"

namespace fedra::httpd::turns_test {

TEST_CASE("who asks once waits for one piece of another's crowd, not for all of it") {
  Guarded<bool> may_begin{false};
  Guarded<std::vector<std::string>> done;
  WorkerPool pool(1);
  Turns turns(pool);
  pool.Submit([&] { may_begin.Wait([](bool may) { return may; }, [](bool) {}); });
  const auto submit = [&](const std::string& whose, const std::string& what) {
    turns.Submit(whose, [&done, what] {
      done.With([&](auto& all) { all.push_back(what); });
      done.Notify();
    });
  };
  for (int i = 0; i < 4; ++i) submit("crowd", "crowd " + std::to_string(i));
  submit("other", "other 0");
  submit("other", "other 1");
  submit("third", "third 0");
  may_begin.With([](bool& may) { may = true; });
  may_begin.Notify();
  done.Wait([](const auto& all) { return all.size() == 7; }, [](const auto&) {});
  CHECK(done.Copy() == std::vector<std::string>{"crowd 0", "other 0", "third 0", "crowd 1",
                                                "other 1", "crowd 2", "crowd 3"});
}

}  // namespace fedra::httpd::turns_test
