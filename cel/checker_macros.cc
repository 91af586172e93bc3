#include "cel/checker_impl.h"

namespace fedra::cel {

void Checker::CheckComprehension(Expr& expr) {
  Check(*expr.args[0]);
  const size_t scope = locals_.size();
  switch (expr.macro) {
    case Macro::kBind:
      locals_.push_back({expr.var1, expr.args[0]->type});
      Check(*expr.args[1]);
      expr.type = expr.args[1]->type;
      break;
    case Macro::kOptMap:
    case Macro::kOptFlatMap:
      CheckOptMap(expr);
      break;
    default:
      PushIterationVariables(expr);
      for (size_t i = 1; i < expr.args.size(); ++i) Check(*expr.args[i]);
      CheckIteration(expr);
  }
  locals_.resize(scope);
  expr.type = unifier_.Resolve(expr.type, false);
}

void Checker::CheckOptMap(Expr& expr) {
  const Type* target = unifier_.Resolve(expr.args[0]->type, false);
  const Type* content = &kDynType;
  if (IsOptional(*target)) {
    content = target->first;
  } else if (!IsDynOrError(*target)) {
    ReportNoOverload(expr, "hasValue", {target}, true);
  }
  locals_.push_back({expr.var1, content});
  Check(*expr.args[1]);
  const Type* body = unifier_.Resolve(expr.args[1]->type, false);
  if (expr.macro == Macro::kOptMap) {
    expr.type = pool_.Optional(body);
    return;
  }
  expr.type = body;
  if (!IsOptional(*body) && !IsDynOrError(*body)) {
    ReportNoOverload(expr, op::kConditional, {&kBoolType, body, pool_.Optional(pool_.Fresh())},
                     false);
  }
}

void Checker::PushIterationVariables(const Expr& expr) {
  const Type* range = unifier_.Resolve(expr.args[0]->type, false);
  const bool two = !expr.var2.empty();
  const Type* first = FailedType();
  const Type* second = FailedType();
  if (range->kind == TypeKind::kList) {
    first = two ? &kIntType : range->first;
    second = range->first;
  } else if (range->kind == TypeKind::kMap) {
    first = range->first;
    second = range->second;
  } else if (range->kind == TypeKind::kDyn || range->kind == TypeKind::kError ||
             range->kind == TypeKind::kParam) {
    unifier_.Assignable(kDynType, *range);
    first = second = &kDynType;
  } else {
    Report(*expr.args[0],
           "expression of type '" + FormatType(*range) +
               "' cannot be range of a comprehension (must be list, map, or dynamic)",
           IssueKind::kNotIterable);
  }
  locals_.push_back({expr.var1, first});
  if (two) locals_.push_back({expr.var2, second});
}

void Checker::CheckIteration(Expr& expr) {
  const Type* key = locals_[locals_.size() - (expr.var2.empty() ? 1 : 2)].type;
  const Expr& last = *expr.args.back();
  const Type* content = unifier_.Resolve(last.type, false);
  switch (expr.macro) {
    case Macro::kAll:
    case Macro::kExists:
      ExpectBool(last);
      expr.type = &kBoolType;
      return;
    case Macro::kExistsOne:
      expr.type = &kBoolType;
      return ExpectCondition(expr, last, &kIntType);
    case Macro::kFilter:
      expr.type = pool_.List(key);
      return ExpectCondition(expr, last, expr.type);
    case Macro::kSortBy:
      return CheckSortBy(expr, *content);
    case Macro::kTransformMapEntry:
      expr.type = content;
      if (content->kind != TypeKind::kMap && !IsDynOrError(*content)) {
        ReportNoOverload(expr, "cel.@mapInsert", {pool_.Map(pool_.Fresh(), pool_.Fresh()), content},
                         false);
      }
      break;
    case Macro::kTransformMap:
      expr.type = pool_.Map(key, content);
      break;
    default:
      expr.type = pool_.List(content);
  }
  if (expr.args.size() == 3) ExpectCondition(expr, *expr.args[1], expr.type);
}

void Checker::ExpectCondition(Expr& at, const Expr& condition, const Type* branch) {
  if (unifier_.Assignable(*condition.type, kBoolType)) return;
  const Type* kept = at.type;
  ReportNoOverload(at, op::kConditional, {condition.type, branch, branch}, false);
  at.type = kept;
}

void Checker::CheckSortBy(Expr& expr, const Type& key) {
  const Type* range = unifier_.Resolve(expr.args[0]->type, false);
  expr.type = range->kind == TypeKind::kList ? range : pool_.List(&kDynType);
  if (range->kind == TypeKind::kMap)
    return ReportNoOverload(expr, "@sortByAssociatedKeys", {range, pool_.List(&key)}, true);
  // The first overload is the one for int: an unknown key becomes one.
  if (key.kind == TypeKind::kParam) unifier_.Assignable(key, kIntType);
  switch (key.kind) {
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kBool:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kDyn:
    case TypeKind::kAny:
    case TypeKind::kError:
    case TypeKind::kParam:
      return;
    default:
      ReportNoOverload(expr, "@sortByAssociatedKeys", {range, pool_.List(&key)}, true);
  }
}

}  // namespace fedra::cel
