#include "cluster-clients/connection.h"

#include "tests/support/catch.h"

namespace fedra::connection_test {
namespace {

using namespace std::chrono_literals;
using Phase = ConnectionPhase;

WallTime At(int seconds) { return WallTime(std::chrono::seconds(1'000'000 + seconds)); }
Error Because(ErrorCode code) { return Error{code, "because", {}, {}}; }

TEST_CASE("what an error says about the connection") {
  CHECK(PhaseOf(Because(ErrorCode::kUnauthorized)) == Phase::kRejected);
  CHECK(PhaseOf(Because(ErrorCode::kForbidden)) == Phase::kRejected);
  CHECK(PhaseOf(Because(ErrorCode::kTlsUntrusted)) == Phase::kRejected);
  CHECK(PhaseOf(Because(ErrorCode::kInvalidArgument)) == Phase::kMisconfigured);
  for (const ErrorCode code : {ErrorCode::kConnection, ErrorCode::kTimeout, ErrorCode::kUnavailable,
                               ErrorCode::kBadResponse, ErrorCode::kApiMissing}) {
    CHECK(PhaseOf(Because(code)) == Phase::kUnreachable);
  }
}

TEST_CASE("connecting, connected, lost, back") {
  ConnectionTracker tracker(10s, At(0));
  CHECK(tracker.state().phase == Phase::kConnecting);
  CHECK(tracker.state().since == At(0));

  auto output = tracker.Succeeded(At(1));
  CHECK(output.changed);
  CHECK(output.probe_in == 10s);
  CHECK(tracker.state().since == At(1));

  output = tracker.Succeeded(At(11));
  CHECK(!output.changed);
  CHECK(tracker.state().since == At(1));

  output = tracker.Failed(At(20), Because(ErrorCode::kTimeout), 0);
  CHECK(output.changed);
  CHECK(tracker.state().phase == Phase::kUnreachable);
  CHECK(tracker.state().since == At(20));
  CHECK(tracker.state().why->code == ErrorCode::kTimeout);

  tracker.Failed(At(30), Because(ErrorCode::kConnection), 0);
  CHECK(tracker.state().since == At(20));

  output = tracker.Succeeded(At(40));
  CHECK(output.changed);
  CHECK(tracker.state().since == At(40));
  CHECK(!tracker.state().why);
}

TEST_CASE("one outage has one beginning, whatever its reasons") {
  ConnectionTracker tracker(10s, At(0));
  tracker.Succeeded(At(1));
  tracker.Failed(At(10), Because(ErrorCode::kConnection), 0);
  const auto output = tracker.Failed(At(20), Because(ErrorCode::kTlsUntrusted), 0);
  CHECK(output.changed);
  CHECK(tracker.state().phase == Phase::kRejected);
  CHECK(tracker.state().since == At(10));
  tracker.Failed(At(30), Because(ErrorCode::kConnection), 0);
  CHECK(tracker.state().since == At(10));
}

TEST_CASE("a misconfigured cluster is not asked until its access changes") {
  ConnectionTracker tracker(10s, At(0));
  auto output = tracker.Misconfigured(At(5), Because(ErrorCode::kInvalidArgument));
  CHECK(output.changed);
  CHECK(!output.probe_in);
  CHECK(tracker.state().since == At(0));
  CHECK_FALSE(tracker.Misconfigured(At(6), Because(ErrorCode::kInvalidArgument)).changed);
  // For another reason.
  CHECK(tracker.Misconfigured(At(7), Because(ErrorCode::kNotFound)).changed);
  CHECK(tracker.state().why->code == ErrorCode::kNotFound);
  output = tracker.AccessChanged();
  CHECK(output.changed);
  CHECK(output.probe_in == 0ms);
  CHECK(tracker.state().phase == Phase::kConnecting);
  output = tracker.Failed(At(6), Because(ErrorCode::kInvalidArgument), 0);
  CHECK(tracker.state().phase == Phase::kMisconfigured);
  CHECK(!output.probe_in);
}

TEST_CASE("new access is tried at once and does not end an outage") {
  ConnectionTracker tracker(10s, At(0));
  tracker.Succeeded(At(1));
  for (int i = 0; i < 10; ++i) tracker.Failed(At(10 + i), Because(ErrorCode::kUnauthorized), 0);
  const auto output = tracker.AccessChanged();
  CHECK(!output.changed);
  CHECK(output.probe_in == 0ms);
  CHECK(tracker.state().phase == Phase::kRejected);
  CHECK(tracker.state().since == At(10));
  CHECK(tracker.Failed(At(30), Because(ErrorCode::kUnauthorized), 0).probe_in == 500ms);
}

TEST_CASE("reconnects: 0.5 s doubled, refused ones at least every 2 s, others up to 15 s") {
  const Error refused = Because(ErrorCode::kConnection);
  const Error silent = Because(ErrorCode::kTimeout);
  CHECK(ReconnectDelay(refused, 1, 0) == 500ms);
  CHECK(ReconnectDelay(refused, 2, 0) == 1s);
  CHECK(ReconnectDelay(refused, 1000, 0) == 2s);
  CHECK(ReconnectDelay(silent, 5, 0) == 8s);
  CHECK(ReconnectDelay(silent, 1000, 0) == 15s);
  CHECK(ReconnectDelay(silent, 1000, 0.999) > 11s);
  CHECK(ReconnectDelay(silent, 1000, 0.999) < 12s);
}

}  // namespace
}  // namespace fedra::connection_test
