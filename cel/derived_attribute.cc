#include "cel/derived_attribute.h"

#include <array>
#include <utility>

#include "base/semver.h"
#include "cel/compile.h"
#include "cel/device_data.h"
#include "cel/diagnosis.h"
#include "cel/selector_parts.h"

namespace fedra::cel {
namespace {

bool IsAcceptedElement(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kString:
    case TypeKind::kAny:
    case TypeKind::kDyn:
      return true;
    default:
      return SameSimpleType(type, kSemverType);
  }
}

bool IsAccepted(const Type& type) {
  return IsAcceptedElement(type) ||
         (type.kind == TypeKind::kList && IsAcceptedElement(*type.first));
}

// What cel-go's Value() of it returns: the content of an optional, the name of a type.
Value Plain(Value value) {
  while (value.is(Kind::kOptional))
    value = value.AsOptional() == nullptr ? Value::Null() : *value.AsOptional();
  return value.is(Kind::kType) ? Value::String(value.AsText()) : value;
}

DerivedValue Failed(std::string error) { return {.value = {}, .error = std::move(error)}; }

template <class Item>
DerivedValue ListOf(const Value& list, Kind kind, Item (*item)(const Value&)) {
  std::vector<Item> items;
  for (const Value& element : list.AsList()) {
    const Value plain = Plain(element);
    if (!plain.is(kind)) {
      return Failed("expected list element at index " + std::to_string(items.size()) + " to be " +
                    std::string(TypeName(kind)) + ", got " + std::string(TypeName(plain.kind())));
    }
    items.push_back(item(plain));
  }
  return {.value = std::move(items), .error = {}};
}

DerivedValue FromList(const Value& list) {
  if (list.AsList().empty()) return {.value = std::vector<std::string>(), .error = {}};
  const Kind kind = Plain(list.AsList().front()).kind();
  switch (kind) {
    case Kind::kBool:
      return ListOf<bool>(list, kind, [](const Value& item) { return item.AsBool(); });
    case Kind::kInt:
      return ListOf<int64_t>(list, kind, [](const Value& item) { return item.AsInt(); });
    case Kind::kString:
      return ListOf<std::string>(list, kind,
                                 [](const Value& item) { return std::string(item.AsText()); });
    case Kind::kSemver:
      return ListOf<VersionText>(
          list, kind, [](const Value& item) { return VersionText{item.AsSemver().ToString()}; });
    default:
      return Failed("unsupported list element type: " + std::string(TypeName(kind)));
  }
}

// valToDeviceAttribute.
DerivedValue FromValue(const Value& value) {
  const Value plain = Plain(value);
  switch (plain.kind()) {
    case Kind::kError:
      return Failed(std::string(plain.AsText()));
    case Kind::kBool:
      return {.value = plain.AsBool(), .error = {}};
    case Kind::kInt:
      return {.value = plain.AsInt(), .error = {}};
    case Kind::kString:
      return {.value = std::string(plain.AsText()), .error = {}};
    case Kind::kSemver:
      return {.value = VersionText{plain.AsSemver().ToString()}, .error = {}};
    case Kind::kList:
      if (value.is(Kind::kList)) return FromList(plain);
      break;
    default:
      break;
  }
  return Failed("unsupported CEL return type: " + std::string(TypeName(plain.kind())));
}

}  // namespace

struct DerivedAttribute::Impl {
  SelectorOptions options;
  std::unique_ptr<Program> program;
};

DerivedAttribute::DerivedAttribute(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

DerivedValue DerivedAttribute::Evaluate(const Device& device) const {
  if (const std::string_view poison = device.poison(impl_->options.list_attributes);
      !poison.empty())
    return Failed(std::string(poison));
  alignas(16) std::array<char, kInlineMemory> memory;
  Arena arena(memory.data(), memory.size(), Evaluation::kMemoryLimit);
  Evaluation evaluation(arena, impl_->options.cost_limit);
  const DeviceData& data = device.data();
  return FromValue(impl_->program->Evaluate(evaluation, &data.device, &data));
}

tl::expected<DerivedAttribute, CompileFailure> CompileDerivedAttribute(
    std::string_view expression, const SelectorOptions& options) {
  auto compiled = CompileForDevice(expression, options);
  if (!compiled) return tl::unexpected<CompileFailure>(std::move(compiled).error());
  if (!IsAccepted(ResultType(*compiled))) {
    return Refused(
        "must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these "
        "scalars, not " +
        FormatType(ResultType(*compiled)));
  }
  auto impl = std::make_shared<DerivedAttribute::Impl>();
  impl->options = options;
  impl->program = std::move(compiled->program);
  return DerivedAttribute(std::move(impl));
}

}  // namespace fedra::cel
