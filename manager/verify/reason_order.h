#pragma once
//
// Which of several reasons against a worker a person should read first, and which of them go away
// by themselves. Pure.

#include <span>

#include "verdict/verdict.h"

namespace fedra::verify {

// What it takes for a reason to go away. In the order in which reasons are listed.
enum class Hindrance {
  kUnreached,     // the worker cannot be asked, or may not be used: nothing else counts before that
  kUntilChanged,  // an administrator or user has to change an object, the job or the worker
  kUnclear,       // perhaps others have to end, perhaps it never fits: the message says which
  kUntilFree,     // it goes by itself: others hold what is needed, or a list is still being read
  kDetail,        // no cause of its own: it says how far another reason goes
};

Hindrance HindranceOf(verdict::ReasonCode code);

// What keeps a worker from running a job, by the codes of its verdict No.
enum class Prospect {
  kWaits,    // all of it passes by itself
  kNever,    // something has to be changed
  kUnclear,  // one cannot tell
};
Prospect ProspectOf(std::span<const verdict::ReasonCode> codes);

// Puts the reasons into that order; equal ones stay as they are.
void OrderReasons(verdict::Verdict& verdict);

}  // namespace fedra::verify
