#pragma once
//
// HTTP/1.1 with keep-alive: one request at a time, answers without a length as chunks.

#include <memory>

#include "tests/sim/core.h"
#include "tests/sim/http/exchange.h"
#include "tests/sim/http/protocol.h"

namespace fedra::sim {

std::unique_ptr<Protocol> MakeHttp1(std::shared_ptr<Core> core, Peer peer, Protocol::Wake wake);

}  // namespace fedra::sim
