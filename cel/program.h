#pragma once
//
// Program: the compact form that is evaluated: one array of nodes, children before parents,
// constants and regular expressions computed once.
//
// Thread rules: immutable after Plan(); read from any thread.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/arena.h"
#include "cel/device_data.h"
#include "cel/function.h"
#include "cel/library.h"
#include "cel/value.h"

namespace re2 {
class RE2;
}

namespace fedra::cel {

enum class Op : uint8_t {
  kConstant,  // constant
  kVariable,  // number: of the environment's variable
  kSlot,      // number: of a macro variable
  kLazySlot,  // number: the slot; the first use evaluates args[0] (cel.bind)
  kFail,      // constant: the error

  // Parts of `device` that are looked up without building maps. data: DevicePath.
  kDriver,
  kAttribute,
  kCapacity,
  kHasAttribute,
  kHasCapacity,

  // args[0]: operand; constant: the key, or args[1] for an index.
  kSelect,
  kHas,
  kOptSelect,
  kIndex,
  kOptIndex,

  kConditional,
  kAnd,
  kOr,
  kNot,
  kNegate,
  kEquals,
  kNotEquals,
  kEqualsText,  // constant: a string on the right
  kNotEqualsText,
  kLess,
  kLessEquals,
  kGreater,
  kGreaterEquals,
  kIn,
  kInConstants,  // constant: a list of hashable values
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,

  kCall,         // data: Overload, the types are known to fit
  kCallGuarded,  // data: Overload, the types are tested at run time
  kDispatch,     // data: FunctionDeclaration, the first overload that fits
  kMatches,      // data: RE2
  kFind,         // data: RE2
  kFindAll,      // data: RE2
  kOptionalOr,
  kOptionalOrValue,

  kList,
  kMap,
  kMessage,  // data: MessageType; args: the field's name, its value, ...

  // args[0]: range; number: the slot of the first variable; flag: two variables.
  kAll,
  kExists,
  kExistsOne,
  kMapElements,
  kFilter,
  kTransformMap,
  kTransformMapEntry,
  kSortBy,
  // args[0]: value; args[1]: body; number: the slot.
  kBind,
  kOptMap,
  kOptFlatMap,
};

struct Node {
  Op op = Op::kConstant;
  bool flag = false;       // macros: two variables. Lists and maps: some elements are optional
  uint16_t cost = 0;       // fixed part of its run-time cost
  uint32_t first_arg = 0;  // args() are Program::args[first_arg ...]
  uint32_t arg_count = 0;
  uint32_t number = 0;
  Value constant;
  const void* data = nullptr;
};

// A constant domain and name below device.attributes or device.capacity.
struct DevicePath {
  uint64_t hash;
  std::string_view domain;
  std::string_view name;
};

class Program final {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // The result of the whole expression. `variables` as declared by the environment; `device` for
  // programs of the device environment, else nullptr.
  Value Evaluate(Evaluation& evaluation, const Value* variables, const DeviceData* device) const;
  // The same for a selector: also says which operand of the outermost && was false, or -1.
  Value Evaluate(Evaluation& evaluation, const Value* variables, const DeviceData* device,
                 int& false_operand) const;
  // The same for one node.
  Value EvaluateNode(uint32_t node, Evaluation& evaluation, const Value* variables,
                     const DeviceData* device) const;

  size_t bytes() const;

  // Filled by the planner.
  std::vector<Node> nodes;
  std::vector<uint32_t> args;
  // Per optional element of list and map literals; indexed like args.
  std::vector<bool> optional_args;
  uint32_t root = 0;
  uint32_t slot_count = 0;
  Arena arena{Evaluation::kMemoryLimit};
  std::vector<std::unique_ptr<re2::RE2>> regexes;

 private:
  template <class Run>
  Value WithInterpreter(Evaluation& evaluation, const Value* variables, const DeviceData* device,
                        Run run) const;
};

struct PlanOptions {
  // False: no fused nodes and no folding beyond what cel-go does at compile time (differential
  // tests).
  bool optimize = true;
};

// Why a well-typed expression cannot be a program: a constant that does not convert, a bad pattern.
struct PlanError {
  uint32_t offset;
  std::string message;
};

// nullptr with `error` set if a constant part cannot be computed.
std::unique_ptr<Program> Plan(const Ast& ast, const Environment& environment,
                              const PlanOptions& options, PlanError& error);

}  // namespace fedra::cel
