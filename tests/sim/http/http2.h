#pragma once
//
// HTTP/2 (RFC 9113), by nghttp2: a request is a stream, up to 100 of a connection at a time, with
// the limits of kube-apiserver (k8s.io/apiserver 1.36, pkg/server/secure_serving.go). An answer is
// made as fast as the client's windows allow, each stream for itself. A stream that the client
// resets ends its request. The server announces its end with GOAWAY.

#include <memory>

#include "tests/sim/core.h"
#include "tests/sim/http/exchange.h"
#include "tests/sim/http/protocol.h"

namespace fedra::sim {

std::unique_ptr<Protocol> MakeHttp2(std::shared_ptr<Core> core, Peer peer, Protocol::Wake wake);

}  // namespace fedra::sim
