#pragma once
//
// What commands end with when they could do their work and have more to say. A daemon that answers
// in a command's place says it, too (Fedra-Exit-Code).

namespace fedra::report {

// The command could not do its work.
inline constexpr int kFailed = 1;
// It printed what it could while a worker could not be read.
inline constexpr int kUnknown = 4;
// A selector is an error on a device.
inline constexpr int kEvaluationError = 5;
// Of `check`: a job can run nowhere.
inline constexpr int kNowhere = 3;

}  // namespace fedra::report
