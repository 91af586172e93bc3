#pragma once
//
// Leader election over one Lease, as a state machine: what to ask next, and until when we lead.
//
// The protocol is that of client-go's LeaderElector.tryAcquireOrRenew with a LeaseLock
// (k8s.io/client-go v0.36.3, tools/leaderelection/leaderelection.go and resourcelock/leaselock.go),
// so fedra, kubectl and client-go agree on what a Lease says. Clocks of different machines are
// never compared: a candidate takes over when it has not seen the record change for the record's
// own duration, by its own clock. Stricter than client-go in four points:
// - We lead until `renew_deadline` after the last successful renewal was *sent*. client-go counts
//   from after the answer, and has seconds in which two lead.
// - What was lost stays lost: Lost() is for ever, and the process begins again as a candidate.
// - A Lease that was deleted says nothing about its holder: a candidate that has seen one waits as
//   long as it would have waited for it to change.
// - A record without a duration counts for our own, instead of for no time at all.
// And one that is not eager leaves a Lease that is free to others for a while: kGraceDurations.
// A candidate looks more often than client-go's, which retries every 2 to 4.4 s, and when the
// record has run out: Pause(). The time for which it must not have changed is the same; it begins
// sooner after the last renewal, and is over when it ends. So at no time do two lead whose clocks
// run at rates that differ by less than lease_duration : renew_deadline, as long as no other
// program writes or deletes the Lease.
//
// Pure. Thread rules: one thread. After Begin(), each Ask but kWait is carried out and its answer
// given to Handle(), whose result is carried out likewise.

#include <chrono>
#include <optional>
#include <string>

#include "base/boot_clock.h"
#include "base/clock.h"
#include "manager/leader/lease_record.h"

namespace fedra::leader {

// Of client-go, and so of Kubernetes' own components. `lease_duration` is in whole seconds.
struct LeaseTerms {
  std::chrono::milliseconds lease_duration{15'000};  // others wait so long before they take over
  std::chrono::milliseconds renew_deadline{10'000};  // we lead so long without a renewal
  std::chrono::milliseconds retry_period{2'000};     // between two tries of a leader
};

enum class Ask {
  kGet,     // GET the Lease
  kCreate,  // POST one with record()
  kUpdate,  // PUT ChangedLease(lease(), record())
  kWait,    // the try is over: begin another one after a while, or none when Lost()
};

// What came of a request.
struct Answer {
  enum class Kind {
    kLease,   // of a GET: it is there; of a POST or PUT: it is written
    kAbsent,  // of a GET: 404 for the object
    kFailed,  // anything else, a 409 or no answer at all: it may have been carried out, or still be
  };
  Kind kind = Kind::kFailed;
  Lease lease = {};  // with kLease
};

// A candidate that could not begin to work yet leaves a free Lease to others for so many times
// lease_duration.
inline constexpr int kGraceDurations = 2;

class LeaseLock final {
 public:
  // `identity`: not empty. Of this process alone, never of its predecessor, wherever that could
  // still act.
  LeaseLock(LeaseTerms terms, std::string identity);

  // `now` is what the validity is counted from: take it before the request is sent. `eager`: see
  // kGraceDurations; of no account for a leader.
  Ask Begin(BootTime now, WallTime wall, bool eager = true);
  Ask Handle(const Answer& answer, BootTime now, WallTime wall);

  // What a kCreate or kUpdate writes, and what it changes.
  const LeaseRecord& record() const { return record_; }
  const Lease& lease() const { return *lease_; }

  const std::string& identity() const { return identity_; }
  // We may act as the leader before this time; the earliest of all times when we never led.
  BootTime held_until() const { return held_until_; }
  bool Leads(BootTime now) const { return now < held_until_; }
  // We led, and do not any more.
  bool Lost(BootTime now) const { return led_ && !Leads(now); }

  // How long to wait until the next Begin(). `random`: from 0 to 1, anew each time, so that several
  // candidates do not ask in step.
  BootClock::duration Pause(BootTime now, double random) const;

  // The record that gives the Lease back, for a PUT ChangedLease(lease(), ...). Only while
  // Leads(), and when nothing that the lead was needed for is under way any more.
  LeaseRecord Released(WallTime wall) const;

  // The record as last read or written; nothing: none was seen yet, or it is gone.
  std::optional<LeaseRecord> Seen() const;

 private:
  Ask Next(Ask ask);
  Ask Write(Ask ask, BootTime now, WallTime wall);
  Ask OnRead(const Answer& answer, BootTime now, WallTime wall);
  Ask OnWritten(const Answer& answer, BootTime now);
  void Observe(const LeaseRecord& record, BootTime now);
  // Until when the record, as far as we know, counts for its holder; long ago: there is none.
  BootTime TakenUntil() const;
  bool IsTakenUntilLater(BootTime now) const { return now < TakenUntil(); }
  // Of a Lease that is ours, or free.
  bool IsLeftToOthers(bool is_ours, BootTime now);
  Ask Depose();

  // Constant after construction.
  const LeaseTerms terms_;
  const std::string identity_;

  // The last record that was seen, and since when it has been like that.
  std::optional<LeaseRecord> observed_;
  BootTime observed_at_{};
  std::optional<Lease> lease_;  // as last read or written, for updates; nothing: it is absent

  bool eager_ = true;                   // as of this try
  std::optional<BootTime> free_since_;  // as seen; nothing: it was not free

  Ask asked_ = Ask::kWait;
  bool has_read_ = false;  // during this try
  LeaseRecord record_;     // being written
  BootTime sent_at_{};

  BootTime held_until_ = BootTime::min();
  bool led_ = false;
};

}  // namespace fedra::leader
