#include "base/semver.h"

#include "cel/library.h"

namespace fedra::cel {
namespace {

Value New(Evaluation& evaluation, const Result<Semver>& version) {
  if (!version) return evaluation.Error(version.error().message);
  const auto* copy = evaluation.arena().New<Semver>(*version);
  return copy == nullptr ? evaluation.OutOfMemory() : Value::Semver(copy);
}

Result<Semver> Parse(const Value& text, const Value& normalize) {
  return normalize.AsBool() ? Semver::ParseNormalized(text.AsText()) : Semver::Parse(text.AsText());
}

Value SemverFromText(Evaluation& evaluation, const Value* args) {
  return New(evaluation, Semver::Parse(args[0].AsText()));
}
Value SemverFromTextNormalized(Evaluation& evaluation, const Value* args) {
  return New(evaluation, Parse(args[0], args[1]));
}
Value IsSemver(Evaluation&, const Value* args) {
  return Value::Bool(Semver::Parse(args[0].AsText()).has_value());
}
Value IsSemverNormalized(Evaluation&, const Value* args) {
  return Value::Bool(Parse(args[0], args[1]).has_value());
}

Value IsGreaterVersion(Evaluation&, const Value* args) {
  return Value::Bool(args[0].AsSemver() > args[1].AsSemver());
}
Value IsLessVersion(Evaluation&, const Value* args) {
  return Value::Bool(args[0].AsSemver() < args[1].AsSemver());
}
Value CompareVersions(Evaluation&, const Value* args) {
  const auto order = args[0].AsSemver() <=> args[1].AsSemver();
  return Value::Int(order < 0 ? -1 : order > 0 ? 1 : 0);
}

Value Major(Evaluation&, const Value* args) {
  return Value::Int(static_cast<int64_t>(args[0].AsSemver().major));
}
Value Minor(Evaluation&, const Value* args) {
  return Value::Int(static_cast<int64_t>(args[0].AsSemver().minor));
}
Value Patch(Evaluation&, const Value* args) {
  return Value::Int(static_cast<int64_t>(args[0].AsSemver().patch));
}

constexpr std::array<const Type*, 4> kOneVersion = {&kSemverType};
constexpr std::array<const Type*, 4> kTwoVersions = {&kSemverType, &kSemverType};

constexpr Overload kSemverOverloads[] = {
    Global("semver", "string_to_semver", {&kStringType}, kSemverType, SemverFromText,
           Price::kTraverse),
    Global("isSemver", "is_semver_string", {&kStringType}, kBoolType, IsSemver, Price::kTraverse),
    Member("isGreaterThan", "semver_is_greater_than", kTwoVersions, kBoolType, IsGreaterVersion),
    Member("isLessThan", "semver_is_less_than", kTwoVersions, kBoolType, IsLessVersion),
    Member("compareTo", "semver_compare_to", kTwoVersions, kIntType, CompareVersions),
    Member("major", "semver_major", kOneVersion, kIntType, Major),
    Member("minor", "semver_minor", kOneVersion, kIntType, Minor),
    Member("patch", "semver_patch", kOneVersion, kIntType, Patch),
};

constexpr Overload kNormalizeOverloads[] = {
    Global("semver", "string_bool_to_semver", {&kStringType, &kBoolType}, kSemverType,
           SemverFromTextNormalized, Price::kTraverse),
    Global("isSemver", "is_semver_string_bool", {&kStringType, &kBoolType}, kBoolType,
           IsSemverNormalized, Price::kTraverse),
};

}  // namespace

std::span<const Overload> SemverLibrary() { return kSemverOverloads; }
std::span<const Overload> SemverNormalizeLibrary() { return kNormalizeOverloads; }

}  // namespace fedra::cel
