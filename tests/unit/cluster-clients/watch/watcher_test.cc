#include "cluster-clients/watch/watcher.h"

#include "tests/support/catch.h"

namespace fedra::watch::watcher_test {
namespace {

using namespace std::chrono_literals;
using Deliver = Output::Deliver;
using Next = Output::Next;

Error Because(ErrorCode code) { return Error{code, "because", {}, {}}; }
ResourceVersion V(const char* text) { return ResourceVersion(text); }

Watcher Started() {
  Watcher watcher(WatcherOptions{500});
  watcher.Start();
  return watcher;
}
// Listed at version 10, the watch open and heard of.
Watcher Open() {
  Watcher watcher = Started();
  watcher.Handle(PageEnded{V("10"), ""});
  watcher.Handle(WatchOpened{});
  watcher.Handle(Bookmark{V("10")});
  return watcher;
}

TEST_CASE("it begins with a paged list") {
  Watcher watcher(WatcherOptions{500});
  const Output output = watcher.Start();
  CHECK(output.deliver == Deliver::kReset);
  CHECK(output.next == Next::kList);
  CHECK(output.limit == 500);
  CHECK(output.continue_token.empty());
  CHECK(!output.trouble);
}

TEST_CASE("page after page, then synced and a watch from the list's version") {
  Watcher watcher = Started();
  Output output = watcher.Handle(PageEnded{V("10"), "t1"});
  CHECK(output.deliver == Deliver::kNothing);
  CHECK(output.next == Next::kList);
  CHECK(output.continue_token == "t1");
  output = watcher.Handle(PageEnded{V("10"), ""});
  CHECK(output.deliver == Deliver::kSynced);
  CHECK(output.state == CacheState::kSynced);
  CHECK(output.next == Next::kWatch);
  CHECK(output.version == V("10"));
  CHECK(!output.trouble);
}

TEST_CASE("events are passed on and move the version") {
  Watcher watcher = Open();
  CHECK(watcher.Handle(ObjectEvent{EventType::kAdded, V("11")}).deliver == Deliver::kUpsert);
  CHECK(watcher.Handle(ObjectEvent{EventType::kModified, V("12")}).deliver == Deliver::kUpsert);
  CHECK(watcher.Handle(ObjectEvent{EventType::kDeleted, V("13")}).deliver == Deliver::kRemove);
  CHECK(watcher.Handle(WatchEnded{{}, true, 290s}).version == V("13"));
}

TEST_CASE("a bookmark moves the version and tells nobody") {
  Watcher watcher = Open();
  const Output output = watcher.Handle(Bookmark{V("99")});
  CHECK(output.deliver == Deliver::kNothing);
  CHECK(output.next == Next::kContinue);
  watcher.Handle(Bookmark{V("")});
  CHECK(watcher.Handle(WatchEnded{{}, true, 290s}).version == V("99"));
}

// What one input leads to, from an open watch at version 10.
TEST_CASE("ends of a watch") {
  struct Row {
    const char* what;
    Input input;
    Next next;
    std::optional<RetryClass> trouble;
    std::optional<CacheState> state;
  };
  const Row rows[] = {
      {"the server's own limit", WatchEnded{{}, true, 290s}, Next::kWatch, {}, {}},
      {"our limit", WatchEnded{Because(ErrorCode::kTimeout), true, 295s}, Next::kWatch, {}, {}},
      {"ended at once", WatchEnded{{}, true, 10ms}, Next::kWatch, RetryClass::kCut, {}},
      {"cut",
       WatchEnded{Because(ErrorCode::kConnection), true, 60s},
       Next::kWatch,
       RetryClass::kCut,
       {}},
      {"refused connection",
       WatchEnded{Because(ErrorCode::kConnection), false, 0s},
       Next::kWatch,
       RetryClass::kFailing,
       {}},
      {"no answer",
       WatchEnded{Because(ErrorCode::kTimeout), false, 0s},
       Next::kWatch,
       RetryClass::kFailing,
       {}},
      {"503",
       WatchEnded{Because(ErrorCode::kUnavailable), false, 0s},
       Next::kWatch,
       RetryClass::kFailing,
       {}},
      {"garbage",
       WatchEnded{Because(ErrorCode::kBadResponse), true, 60s},
       Next::kWatch,
       RetryClass::kFailing,
       {}},
      {"410 on opening",
       WatchEnded{Because(ErrorCode::kGone), false, 0s},
       Next::kList,
       RetryClass::kCut,
       {}},
      {"410 in an event", ErrorEvent{Because(ErrorCode::kGone)}, Next::kList, RetryClass::kCut, {}},
      {"500 in an event",
       ErrorEvent{Because(ErrorCode::kUnavailable)},
       Next::kWatch,
       RetryClass::kFailing,
       {}},
      {"403", WatchEnded{Because(ErrorCode::kForbidden), false, 0s}, Next::kWatch,
       RetryClass::kRefused, CacheState::kForbidden},
      {"404", WatchEnded{Because(ErrorCode::kApiMissing), false, 0s}, Next::kList,
       RetryClass::kRefused, CacheState::kNotServed},
      {"overflow", Overflowed{}, Next::kList, RetryClass::kCut, {}},
      {"an object without a version", ObjectEvent{EventType::kAdded, V("")}, Next::kList,
       RetryClass::kFailing, CacheState::kFailing},
      {"other credentials", Resumed{}, Next::kWatch, {}, {}},
      {"back after an outage, or another server", Returned{}, Next::kList, {}, {}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Watcher watcher = Open();
    const Output output = watcher.Handle(row.input);
    CHECK(output.next == row.next);
    CHECK(output.trouble == row.trouble);
    CHECK(output.state == row.state);
    if (row.next == Next::kWatch) CHECK(output.version == V("10"));
    if (row.next == Next::kList) {
      CHECK(output.continue_token.empty());
      CHECK((output.deliver == Deliver::kReset || output.deliver == Deliver::kClear));
    }
    if (output.trouble) CHECK(output.failures == 1);
  }
}

TEST_CASE("failures of a list") {
  struct Row {
    const char* what;
    ErrorCode code;
    bool paging;
    std::string token;  // of the next list
    RetryClass trouble;
    std::optional<CacheState> state;
  };
  const Row rows[] = {
      {"first page cut", ErrorCode::kConnection, false, "", RetryClass::kFailing, {}},
      {"later page cut: the same page again",
       ErrorCode::kConnection,
       true,
       "t1",
       RetryClass::kFailing,
       {}},
      {"token expired: from the beginning", ErrorCode::kGone, true, "", RetryClass::kCut, {}},
      {"403", ErrorCode::kForbidden, false, "", RetryClass::kRefused, CacheState::kForbidden},
      {"403 on a later page", ErrorCode::kForbidden, true, "", RetryClass::kRefused,
       CacheState::kForbidden},
      {"404", ErrorCode::kApiMissing, false, "", RetryClass::kRefused, CacheState::kNotServed},
      {"401", ErrorCode::kUnauthorized, false, "", RetryClass::kFailing, CacheState::kFailing},
      {"too large", ErrorCode::kTooLarge, false, "", RetryClass::kTooLong, CacheState::kFailing},
      {"HTML", ErrorCode::kBadResponse, false, "", RetryClass::kFailing, CacheState::kFailing},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Watcher watcher = Started();
    if (row.paging) watcher.Handle(PageEnded{V("10"), "t1"});
    const Output output = watcher.Handle(ListFailed{Because(row.code)});
    CHECK(output.next == Next::kList);
    CHECK(output.continue_token == row.token);
    CHECK(output.trouble == row.trouble);
    CHECK(output.state == row.state);
    // A page that is asked for again must not forget the pages before it.
    CHECK((output.deliver == Deliver::kNothing) == !row.token.empty());
  }
}

TEST_CASE("what is not served any more has no objects") {
  Watcher watcher = Open();
  const Output output = watcher.Handle(WatchEnded{Because(ErrorCode::kApiMissing), false, 0s});
  CHECK(output.deliver == Deliver::kClear);
  CHECK(output.error->code == ErrorCode::kApiMissing);
  // And when it is served again, the list begins anew.
  CHECK(watcher.Handle(PageEnded{V("20"), ""}).state == CacheState::kSynced);
}

TEST_CASE("one cut of a list is not worth a word, a second one is") {
  Watcher watcher = Started();
  CHECK(!watcher.Handle(ListFailed{Because(ErrorCode::kConnection)}).state);
  CHECK(watcher.Handle(ListFailed{Because(ErrorCode::kConnection)}).state == CacheState::kFailing);
}

TEST_CASE("one cut is not worth a word, a second one is") {
  Watcher watcher = Open();
  CHECK(!watcher.Handle(WatchEnded{Because(ErrorCode::kConnection), true, 60s}).state);
  const Output second = watcher.Handle(WatchEnded{Because(ErrorCode::kConnection), false, 0s});
  CHECK(second.state == CacheState::kFailing);
  CHECK(second.failures == 2);
  CHECK(watcher.Handle(WatchOpened{}).state == CacheState::kSynced);
}

// A server that was restored from a backup, or is another one, keeps a watch from a version of its
// future open and says nothing.
TEST_CASE("a watch that lived long without a word is not trusted") {
  struct Row {
    const char* what;
    bool heard;
    WatchEnded end;
    Next next;
  };
  const Row rows[] = {
      {"silent to the server's limit", false, {{}, true, 290s}, Next::kList},
      {"silent to our limit", false, {Because(ErrorCode::kTimeout), true, 295s}, Next::kList},
      {"silent, then cut", false, {Because(ErrorCode::kConnection), true, 120s}, Next::kList},
      {"too short to have heard", false, {{}, true, 119s}, Next::kWatch},
      {"a bookmark came", true, {{}, true, 290s}, Next::kWatch},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Watcher watcher = Open();
    watcher.Handle(WatchEnded{{}, true, 290s});
    watcher.Handle(WatchOpened{});  // what was heard before does not count
    if (row.heard) watcher.Handle(Bookmark{V("10")});
    const Output output = watcher.Handle(row.end);
    CHECK(output.next == row.next);
    CHECK(output.deliver == (row.next == Next::kList ? Deliver::kReset : Deliver::kNothing));
  }
  Watcher watcher = Open();
  watcher.Handle(WatchEnded{{}, true, 290s});
  watcher.Handle(WatchOpened{});
  watcher.Handle(ObjectEvent{EventType::kDeleted, V("11")});
  CHECK(watcher.Handle(WatchEnded{{}, true, 290s}).version == V("11"));
}

TEST_CASE("after an outage Synced waits for the list") {
  Watcher watcher = Open();
  const Output back = watcher.Handle(Returned{});
  CHECK(back.next == Next::kList);
  CHECK(back.deliver == Deliver::kReset);
  CHECK(back.continue_token.empty());
  CHECK(!watcher.Handle(PageEnded{V("5"), "t1"}).state);
  const Output listed = watcher.Handle(PageEnded{V("5"), ""});
  CHECK(listed.state == CacheState::kSynced);
  CHECK(listed.version == V("5"));
}

TEST_CASE("the server's wish to be left alone is passed on") {
  Error busy = Because(ErrorCode::kTooManyRequests);
  busy.retry_after = 20s;
  CHECK(Started().Handle(ListFailed{busy}).retry_after == 20s);
  CHECK(Open().Handle(WatchEnded{busy, false, 0s}).retry_after == 20s);
  CHECK(!Open().Handle(WatchEnded{Because(ErrorCode::kUnavailable), false, 0s}).retry_after);
}

TEST_CASE("a healthy watch forgives, a short one does not") {
  Watcher watcher = Open();
  for (int i = 1; i <= 5; ++i) {
    CHECK(watcher.Handle(WatchEnded{Because(ErrorCode::kConnection), true, 100ms}).failures == i);
    watcher.Handle(WatchOpened{});
  }
  CHECK(watcher.Handle(WatchEnded{Because(ErrorCode::kConnection), true, 5s}).failures == 1);
}

TEST_CASE("a server that expires every version is asked less and less often") {
  Watcher watcher = Open();
  for (int i = 1; i <= 5; ++i) {
    const Output output = watcher.Handle(ErrorEvent{Because(ErrorCode::kGone)});
    CHECK(output.failures == i);
    watcher.Handle(PageEnded{V("10"), ""});
    watcher.Handle(WatchOpened{});
  }
}

TEST_CASE("tokens that always expire lead to a list in one piece") {
  Watcher watcher = Started();
  for (int i = 0; i < 2; ++i) {
    watcher.Handle(PageEnded{V("10"), "t"});
    CHECK(watcher.Handle(ListFailed{Because(ErrorCode::kGone)}).limit == (i == 0 ? 500U : 0U));
  }
  watcher.Handle(PageEnded{V("10"), ""});
  // The next list is paged again.
  CHECK(watcher.Handle(ErrorEvent{Because(ErrorCode::kGone)}).limit == 500);
}

TEST_CASE("a version that the server never accepts is given up") {
  Watcher watcher = Open();
  const Input refused = WatchEnded{Because(ErrorCode::kUnavailable), false, 0s};
  CHECK(watcher.Handle(refused).next == Next::kWatch);
  CHECK(watcher.Handle(refused).next == Next::kWatch);
  CHECK(watcher.Handle(refused).next == Next::kList);
}

TEST_CASE("progress keeps a version alive") {
  Watcher watcher = Open();
  for (int i = 0; i < 10; ++i) {
    CHECK(watcher.Handle(WatchEnded{Because(ErrorCode::kUnavailable), true, 10s}).next ==
          Next::kWatch);
    watcher.Handle(WatchOpened{});
    watcher.Handle(Bookmark{V("11")});
  }
}

TEST_CASE("a list without a version is no list") {
  Watcher watcher = Started();
  const Output output = watcher.Handle(PageEnded{V(""), ""});
  CHECK(output.next == Next::kList);
  CHECK(output.state == CacheState::kFailing);
}

TEST_CASE("after a reconnect nothing waits, and a list begins again") {
  Watcher watcher = Started();
  watcher.Handle(ListFailed{Because(ErrorCode::kForbidden)});
  const Output output = watcher.Handle(Resumed{});
  CHECK(output.next == Next::kList);
  CHECK(!output.trouble);
  watcher.Handle(PageEnded{V("10"), "t1"});
  const Output paging = watcher.Handle(Resumed{});
  CHECK(paging.continue_token.empty());
  CHECK(paging.deliver == Deliver::kReset);
}

TEST_CASE("late events of a stream that was given up change nothing") {
  Watcher watcher = Open();
  watcher.Handle(Overflowed{});
  CHECK(watcher.Handle(ObjectEvent{EventType::kAdded, V("11")}).deliver == Deliver::kNothing);
  CHECK(watcher.Handle(Bookmark{V("12")}).next == Next::kContinue);
}

TEST_CASE("more than any server has is read again from the beginning, and late") {
  Watcher paging = Started();
  paging.Handle(PageEnded{V("10"), "t1"});
  const Output list = paging.Handle(ListFailed{Because(ErrorCode::kTooLarge)});
  CHECK(list.deliver == Deliver::kReset);
  CHECK(list.next == Next::kList);
  CHECK(list.continue_token.empty());
  CHECK(list.trouble == RetryClass::kTooLong);
  CHECK(list.state == CacheState::kFailing);
  Watcher watching = Open();
  const Output events = watching.Handle(WatchEnded{Because(ErrorCode::kTooLarge), true, 60s});
  CHECK(events.next == Next::kList);
  CHECK(events.trouble == RetryClass::kTooLong);
  CHECK(events.state == CacheState::kFailing);
}

TEST_CASE("pages that come faster than they are read become smaller, down to a few objects") {
  Watcher watcher = Started();
  Output output = watcher.Handle(Overflowed{});
  CHECK(output.next == Next::kList);
  CHECK(output.limit == 125);
  CHECK(!output.state);
  for (int i = 0; i < 5; ++i) output = watcher.Handle(Overflowed{});
  CHECK(output.limit == 20);
  CHECK(output.state == CacheState::kFailing);
  // Events that come too fast are no reason.
  Watcher watching = Open();
  CHECK(watching.Handle(Overflowed{}).limit == 500);
}

}  // namespace
}  // namespace fedra::watch::watcher_test
