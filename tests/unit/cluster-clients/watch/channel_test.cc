#include "cluster-clients/watch/channel.h"

#include "tests/support/catch.h"

namespace fedra::watch::channel_test {
namespace {

std::shared_ptr<UnreadBudget> Budget(size_t bytes = 10 << 20) {
  return std::make_shared<UnreadBudget>(bytes);
}

TEST_CASE("everything comes out in order, the end last, and each batch wakes once") {
  int woken = 0;
  const auto channel = std::make_shared<Channel>(1 << 20, Budget(), [&](auto) { ++woken; });
  channel->Opened();
  std::string sent;
  for (int i = 0; i < 30; ++i) {
    const std::string piece(50'000, static_cast<char>('a' + i % 26));
    sent += piece;
    if (sent.size() <= 1 << 20) channel->Data(piece);
  }
  CHECK(woken == 1);
  http::Reply end;
  end.status = 200;
  channel->End(end);
  std::string got;
  bool ended = false;
  while (!ended) {
    const Delivery delivery = channel->Take();
    for (const auto& chunk : delivery.chunks) got += chunk;
    ended = delivery.end.has_value() || delivery.overflow;
  }
  CHECK(woken == 1);
  CHECK((sent.starts_with(got) || got.empty()));
}

TEST_CASE("it wakes again only after it was found empty") {
  int woken = 0;
  const auto channel = std::make_shared<Channel>(1000, Budget(), [&](auto) { ++woken; });
  channel->Data("a");
  CHECK(channel->Take().chunks.size() == 1);
  channel->Data("b");
  CHECK(woken == 1);
  CHECK(channel->Take().chunks.size() == 1);
  CHECK(channel->Take().chunks.empty());
  channel->Data("c");
  CHECK(woken == 2);
}

TEST_CASE("more than the bound is thrown away and said so") {
  const auto channel = std::make_shared<Channel>(100, Budget(), [](auto) {});
  channel->Data(std::string(60, 'a'));
  channel->Data(std::string(60, 'b'));
  channel->Data(std::string(60, 'c'));
  const Delivery delivery = channel->Take();
  CHECK(delivery.overflow);
  CHECK(delivery.chunks.empty());
}

TEST_CASE("the streams of one cluster share what may be unread") {
  const auto budget = Budget(100);
  auto first = std::make_shared<Channel>(100, budget, [](auto) {});
  const auto second = std::make_shared<Channel>(100, budget, [](auto) {});
  first->Data(std::string(60, 'a'));
  second->Data(std::string(30, 'b'));
  CHECK(budget->bytes == 90);
  second->Data(std::string(30, 'c'));
  CHECK(second->Take().overflow);
  CHECK(budget->bytes == 60);
  CHECK(!first->Take().overflow);
  CHECK(budget->bytes == 0);
  first->Data(std::string(60, 'd'));
  first.reset();
  CHECK(budget->bytes == 0);
}

}  // namespace
}  // namespace fedra::watch::channel_test
