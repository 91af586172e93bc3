#include "manager/http/turns.h"

#include <utility>

namespace fedra::httpd {

void Turns::Submit(const std::string& whose, std::function<void()> work) {
  state_->With([&](State& state) {
    auto& own = state.waiting[whose];
    if (own.empty()) state.next.push_back(whose);
    own.push_back(std::move(work));
  });
  // One task of the pool for each piece: which piece it is shows when it runs.
  pool_.Submit([state = state_] {
    const auto turn = state->With([](State& now) {
      const auto own = now.waiting.find(now.next.front());
      now.next.pop_front();
      auto piece = std::move(own->second.front());
      own->second.pop_front();
      if (own->second.empty()) {
        now.waiting.erase(own);
      } else {
        now.next.push_back(own->first);
      }
      return piece;
    });
    turn();
  });
}

}  // namespace fedra::httpd
