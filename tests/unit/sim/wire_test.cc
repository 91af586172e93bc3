#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim {
namespace {

uint16_t PortOf(const Server& server) {
  const std::string address = server.Address();
  return static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

TEST_CASE("requests and watches over TLS") {
  Server server;
  Client client(PortOf(server), server.CaPem());
  REQUIRE(client.Connect());
  REQUIRE(client.Send("GET", "/version"));
  const auto version = client.Receive();
  REQUIRE(version);
  CHECK(version->status == 200);
  CHECK(Json::parse(version->body)["gitVersion"] == "v1.36.3");
}

}  // namespace
}  // namespace fedra::sim
