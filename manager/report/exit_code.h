#pragma once
//
// What commands end with, beside 0. A daemon that answers in a command's place says it, too
// (Fedra-Exit-Code). 4 has several causes, each under its own name where a program asks for it
// (kExitLostLease is in daemon/replica.h): for a script all mean that trying again may help.

namespace fedra::report {

// The command could not do its work.
inline constexpr int kFailed = 1;
// It printed what it could while a worker could not be read, or what a standby knows of the jobs;
// `leave --force` left something on the worker.
inline constexpr int kUnknown = 4;
// Of `wait`: it was not as far as that within the timeout.
inline constexpr int kTimedOut = 4;
// A selector is an error on a device.
inline constexpr int kEvaluationError = 5;
// Of `check`: a job can run nowhere.
inline constexpr int kNowhere = 3;

}  // namespace fedra::report
